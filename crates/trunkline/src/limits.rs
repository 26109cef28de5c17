//! Every bound of a server or channel, in one place. docs/limits.md has a row for each.

use std::time::Duration;

/// The bounds that a server or channel keeps. Start from `Limits::default()` and change what must differ.
///
/// ```
/// let mut limits = trunkline::Limits::default();
/// limits.message_bytes_max = 16 << 20;
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// Largest message received, in bytes after inflating. Reached: `ResourceExhausted`.
    pub message_bytes_max: usize,
    /// Messages smaller than this many bytes are sent uncompressed.
    pub compress_bytes_min: usize,
    /// Bytes of response or request body that wait in a stream before the producer must wait.
    pub stream_buffer_bytes_max: usize,
    /// Size of all header fields of one head, in bytes. Reached: HTTP 431, or the stream is reset.
    pub metadata_bytes_max: u32,
    /// Longest time for one call, whatever the peer asked for. Reached: `DeadlineExceeded`.
    pub timeout_max: Duration,
    /// Time for a new connection to say which HTTP it speaks, and for the head of an HTTP/1.1 request. Reached: closed.
    pub head_timeout: Duration,
    /// Bytes of answers that wait while an HTTP/1.1 request is still arriving: that protocol takes turns. Reached:
    /// `ResourceExhausted`.
    pub half_duplex_bytes_max: usize,
    /// Bytes of an HTTP/1.1 request body that are taken after its call has ended, so that the connection can serve the
    /// next call. Reached: closed.
    pub unread_bytes_max: usize,
    /// Time for taking them. Reached: closed.
    pub unread_timeout: Duration,
    /// Silence on an HTTP/2 connection of a server after which the peer is asked whether it is still there (PING).
    pub ping_interval: Duration,
    /// Time for the answer. Reached: the connection is closed, and the handlers of its calls are told.
    pub ping_timeout: Duration,
    /// Time for which an HTTP/2 connection may take no byte of what waits for it. Reached: closed.
    pub write_timeout: Duration,
    /// Time for a TLS handshake. Reached: closed.
    pub handshake_timeout: Duration,
    /// Time for a client to reach the server: DNS, TCP and TLS together. Reached: `Unavailable`.
    pub connect_timeout: Duration,
    /// Connections that a server holds at once. Reached: the next one waits in the listen queue.
    pub connections_max: usize,
    /// Calls at once on one HTTP/2 connection. Reached: the stream is refused.
    pub streams_max: u32,
    /// HTTP/2 connections that a channel makes to its server. One more is made when the server takes no more calls on
    /// those there are; when this many are full, calls wait.
    pub client_connections_max: usize,
    /// Idle HTTP/1.1 connections that a channel keeps. Reached: the next one is closed after its call.
    pub idle_connections_max: usize,
    /// HTTP/2 receive window of one stream, in bytes.
    pub stream_window_bytes: u32,
    /// HTTP/2 receive window of a connection, in bytes.
    pub connection_window_bytes: u32,
    /// Time for open calls and upgraded connections to end after a shutdown was asked for. Reached: they are reset.
    pub drain_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes_max: 4 << 20,
            compress_bytes_min: 1 << 10,
            stream_buffer_bytes_max: 64 << 10,
            metadata_bytes_max: 64 << 10,
            timeout_max: Duration::from_secs(24 * 60 * 60),
            head_timeout: Duration::from_secs(10),
            half_duplex_bytes_max: 4 << 20,
            unread_bytes_max: 1 << 20,
            unread_timeout: Duration::from_secs(5),
            ping_interval: Duration::from_secs(60),
            ping_timeout: Duration::from_secs(20),
            write_timeout: Duration::from_secs(60),
            handshake_timeout: Duration::from_secs(10),
            connect_timeout: Duration::from_secs(10),
            connections_max: 10_000,
            streams_max: 256,
            client_connections_max: 4,
            idle_connections_max: 64,
            stream_window_bytes: 1 << 20,
            connection_window_bytes: 4 << 20,
            drain_timeout: Duration::from_secs(30),
        }
    }
}
