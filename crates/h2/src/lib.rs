//! HTTP/2 (RFC 9113) as a state machine, both roles, with HPACK (RFC 7541). No IO, no clock, no tasks.
//!
//! Bytes and the time go in, events and bytes come out. Here a client and a server talk without anything between them:
//!
//! ```
//! use std::time::Instant;
//!
//! use bytes::BytesMut;
//! use http::{HeaderMap, Method, StatusCode, Uri};
//! use trunkline_h2::{Connection, Event, Limits};
//!
//! let now = Instant::now();
//! let mut client = Connection::client(Limits::default(), now);
//! let mut server = Connection::server(Limits::default(), now);
//!
//! let uri = Uri::from_static("http://example.org/a.Greeter/Greet");
//! client.open(&Method::POST, &uri, &HeaderMap::new(), true)?;
//! let mut wire = BytesMut::from(client.poll_transmit());
//! client.transmitted(wire.len());
//! while let Some(event) = server.poll_event(&mut wire, now)? {
//!     if let Event::Request { stream, head, ended } = event {
//!         assert_eq!((head.uri.path(), ended), ("/a.Greeter/Greet", true));
//!         server.send_response(stream, StatusCode::OK, &HeaderMap::new(), true)?;
//!     }
//! }
//!
//! let mut wire = BytesMut::from(server.poll_transmit());
//! let mut statuses = Vec::new();
//! while let Some(event) = client.poll_event(&mut wire, now)? {
//!     if let Event::Response { head, .. } = event {
//!         statuses.push(head.status);
//!     }
//! }
//! assert_eq!(statuses, [StatusCode::OK]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod budget;
mod connection;
mod event;
mod frame;
mod head;
pub mod hpack;
mod limits;
mod out;
mod reason;
mod store;
mod window;

pub use self::connection::{Connection, OpenFault, Role, SendFault, Sent};
pub use self::event::Event;
pub use self::head::{RequestHead, ResponseHead};
pub use self::limits::Limits;
pub use self::reason::{Fault, Reason};
pub use self::store::StreamKey;
