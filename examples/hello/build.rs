//! Writes the code of README.md into the output folder: as it stands for the programs, and with an address of the test's
//! choice for the test.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

mod readme;

/// Where README.md listens and calls.
const ADDRESS: &str = "127.0.0.1:8080";

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::var("CARGO_MANIFEST_DIR")?;
    let path = Path::new(&folder).join("../../README.md");
    println!("cargo:rerun-if-changed={}", path.display());
    println!("cargo:rerun-if-changed=readme.rs");
    let text = fs::read_to_string(path)?;
    let out = env::var("OUT_DIR")?;
    let out = Path::new(&out);

    let schema = out.join("greet.proto");
    fs::write(&schema, readme::block(&text, "greet.proto")?)?;
    // Not `compile`: it would have cargo watch the schema, which this script has just written.
    for file in trunkline_codegen::Config::new().files([&schema]).includes([out]).generate()? {
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
    Ok(())
}
