//! Generates what connectrpc users generate, out of a schema that protox has read, so that no protoc is needed.

use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=../proto/bench.proto");
    let mut compiler = protox::Compiler::new(["../proto"])?;
    let set = compiler.open_file("bench.proto")?.encode_file_descriptor_set();
    let path = PathBuf::from(std::env::var("OUT_DIR")?).join("bench.binpb");
    std::fs::write(&path, set)?;
    let config = connectrpc_build::Config::new().files(&["bench.proto"]).descriptor_set(path);
    config.include_file("_connectrpc.rs").compile()?;
    Ok(())
}
