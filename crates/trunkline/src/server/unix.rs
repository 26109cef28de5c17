//! A server on a Unix socket: for clients on the same machine, with the rights of a file.

use std::future::{Future, pending};
use std::io;
use std::path::{Path, PathBuf};

use tokio::net::{UnixListener, UnixStream};

use super::listen::{Accept, Line};
use crate::context::Peer;
use crate::{Error, Result};

/// A server that has bound a Unix socket. The socket's file is removed when it is dropped.
pub struct BoundUnix {
    listener: UnixListener,
    file: SocketFile,
    line: Line,
}

impl BoundUnix {
    /// Binds `path`. A file that an earlier server has left there, and nobody answers any more, is taken over.
    pub(super) async fn bind(path: &Path, line: Line) -> Result<Self> {
        let bound = match UnixListener::bind(path) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && is_left_over(path).await => {
                std::fs::remove_file(path).and_then(|()| UnixListener::bind(path))
            }
            bound => bound,
        };
        let listener = bound.map_err(|error| {
            Error::unavailable(format!("cannot listen on unix:{}: {error}", path.display()))
                .with_source(error)
        })?;
        Ok(Self { listener, file: SocketFile(path.to_owned()), line })
    }

    /// The path of the socket.
    pub fn path(&self) -> &Path {
        &self.file.0
    }

    /// What a client on this machine connects to: `unix:` and the path.
    ///
    /// ```no_run
    /// # async fn run(server: trunkline::Server) -> trunkline::Result<()> {
    /// let bound = server.bind_unix("/run/greet.sock").await?;
    /// assert_eq!(bound.target(), "unix:/run/greet.sock");
    /// # Ok(()) }
    /// ```
    pub fn target(&self) -> String {
        format!("unix:{}", self.file.0.display())
    }

    /// Serves until the future is dropped. Dropping it resets all calls.
    pub async fn serve(self) {
        self.serve_until(pending()).await;
    }

    /// As [`Bound::serve_until`](super::Bound::serve_until).
    pub async fn serve_until(self, signal: impl Future<Output = ()> + Send) {
        self.line.serve_until(Unix { listener: self.listener, _file: self.file }, signal).await;
    }
}

impl std::fmt::Debug for BoundUnix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BoundUnix").field("path", &self.file.0).finish_non_exhaustive()
    }
}

struct Unix {
    listener: UnixListener,
    _file: SocketFile,
}

impl Accept for Unix {
    type Io = UnixStream;

    async fn accept(&self) -> io::Result<(UnixStream, Peer)> {
        let (stream, _) = self.listener.accept().await?;
        Ok((stream, Peer::default()))
    }
}

/// A socket in the file system, which outlives its listener unless somebody removes it.
struct SocketFile(PathBuf);

impl Drop for SocketFile {
    fn drop(&mut self) {
        // Whoever removed it before has done the same.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Whether `path` is a socket at whose other end nobody listens. Any other file is left alone.
async fn is_left_over(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let is_socket = std::fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket());
    is_socket
        && UnixStream::connect(path)
            .await
            .is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}
