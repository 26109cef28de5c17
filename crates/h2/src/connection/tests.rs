//! Whole connections: against bytes, against each other, and against the `h2` crate.

mod attacks;
mod cases;
mod honest;
mod talk;
mod vectors;

use bytes::BytesMut;
use http::{HeaderMap, Method, StatusCode, Uri};

use crate::hpack::Decoder;
use crate::{Connection, Event, Fault, Limits, Reason, Role, StreamKey};
