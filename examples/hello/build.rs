//! Writes the code of README.md into the output folder: as it stands for the programs, and with an address of the test's
//! choice for the test. The code of docs/library.md goes beside it, as one module.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

mod library;
mod readme;

/// Where README.md listens and calls.
const ADDRESS: &str = "127.0.0.1:8080";

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::var("CARGO_MANIFEST_DIR")?;
    let read = |name: &str| {
        let path = Path::new(&folder).join("../..").join(name);
        println!("cargo:rerun-if-changed={}", path.display());
        fs::read_to_string(path)
    };
    let (text, page) = (read("README.md")?, read("docs/library.md")?);
    println!("cargo:rerun-if-changed=readme.rs");
    println!("cargo:rerun-if-changed=library.rs");
    let out = env::var("OUT_DIR")?;
    let out = Path::new(&out);

    let schemas = [out.join("greet.proto"), out.join("shop.proto")];
    fs::write(&schemas[0], readme::block(&text, "greet.proto")?)?;
    fs::write(&schemas[1], readme::block(&page, "shop.proto")?)?;
    // Not `compile`: it would have cargo watch the schema, which this script has just written.
    for file in trunkline_codegen::Config::new().files(&schemas).includes([out]).generate()? {
        let path = out.join(file.name);
        fs::create_dir_all(path.parent().unwrap_or(out))?;
        fs::write(path, file.content)?;
    }

    let server = readme::block(&text, "server")?;
    let test = readme::block(&text, "test")?;
    let client = readme::block(&text, "client")?;
    // Statements are no file of their own; `reply` is what the block calls the answer.
    let client = format!(
        "mod proto {{ trunkline::include_protos!(); }}\n\
         pub(crate) async fn call() -> trunkline::Result<String> {{\n{client}Ok(reply.text.clone())\n}}\n"
    );
    fs::write(out.join("server.rs"), &server)?;
    fs::write(out.join("client.rs"), &client)?;
    // A test must not fail because a port is taken: it brings its own.
    let here = server.replace(&format!("\"{ADDRESS}\""), "crate::address()");
    let run = "pub(crate) fn run() -> Result<()> { main() }\n";
    fs::write(out.join("server_here.rs"), format!("{here}{run}{test}"))?;
    fs::write(
        out.join("client_here.rs"),
        client.replace(&format!("\"http://{ADDRESS}\""), "&crate::target()"),
    )?;
    fs::write(out.join("library.rs"), library(&page)?)?;
    Ok(())
}

/// The blocks of docs/library.md, each where it belongs.
fn library(page: &str) -> Result<String, String> {
    let mut code = library::HEAD.to_owned();
    for name in library::ITEMS {
        code.push_str(&readme::block(page, name)?);
    }
    code.push_str("impl Shop for Store {\n");
    for name in library::METHODS {
        code.push_str(&readme::block(page, name)?);
    }
    code.push_str("}\n");
    for (name, head) in library::STATEMENTS {
        let block = readme::block(page, name)?;
        code.push_str(&format!("pub(crate) async fn {head} -> Result<()> {{\n{block}Ok(())\n}}\n"));
    }
    Ok(code)
}
