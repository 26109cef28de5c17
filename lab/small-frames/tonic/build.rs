//! Generates what tonic users generate, out of a schema that protox has read, so that no protoc is needed.

fn main() {
    let files = protox::compile(["small_frames.proto"], [".."]).expect("small_frames.proto compiles");
    println!("cargo::rerun-if-changed=../small_frames.proto");
    tonic_prost_build::configure().compile_fds(files).expect("the generated code can be written");
}
