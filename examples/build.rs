//! Generates code for the schemas, as any project does; then hands the code of README.md and of docs/ to the tests.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

#[path = "tests/support/blocks.rs"]
mod blocks;
#[path = "tests/support/pages.rs"]
mod pages;

/// Where README.md listens and calls.
const ADDRESS: &str = "127.0.0.1:8080";

fn main() -> Result<(), Box<dyn Error>> {
    trunkline_codegen::compile(&["proto/greet.proto", "proto/shop.proto"], &["proto"])?;

    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=tests/support");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let top = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("..");
    write_readme(&top, &out)?;
    write_pages(&top, &out)
}

/// The code of README.md: as it stands for the programs, and with an address of the test's choice for the test.
fn write_readme(top: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let text = read(&top.join("README.md"))?;
    let server = blocks::block(&text, "server")?;
    let test = blocks::block(&text, "test")?;
    let client = blocks::block(&text, "client")?;
    // Statements are no file of their own; `reply` is what the block calls the answer.
    let client = format!(
        "mod proto {{ trunkline::include_protos!(); }}\n\
         pub(crate) async fn call() -> trunkline::Result<String> {{\n{client}Ok(reply.text.clone())\n}}\n"
    );
    fs::write(out.join("server.rs"), &server)?;
    fs::write(out.join("client.rs"), &client)?;
    fs::write(out.join("build_script.rs"), blocks::block(&text, "build")?)?;
    // A test must not fail because a port is taken: it brings its own.
    let here = server.replace(&format!("\"{ADDRESS}\""), "crate::address()");
    let run = "pub(crate) fn run() -> Result<()> { main() }\n";
    fs::write(out.join("server_here.rs"), format!("{here}{run}{test}"))?;
    let here = client.replace(&format!("\"http://{ADDRESS}\""), "&crate::target()");
    fs::write(out.join("client_here.rs"), here)?;
    Ok(())
}

/// Every page below docs/ as a module, and lists of the pages and of what is wrong with them.
fn write_pages(top: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let folder = top.join("docs");
    let mut paths = Vec::new();
    find_pages(&folder, &mut paths)?;
    paths.sort();
    let (mut code, mut known, mut faults) = (String::new(), Vec::new(), Vec::new());
    for path in paths {
        let text = read(&path)?;
        let name = path.strip_prefix(&folder)?.to_string_lossy().replace('\\', "/");
        let page = pages::Page::read(&format!("docs/{name}"), &text);
        let module = name.trim_end_matches(".md").replace(['-', '/'], "_").to_lowercase();
        if page.blocks > 0 {
            code.push_str(&format!("pub(crate) mod {module} {{\nuse crate::prelude::*;\n{}}}\n", page.code));
        }
        known.push((name, text));
        faults.extend(page.faults);
    }
    code.push_str(&format!("pub(crate) const PAGES: &[(&str, &str)] = &{known:?};\n"));
    code.push_str(&format!("pub(crate) const FAULTS: &[&str] = &{faults:?};\n"));
    fs::write(out.join("pages.rs"), code)?;
    Ok(())
}

fn find_pages(folder: &Path, pages: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    // A page that is added changes the folder.
    println!("cargo:rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find_pages(&path, pages)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, String> {
    println!("cargo:rerun-if-changed={}", path.display());
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}
