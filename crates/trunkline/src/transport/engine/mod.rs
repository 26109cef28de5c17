//! HTTP/2 over our own engine, both roles: one task owns a connection and everything in it.
//!
//! ```text
//!   socket ─► Link: one large read ─► machine (trunkline-h2) ─► events ─► Table ─► Cell of each stream ─► the call
//!   socket ◄─ Link: one write ◄────── machine ◄──────────────────────── Table ◄── Cell ◄── the call
//!                                                                         ▲
//!                                     Mailbox: which cells have news ─────┘  one wake for all of them
//! ```
//!
//! There is no lock on the connection. Each stream has a cell with a short lock that two sides take: its call and this
//! connection. A call is polled where its request arrives and becomes a task only if it must wait. What all calls have
//! written by the end of a turn leaves in one write; while calls run in tasks, the connection lets them run once more before
//! it writes, because on tokio each of them would otherwise cause a write of its own.

mod cell;
pub(crate) mod client;
pub(crate) mod drain;
mod link;
mod mailbox;
mod parked;
pub(crate) mod server;
mod table;

use trunkline_h2::Reason;

use super::{Reset, ResetReason};
use crate::Limits;

/// The reset of a call whose stream was reset.
fn reset_of(reason: Reason, by_peer: bool) -> Reset {
    let message = match by_peer {
        true => format!("the peer reset the stream: {reason}"),
        false => format!("the stream was reset, because the peer broke a rule of HTTP/2: {reason}"),
    };
    Reset::new(ResetReason::of_http2(reason), message)
}

/// The bounds of a connection, out of those of a server or channel.
fn machine_limits(limits: &Limits) -> trunkline_h2::Limits {
    let mut of_machine = trunkline_h2::Limits::default();
    of_machine.streams_max = limits.streams_max;
    of_machine.head_bytes_max = limits.metadata_bytes_max;
    of_machine.head_timeout = limits.head_timeout;
    of_machine.stream_window_bytes = limits.stream_window_bytes;
    of_machine.connection_window_bytes = limits.connection_window_bytes;
    of_machine.ping_interval = Some(limits.ping_interval);
    of_machine.ping_timeout = limits.ping_timeout;
    of_machine
}
