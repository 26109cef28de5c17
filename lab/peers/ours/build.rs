//! Generates code for the schema that all peers share.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    trunkline_codegen::compile(&["../proto/bench.proto"], &["../proto"])?;
    Ok(())
}
