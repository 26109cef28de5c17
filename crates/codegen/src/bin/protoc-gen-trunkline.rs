//! The plugin for protoc and buf: a request on standard input, a response on standard output. What they mean is decided
//! in [`trunkline_codegen::plugin`].

#![forbid(unsafe_code)]

use std::io::{self, Read, Write};

/// More than this is no request: descriptors of the largest schemas known take a few dozen MiB.
const REQUEST_BYTES_MAX: u64 = 1 << 30;

fn main() -> io::Result<()> {
    let mut request = Vec::new();
    io::stdin().lock().take(REQUEST_BYTES_MAX).read_to_end(&mut request)?;
    let mut out = io::stdout().lock();
    out.write_all(&trunkline_codegen::plugin(&request))?;
    out.flush()
}
