//! The RPC protocols of Trunkline as state machines: Connect, gRPC and gRPC-Web, both roles.
//!
//! This crate decides how heads, messages and outcomes look on the wire. It knows no sockets, tasks, clocks or
//! message types: bytes go in by `receive*`, events come out by `poll_*`, and time is a value in a head.
//!
//! A loop above moves the machines and holds no rules; the machines hold no loop. Here a client and a server talk without
//! anything between them:
//!
//! ```
//! use bytes::BytesMut;
//! use http::{HeaderMap, Uri, Version};
//! use trunkline_wire::client::{Event, Plan, start};
//! use trunkline_wire::server::{Accepted, Config, Route, Step, accept};
//! use trunkline_wire::{Compressions, Protocol, Shape, Status};
//!
//! let mut call = start(Plan {
//!     protocol: Protocol::Grpc,
//!     text: false,
//!     shape: Shape::Unary,
//!     base: &Uri::from_static("http://localhost"),
//!     path: "/a.Greeter/Greet",
//!     version: Version::HTTP_2,
//!     codec: "proto",
//!     timeout: None,
//!     metadata: &HeaderMap::new(),
//!     send_compression: None,
//!     compress_bytes_min: 0,
//!     accept_compressions: Compressions::none().into(),
//!     message_bytes_max: 4 << 20,
//! })?;
//! let mut request = BytesMut::new();
//! call.writer.message(&mut request, &mut |target| {
//!     target.extend_from_slice(b"hello");
//!     Ok(())
//! })?;
//! call.writer.finish(&mut request);
//!
//! let config = Config {
//!     codecs: vec!["proto"],
//!     compressions: Compressions::none().into(),
//!     message_bytes_max: 4 << 20,
//!     compress_bytes_min: 0,
//!     require_connect_version: false,
//! };
//! let route = Route { shape: Shape::Unary, no_side_effects: false };
//! let Accepted::Call(mut served) = accept(call.head, Some(route), &config) else { panic!("refused") };
//! served.reader.receive(request.freeze());
//! let Step::Message(message) = served.reader.poll_message()? else { panic!("the message is whole") };
//!
//! let mut response = BytesMut::new();
//! let head = served.writer.head(HeaderMap::new()).expect("gRPC sends its head first");
//! served.writer.message(&mut response, &mut |target| {
//!     target.extend_from_slice(&message);
//!     Ok(())
//! })?;
//! let finish = served.writer.finish(Ok(()), HeaderMap::new(), &mut response);
//!
//! call.reader.receive_head(head);
//! call.reader.receive(response.freeze());
//! assert!(matches!(call.reader.poll_event(), Event::Message(message) if message == "hello"));
//! assert!(matches!(call.reader.poll_event(), Event::NeedMore));
//! call.reader.receive_end(finish.trailers);
//! assert!(matches!(call.reader.poll_event(), Event::End(outcome) if outcome.result.is_ok()));
//! # Ok::<(), Status>(())
//! ```

#![forbid(unsafe_code)]

pub mod client;
pub mod code;
pub mod compress;
mod connect;
mod envelope;
mod grpc;
mod grpc_web;
pub mod head;
mod media_type;
pub mod metadata;
pub mod protocol;
pub mod server;
pub mod status;

pub use code::Code;
pub use compress::{Compression, Compressions, InflateFault};
pub use head::{RequestHead, ResponseHead};
pub use protocol::{Protocol, Shape};
pub use status::{Detail, Status};

#[cfg(test)]
mod tests;
