//! Tests of services and clients without a network: the real codec, the real protocol, no socket.

use std::sync::Arc;

use crate::client::{Channel, ChannelBuilder};
use crate::server::Server;
use crate::transport::memory::MemoryTransport;

/// A channel whose calls `server` answers in this process, over gRPC.
///
/// Everything but the socket is real: messages are encoded and decoded, limits and deadlines are kept, metadata is
/// checked, dropping a call resets it. With `tokio::time::pause` a test of deadlines takes no time.
///
/// ```
/// use trunkline::health::{Health, HealthCheckRequest, HealthClient};
/// use trunkline::{Code, Server, testkit};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> trunkline::Result<()> {
/// let client = HealthClient::new(testkit::pair(Server::new().service(Health::new().service())));
/// let unknown = HealthCheckRequest { service: "no.Such".into(), ..Default::default() };
/// assert_eq!(client.check(unknown).await.unwrap_err().code(), Code::NotFound);
/// # Ok(()) }
/// ```
pub fn pair(server: Server) -> Channel {
    pair_with(server, Channel::builder("memory"))
}

/// As [`pair`], with a protocol, format or limits of one's own. The builder's target and HTTP version are of no account.
///
/// ```
/// use trunkline::health::{Health, HealthCheckRequest, HealthClient};
/// use trunkline::{Channel, Format, Protocol, Server, testkit};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> trunkline::Result<()> {
/// let builder = Channel::builder("memory").protocol(Protocol::Connect).format(Format::JSON);
/// let client = HealthClient::new(testkit::pair_with(Server::new().service(Health::new().service()), builder));
/// client.check(HealthCheckRequest::default()).await?;
/// # Ok(()) }
/// ```
pub fn pair_with(server: Server, builder: ChannelBuilder) -> Channel {
    let dispatch = server.into_dispatch();
    let buffer_bytes_max = dispatch.limits().stream_buffer_bytes_max;
    Channel::over(Arc::new(MemoryTransport::new(Arc::new(dispatch), buffer_bytes_max)), builder)
}
