//! One server and one client for gRPC, gRPC-Web and Connect, on one port.
//!
//! A service is a trait that `trunkline-codegen` makes from a `.proto` file. Implement it, hand it to a [`Server`], and
//! every protocol is on. A client is a struct with a method for each procedure, over a [`Channel`].
//!
//! # A call from end to end
//!
//! The health service comes with this crate, so it shows the whole way without a schema of one's own. The client and the
//! server meet in memory here ([`testkit`]); over a network only the channel differs.
//!
//! ```
//! use trunkline::health::{Health, HealthCheckRequest, HealthClient, ServingStatus};
//! use trunkline::{Server, testkit};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> trunkline::Result<()> {
//! let health = Health::new();
//! let client = HealthClient::new(testkit::pair(Server::new().service(health.service())));
//! let reply = client.check(HealthCheckRequest::default()).await?;
//! assert!(reply.status == ServingStatus::SERVING);
//! # Ok(()) }
//! ```
//!
//! # Where to look
//!
//! | for | look at |
//! |---|---|
//! | serving | [`Server`], [`server::Bound`], [`Limits`], [`health`], [`reflection`] |
//! | calling | [`Channel`], [`ChannelBuilder`], [`Bidi`], [`CallOptions`] |
//! | messages and metadata | [`Request`], [`Response`], [`Streaming`], [`Metadata`] |
//! | failures | [`Error`], [`Code`], [`details`] |
//! | generated messages outside of a call | [`proto`] |
//! | message formats, compression, TLS | [`codec`], [`compress`], [`transport::tls`] |
//! | tests without a network | [`testkit`] |
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `json` | yes | the JSON format of generated messages |
//! | `gzip`, `deflate` | yes | a compression each, of one library |
//! | `zstd`, `brotli`, `snappy` | no | a compression each |
//! | `compression-all` | no | all compressions: [`compress`] has a table of them |
//! | `tower` | no | a server as a tower service in axum or hyper, and such a service behind a server: `tower` |
//! | `prost` | no | the codec of prost messages, [`codec`]`::Prost` |
//! | `tls-ring` | yes | TLS by rustls with the ring provider |
//! | `tls-aws-lc` | no | TLS by rustls with the aws-lc-rs provider; with both features on, ring is used |
//! | `tls` | with either | TLS with a rustls configuration of one's own, whatever its provider |

#![forbid(unsafe_code)]

// Generated code names this crate by its name, also inside it.
extern crate self as trunkline;

mod call;
mod client;
pub mod codec;
pub mod compress;
mod context;
mod deadline;
pub mod details;
mod error;
#[allow(missing_docs, unused_qualifications, unreachable_pub, clippy::all, reason = "generated")]
#[rustfmt::skip]
mod generated;
pub mod health;
pub mod interceptor;
mod limits;
mod metadata;
mod procedure;
pub mod proto;
pub mod reflection;
mod request;
mod response;
pub mod server;
mod streaming;
pub mod testkit;
#[cfg(feature = "tower")]
pub mod tower;
pub mod transport;

pub use trunkline_wire::{Code, Detail, Protocol};

pub use self::client::{Bidi, CallOptions, Channel, ChannelBuilder, HttpVersion, Sender};
pub use self::codec::{Codec, Format};
pub use self::context::{CallContext, Peer};
pub use self::error::{Error, Result};
pub use self::limits::Limits;
pub use self::metadata::Metadata;
pub use self::procedure::{Idempotency, Procedure, Shape, Spec};
pub use self::request::{IntoRequest, IntoStreamItem, IntoStreamingRequest, Request};
pub use self::response::Response;
pub use self::server::{Handlers, Server};
pub use self::streaming::{Seen, StreamSender, Streaming};
pub use self::transport::Http2;

/// Includes the code that `trunkline_codegen::compile` has written in build.rs, as modules named after the packages.
///
/// ```text
/// pub mod proto {
///     trunkline::include_protos!();
/// }
/// ```
#[macro_export]
macro_rules! include_protos {
    () => {
        include!(concat!(env!("OUT_DIR"), "/trunkline.rs"));
    };
}

/// What generated code needs, so that a user depends on this crate alone. Not for use by hand.
#[doc(hidden)]
pub mod __rt {
    pub use buffa;
    pub use buffa_types;
    pub use bytes;
    #[cfg(feature = "json")]
    pub use {serde, serde_json};
}
