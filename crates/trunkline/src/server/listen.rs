//! Accepts connections, decides what each speaks, and ends them all when told to.
//!
//! The life of a connection, with the limit that bounds each step:
//!
//! 1. accepted, if fewer than `connections_max` are open; otherwise it waits in the listen queue;
//! 2. TLS handshake, within `handshake_timeout`; ALPN may already tell the HTTP version;
//! 3. sniffed, within `head_timeout`: HTTP/2 preface, HTTP/1.x request line, or neither, which closes it;
//! 4. served until the peer leaves or a shutdown begins;
//! 5. during a shutdown: no new calls, those in flight end within `drain_timeout`, then it is closed.

use std::future::{Future, pending};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::Dispatch;
use super::pulse::Pulse;
use super::target::target;
use crate::context::Peer;
use crate::transport::engine::{self, server::Served};
use crate::transport::hyper::server::{Shared, serve_connection};
use crate::transport::sniff::{Spoken, sniff};
#[cfg(feature = "tls")]
use crate::transport::tls::{ServerTls, chose_http2, shown_certificates};
use crate::{Error, Handlers, Http2, Limits, Result};

/// A server that has bound its address.
pub struct Bound {
    listener: TcpListener,
    address: SocketAddr,
    line: Line,
}

/// What every listener of a server has behind it.
pub(super) struct Line {
    behind: Arc<Behind>,
    dispatch: Arc<Dispatch>,
    #[cfg(feature = "tls")]
    tls: Option<tokio_rustls::TlsAcceptor>,
}

/// What every connection of a server shares.
struct Behind {
    shared: Arc<Shared>,
    http2: Http2,
    handlers: Handlers,
}

impl Behind {
    fn limits(&self) -> &Limits {
        &self.shared.limits
    }

    /// Serves a connection that speaks `spoken`, in whoever's hands that is.
    async fn serve<I>(&self, io: I, spoken: Spoken, peer: Peer, told: impl Future<Output = ()> + Send)
    where
        I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        if spoken == Spoken::Http2 && self.http2 == Http2::Engine {
            let Shared { answer, limits } = &*self.shared;
            engine::server::serve_connection(
                io,
                peer,
                Served { answer: &**answer, limits, handlers: self.handlers },
                told,
            )
            .await;
        } else {
            serve_connection(io, spoken, peer, Arc::clone(&self.shared), told).await;
        }
    }
}

/// Where connections come from.
pub(super) trait Accept: Send + Sync {
    type Io: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    /// The next connection, with who is at its other end.
    fn accept(&self) -> impl Future<Output = io::Result<(Self::Io, Peer)>> + Send;
}

/// How long accepting rests when the operating system has no more descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

impl Bound {
    pub(super) fn new(listener: TcpListener, line: Line) -> Result<Self> {
        let address = listener.local_addr().map_err(|error| {
            Error::unavailable(format!("the listener has no address: {error}")).with_source(error)
        })?;
        Ok(Self { listener, address, line })
    }

    /// The address bound, with the real port.
    pub fn local_address(&self) -> SocketAddr {
        self.address
    }

    /// What a client on this machine connects to, such as `http://127.0.0.1:8080`. A server of TLS on the loopback, or on
    /// all addresses, is called `https://localhost:8080`, which its certificate must then name.
    ///
    /// ```
    /// use trunkline::health::{Health, HealthCheckRequest, HealthClient};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> trunkline::Result<()> {
    /// let bound = trunkline::Server::new().service(Health::new().service()).bind("127.0.0.1:0").await?;
    /// let target = bound.target();
    /// tokio::spawn(bound.serve());
    /// HealthClient::connect(&target).await?.check(HealthCheckRequest::default()).await?;
    /// # Ok(()) }
    /// ```
    pub fn target(&self) -> String {
        #[cfg(feature = "tls")]
        let is_tls = self.line.tls.is_some();
        #[cfg(not(feature = "tls"))]
        let is_tls = false;
        target(self.address, is_tls)
    }

    /// Serves until the future is dropped. Dropping it resets all calls.
    pub async fn serve(self) {
        self.serve_until(pending()).await;
    }

    /// Serves until `signal` is ready, then accepts no more, lets the calls in flight end within `drain_timeout`,
    /// and resets what is left. It always returns.
    pub async fn serve_until(self, signal: impl Future<Output = ()> + Send) {
        self.line.serve_until(Tcp { listener: self.listener, address: self.address }, signal).await;
    }
}

struct Tcp {
    listener: TcpListener,
    address: SocketAddr,
}

impl Accept for Tcp {
    type Io = TcpStream;

    async fn accept(&self) -> io::Result<(TcpStream, Peer)> {
        let (stream, address) = self.listener.accept().await?;
        // Small messages shall leave at once; failing to say so costs only delay.
        let _ = stream.set_nodelay(true);
        let peer = Peer { address: Some(address), local_address: Some(self.address), ..Peer::default() };
        Ok((stream, peer))
    }
}

impl Line {
    pub(super) fn new(
        dispatch: Arc<Dispatch>,
        limits: Arc<Limits>,
        (http2, handlers): (Http2, Handlers),
        #[cfg(feature = "tls")] tls: Option<ServerTls>,
    ) -> Self {
        Self {
            dispatch: Arc::clone(&dispatch),
            behind: Arc::new(Behind {
                shared: Arc::new(Shared { answer: dispatch, limits }),
                http2,
                handlers,
            }),
            #[cfg(feature = "tls")]
            tls: tls.map(|tls| tls.config.into()),
        }
    }

    /// Serves what `listener` accepts; see [`Bound::serve_until`].
    pub(super) async fn serve_until(&self, listener: impl Accept, signal: impl Future<Output = ()> + Send) {
        let (stop, stopped) = watch::channel(false);
        let _pulse = Pulse::start();
        let mut connections = JoinSet::new();
        let mut signal = std::pin::pin!(signal);
        loop {
            let room = connections.len() < self.behind.limits().connections_max;
            tokio::select! {
                () = &mut signal => break,
                accepted = listener.accept(), if room => match accepted {
                    Ok((stream, peer)) => {
                        connections.spawn(self.connection(stream, peer, stopped.clone()));
                    }
                    Err(error) if is_of_one_connection(&error) => {}
                    Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
                },
                Some(_) = connections.join_next(), if !connections.is_empty() => {}
            }
        }
        drop(listener);
        // Calls that would stay for as long as the server does are told first.
        self.dispatch.drain();
        // Nobody listens when there is no connection; that is fine.
        let _ = stop.send(true);
        let drained = async { while connections.join_next().await.is_some() {} };
        // What has not ended by then is aborted when the set is dropped.
        let _ = timeout(self.behind.limits().drain_timeout, drained).await;
    }

    /// One connection, from its first byte to its end.
    fn connection<I>(
        &self,
        stream: I,
        peer: Peer,
        mut stopped: watch::Receiver<bool>,
    ) -> impl Future<Output = ()> + Send + use<I>
    where
        I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let behind = Arc::clone(&self.behind);
        #[cfg(feature = "tls")]
        let tls = self.tls.clone();
        async move {
            let told = async move {
                // An error means that the server is gone, which is a reason to stop as well.
                let _ = stopped.wait_for(|stop| *stop).await;
            };
            #[cfg(feature = "tls")]
            if let Some(acceptor) = tls {
                return serve_tls(acceptor, stream, peer, behind, told).await;
            }
            let mut told = std::pin::pin!(told);
            let sniffed = tokio::select! {
                sniffed = timeout(behind.limits().head_timeout, sniff(stream)) => sniffed,
                () = &mut told => return,
            };
            if let Ok(Ok(Some((spoken, io)))) = sniffed {
                behind.serve(io, spoken, peer, told).await;
            }
        }
    }
}

#[cfg(feature = "tls")]
async fn serve_tls<I>(
    acceptor: tokio_rustls::TlsAcceptor,
    stream: I,
    mut peer: Peer,
    behind: Arc<Behind>,
    told: impl Future<Output = ()> + Send,
) where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    peer.tls = true;
    let mut told = std::pin::pin!(told);
    let handshake = tokio::select! {
        handshake = timeout(behind.limits().handshake_timeout, acceptor.accept(stream)) => handshake,
        () = &mut told => return,
    };
    let Ok(Ok(stream)) = handshake else { return };
    let chosen = chose_http2(stream.get_ref().1);
    peer.certificates = shown_certificates(stream.get_ref().1);
    // Even when ALPN has told what will be spoken: hyper would wait for an HTTP/2 preface for ever.
    let sniffed = tokio::select! {
        sniffed = timeout(behind.limits().head_timeout, sniff(stream)) => sniffed,
        () = &mut told => return,
    };
    let Ok(Ok(Some((spoken, io)))) = sniffed else { return };
    // A peer that does not speak what it chose is closed, as RFC 9113, 3.4 asks for a preface that is wrong.
    if chosen.is_none_or(|http2| http2 == (spoken == Spoken::Http2)) {
        behind.serve(io, spoken, peer, told).await;
    }
}

/// Errors of `accept` that concern the connection which failed, not the listener.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

impl std::fmt::Debug for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bound").field("address", &self.address).finish_non_exhaustive()
    }
}

#[cfg(all(test, any(feature = "tls-ring", feature = "tls-aws-lc")))]
mod tests;
