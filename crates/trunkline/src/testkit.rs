//! Tests of services and clients without a network: the real codec, the real protocol, no socket.

use std::sync::Arc;

use crate::client::{Channel, ChannelBuilder};
use crate::server::Server;
use crate::transport::memory::MemoryTransport;

/// A channel whose calls `server` answers in this process, over gRPC.
///
/// ```ignore
/// let client = GreetClient::new(testkit::pair(Server::new().service(GreetServer::new(Hello))));
/// ```
pub fn pair(server: Server) -> Channel {
    pair_with(server, Channel::builder("memory"))
}

/// As [`pair`], with a protocol, format or limits of one's own: `Channel::builder("memory").protocol(..)`. The target
/// and the HTTP version are of no account.
pub fn pair_with(server: Server, builder: ChannelBuilder) -> Channel {
    let dispatch = server.into_dispatch();
    let buffer_bytes_max = dispatch.limits().stream_buffer_bytes_max;
    Channel::over(Arc::new(MemoryTransport::new(Arc::new(dispatch), buffer_bytes_max)), builder)
}
