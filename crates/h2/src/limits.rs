//! Every bound of a connection, in one place.

use std::time::Duration;

/// The bounds that one connection keeps. Start from `Limits::default()` and change what must differ.
///
/// A budget is a number of things that a peer may do at once; it refills by the number of the second field each second.
///
/// Values that the protocol cannot say are bent to the nearest that it can: a frame has room for 16 KiB to 16 MiB, a window is
/// one byte to 2^31-1 bytes, and the connection's is never below 64 KiB.
///
/// # Memory
/// Of one peer's making at most: `streams_max` streams of some hundred bytes each; bodies of `unread_bytes_max` and one window
/// of the connection, which the caller holds; one head of four times `head_bytes_max`; one table of 4 KiB in each direction.
/// What is to be transmitted is the caller's to bound: who reads no more while much of it waits is answered no more.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// Streams that the peer may have open at once, those included whose handlers have not ended
    /// (SETTINGS_MAX_CONCURRENT_STREAMS). Reached: REFUSED_STREAM.
    pub streams_max: u32,
    /// Fields of one head, in bytes as RFC 9113, 6.5.2 counts them (SETTINGS_MAX_HEADER_LIST_SIZE). Reached: a server
    /// answers 431, a client resets the stream; a block of four times as many bytes ends the connection.
    pub head_bytes_max: u32,
    /// CONTINUATION frames of one head. Reached: the connection ends.
    pub continuations_max: u32,
    /// Time for a head that comes in several frames, and for a new connection to say its first word. Reached: the
    /// connection ends.
    pub head_timeout: Duration,
    /// Receive window of one stream at first, in bytes (SETTINGS_INITIAL_WINDOW_SIZE).
    pub stream_window_bytes: u32,
    /// Receive window of the connection at first, in bytes.
    pub connection_window_bytes: u32,
    /// What both windows may grow to where the path is long, in bytes.
    pub window_bytes_max: u32,
    /// Bytes of bodies on all streams together that were received and that nobody has taken. Reached: the connection's
    /// window closes until some are taken.
    pub unread_bytes_max: usize,
    /// Largest frame that the peer may send, in bytes (SETTINGS_MAX_FRAME_SIZE).
    pub frame_bytes_max: u32,
    /// Budget of streams that the peer resets, or makes us reset, before their answer has begun. A call that ends well gives
    /// one back. Reached: no more streams are taken (GOAWAY), those open go on.
    pub resets_max: u32,
    /// How much of that budget comes back each second.
    pub resets_per_second: u32,
    /// Budget of frames that carry nothing: PING, SETTINGS, PRIORITY, WINDOW_UPDATE, unknown ones, empty DATA. Bodies in
    /// either direction earn some. Reached: the connection ends.
    pub idle_frames_max: u32,
    /// How much of that budget comes back each second.
    pub idle_frames_per_second: u32,
    /// Silence after which the peer is asked whether it is still there (PING); `None` never asks. Servers of grpc-go close
    /// connections of clients that ask often.
    pub ping_interval: Option<Duration>,
    /// Time for the answer. Reached: the connection ends.
    pub ping_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            streams_max: 256,
            head_bytes_max: 64 << 10,
            continuations_max: 32,
            head_timeout: Duration::from_secs(10),
            stream_window_bytes: 1 << 20,
            connection_window_bytes: 4 << 20,
            window_bytes_max: 16 << 20,
            unread_bytes_max: 16 << 20,
            frame_bytes_max: 16 << 10,
            resets_max: 1024,
            resets_per_second: 128,
            idle_frames_max: 10_000,
            idle_frames_per_second: 1_000,
            ping_interval: Some(Duration::from_secs(60)),
            ping_timeout: Duration::from_secs(20),
        }
    }
}
