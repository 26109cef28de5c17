//! Whole connections: against bytes, against each other, and against the `h2` crate.

mod attacks;
mod cases;
mod honest;
mod model;
mod oracle;
mod seeds;
mod simulation;
mod talk;
mod vectors;

use bytes::BytesMut;
use http::{HeaderMap, Method, StatusCode, Uri};

use crate::hpack::Decoder;
use crate::tests::some_instant;
use crate::{Connection, Event, Fault, Limits, Reason, Role, SendFault, Sent, StreamKey};

/// What is true of two machines when nothing is on its way between them and no stream is open.
fn agree(machines: &[Connection; 2]) {
    for (side, machine) in machines.iter().enumerate() {
        let other = &machines[1 - side];
        assert_eq!(machine.send_window.value(), other.receive_window.open(), "the window of side {side}");
        assert!(machine.waiting.is_empty() && machine.events.is_empty(), "side {side}: {machine:?}");
        assert_eq!((machine.unread, machine.held_back), (0, 0), "side {side}");
    }
}
