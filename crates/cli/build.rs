//! Generates the services of `trunkline serve`.

fn main() {
    let files = ["proto/trunkline/echo/v1/echo.proto", "proto/grpc/testing/test.proto"];
    if let Err(error) = trunkline_codegen::compile(&files, &["proto"]) {
        // A build script has no other way to fail; cargo shows the text.
        eprintln!("{error}");
        std::process::exit(1);
    }
}
