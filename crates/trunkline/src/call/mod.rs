//! The call room of a server: reads request messages, runs the handler within its deadline, writes the outcome.
//!
//! It moves the protocol machines of `trunkline-wire` and holds no rule of a protocol.
//!
//! ```text
//!   Incoming ─► RequestReader ─► codec ─► handler ─► codec ─► ResponseSink ─► Outgoing
//!               (ServerReader)            deadline            (ServerWriter)
//!                                         panics caught
//! ```
//!
//! Whatever ends a call, its end is written once, by the sink: the handler's answer, its error, a broken request, the
//! deadline, or a panic. When the transport drops the call's future, nothing is written: the caller is gone.

mod answer;
mod intercepted;
mod panic;
mod reader;
mod serve;
mod sink;

use std::sync::Arc;

use trunkline_wire::server::ServerCall;

use crate::Metadata;
use crate::context::CallContext;
use crate::interceptor::Chain;
use crate::transport::{Incoming, Outgoing};

pub(crate) use self::intercepted::exactly_one;
#[cfg(feature = "tower")]
pub(crate) use self::panic::caught;
pub(crate) use self::reader::RequestReader;
pub(crate) use self::serve::{serve_bidi, serve_client_stream, serve_server_stream, serve_unary};
pub(crate) use self::sink::ResponseSink;

/// A call that has been accepted: what a handler's wrapper needs to serve it.
pub(crate) struct Call {
    pub(crate) metadata: Metadata,
    pub(crate) reader: RequestReader,
    pub(crate) sink: ResponseSink,
    pub(crate) context: CallContext,
    pub(crate) chain: Arc<Chain>,
}

impl Call {
    pub(crate) fn new(
        call: ServerCall,
        context: CallContext,
        chain: Arc<Chain>,
        incoming: Box<dyn Incoming>,
        outgoing: Box<dyn Outgoing>,
    ) -> Self {
        let format = context.format();
        Self {
            metadata: Metadata::from_headers(call.start.metadata),
            reader: RequestReader::new(call.reader, incoming, format),
            sink: ResponseSink::new(call.writer, outgoing, format),
            context,
            chain,
        }
    }
}
