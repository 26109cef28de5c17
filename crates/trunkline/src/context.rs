//! What a handler may know of the call it serves: the procedure, the peer, the deadline, and whether the caller is
//! still there.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::Protocol;
use crate::codec::Format;
use crate::procedure::Spec;

/// Facts of one call, the same for every protocol. Cheap to clone.
#[derive(Clone)]
pub struct CallContext {
    facts: Arc<Facts>,
}

pub(crate) struct Facts {
    pub(crate) spec: Spec,
    pub(crate) protocol: Protocol,
    pub(crate) format: Format,
    pub(crate) timeout: Option<Duration>,
    pub(crate) deadline: Option<Instant>,
    pub(crate) peer: Peer,
    pub(crate) gone: Gone,
}

/// Who is at the other end of the connection.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Peer {
    /// The peer's address; `None` for a call in memory.
    pub address: Option<SocketAddr>,
    /// The address that the peer connected to.
    pub local_address: Option<SocketAddr>,
    /// Whether the connection is TLS.
    pub tls: bool,
    /// The certificates that the peer has shown and the server has verified (DER), its own first; empty when it has shown
    /// none, or was not asked.
    pub certificates: Arc<[Bytes]>,
}

impl CallContext {
    pub(crate) fn new(facts: Facts) -> Self {
        Self { facts: Arc::new(facts) }
    }

    /// The procedure called.
    pub fn spec(&self) -> &Spec {
        &self.facts.spec
    }

    /// The protocol that carries the call.
    pub fn protocol(&self) -> Protocol {
        self.facts.protocol
    }

    /// The format of the messages.
    pub fn format(&self) -> Format {
        self.facts.format
    }

    /// The time that the caller allowed for the call, counted from its arrival; `None` when the caller named none.
    pub fn timeout(&self) -> Option<Duration> {
        self.facts.timeout
    }

    /// When the call must have ended: what the caller allowed, within this server's limit.
    pub fn deadline(&self) -> Option<Instant> {
        self.facts.deadline
    }

    /// Who calls.
    pub fn peer(&self) -> &Peer {
        &self.facts.peer
    }

    /// Whether the call is over for the caller: it left, cancelled, or its deadline passed.
    pub fn is_canceled(&self) -> bool {
        self.facts.gone.is_set()
    }

    /// Waits until the call is over for the caller. The handler itself is dropped at that moment; this is for work
    /// that it has started elsewhere.
    ///
    /// ```
    /// # use trunkline::{Request, Response, Result};
    /// async fn report(request: Request<String>) -> Result<Response<String>> {
    ///     if let Some(context) = request.context().cloned() {
    ///         tokio::spawn(async move {
    ///             context.canceled().await;
    ///             // Stop what was started for this caller.
    ///         });
    ///     }
    ///     Ok(Response::new("started".to_owned()))
    /// }
    /// ```
    ///
    /// # Cancel safety
    /// Safe: nothing is lost when the future is dropped.
    pub async fn canceled(&self) {
        self.facts.gone.wait().await;
    }
}

impl fmt::Debug for CallContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallContext")
            .field("spec", &self.facts.spec)
            .field("protocol", &self.facts.protocol)
            .field("format", &self.facts.format)
            .field("peer", &self.facts.peer)
            .finish_non_exhaustive()
    }
}

/// A flag that is raised once, and can be waited for.
#[derive(Debug, Default)]
pub(crate) struct Gone {
    raised: AtomicBool,
    notify: Notify,
}

impl Gone {
    pub(crate) fn raise(&self) {
        self.raised.store(true, Ordering::Release);
        self.notify.notify_waiters();
    }

    pub(crate) fn is_set(&self) -> bool {
        self.raised.load(Ordering::Acquire)
    }

    pub(crate) async fn wait(&self) {
        let mut notified = std::pin::pin!(self.notify.notified());
        // Registered before the flag is read, so that a raise between the two is not lost.
        notified.as_mut().enable();
        if !self.is_set() {
            notified.await;
        }
    }
}

/// Raises the flag of a call when dropped: whatever ends a call, those who wait for its end are told.
pub(crate) struct GoneOnDrop(pub(crate) CallContext);

impl Drop for GoneOnDrop {
    fn drop(&mut self) {
        self.0.facts.gone.raise();
    }
}

#[cfg(test)]
mod tests;
