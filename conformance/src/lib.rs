//! What the programs share: the messages of the suite, the framing between runner and program, and the way from
//! the suite's words to ours and back.
//!
//! Nothing here tests anything: the public Connect conformance runner starts the programs and judges what they do. They
//! use the public API of `trunkline` alone, as any user would, so they also show whether that API is enough.
//!
//! | program | is started | reads | writes |
//! |---|---|---|---|
//! | `trunkline-conformance-server` | once for each way to serve | one `ServerCompatRequest` | one `ServerCompatResponse`, then serves until SIGTERM |
//! | `trunkline-conformance-client` | once | a `ClientCompatRequest` for each case | a `ClientCompatResponse` for each, in any order |
//! | `trunkline-small-frames` | once for each load | its command line | what came of the calls, for `cargo xtask small-frames` |
//!
//! Behind their names the first two take `--http2=engine` or `--http2=hyper`, so that the same cases run over both our ways
//! to speak HTTP/2. `cargo xtask conformance server` and `client` build them and let the runner judge, by `configs/`.

#![forbid(unsafe_code)]

pub mod frame;
pub mod http2;
pub mod suite;

/// The messages, server and client that the suite defines.
#[allow(missing_docs, unused_qualifications, reason = "generated")]
pub mod proto {
    ::trunkline::include_protos!();
}
