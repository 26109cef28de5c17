//! Generates what tonic users generate, out of a schema that protox has read, so that no protoc is needed.

fn main() {
    let files = protox::compile(["bench.proto"], ["../proto"]).expect("bench.proto compiles");
    println!("cargo::rerun-if-changed=../proto/bench.proto");
    // The cheapest payload that prost has: a reference into what was received.
    tonic_prost_build::configure().bytes(".").compile_fds(files).expect("the generated code can be written");
}
