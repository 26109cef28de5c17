//! The signals that ask the process to stop. It knows nothing of what is running.

use crate::failure::Failure;

/// Listens for Ctrl-C and, where there is such a thing, for SIGTERM.
pub(super) struct Signals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl Signals {
    /// From here on the signals no longer end the process by themselves.
    #[cfg(unix)]
    pub(super) fn listen() -> Result<Self, Failure> {
        use tokio::signal::unix::{SignalKind, signal};
        let cannot = |error| Failure::new("cannot listen for signals").seen(error);
        Ok(Self {
            interrupt: signal(SignalKind::interrupt()).map_err(cannot)?,
            terminate: signal(SignalKind::terminate()).map_err(cannot)?,
        })
    }

    /// From the first wait on Ctrl-C no longer ends the process by itself.
    #[cfg(not(unix))]
    pub(super) fn listen() -> Result<Self, Failure> {
        Ok(Self {})
    }

    /// Waits for the next signal.
    #[cfg(unix)]
    pub(super) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }

    /// Waits for the next Ctrl-C.
    #[cfg(not(unix))]
    pub(super) async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            // Without the signal the process is ended by other means.
            std::future::pending::<()>().await;
        }
    }
}
