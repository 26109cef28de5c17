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
//!
//! # What a peer may do
//! Everything that the RFC allows, within the [`Limits`]. What stops which attack:
//!
//! | Attack | Limit |
//! |---|---|
//! | streams opened and reset, by the peer (CVE-2023-44487) or by rules that it breaks (CVE-2025-8671) | `resets_max` |
//! | more streams than may be open, handlers that outlive theirs | `streams_max` |
//! | CONTINUATION without end, blocks that unfold | `continuations_max`, `head_bytes_max` |
//! | PING, SETTINGS, PRIORITY, WINDOW_UPDATE, GOAWAY, unknown frames, empty DATA, late frames | `idle_frames_max` |
//! | heads that never become whole, silence | `head_timeout`, `ping_timeout` |
//! | bodies that nobody takes | `unread_bytes_max` |
//!
//! Small DATA frames cost their bytes and nothing else, and earn what a good peer sends beside them: the PINGs and
//! WINDOW_UPDATEs of other stacks.
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
#[cfg(test)]
mod tests;
mod window;

pub use self::connection::{Connection, OpenFault, Role, SendFault, Sent};
pub use self::event::Event;
pub use self::head::{RequestHead, ResponseHead};
pub use self::limits::Limits;
pub use self::reason::{Fault, Reason};
pub use self::store::StreamKey;
