//! `bench-floor PORT SHAPE [COUNT] [SIZE] [MESSAGES IN A FRAME]`: what a server costs that handles frames and nothing else.
//!
//! It answers each stream as the shape says, without reading what it is asked for. It serves one shape at a time, because it does not
//! decode the path that would tell.

#![forbid(unsafe_code)]

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};
use std::io;
use std::net::TcpListener;

use bench_raw::frame::{self, Frame};
use bench_raw::grpc;
use bench_raw::socket::{Poll, Socket};

/// What waits in the write buffer before other streams have to.
const QUEUED_BYTES: usize = 64 << 10;

/// Frames that one stream sends before it is another one's turn.
const TURN: usize = 16;

/// The largest DATA frame that is written, RFC 9113 section 6.5.2.
const FRAME_BYTES: i64 = 16_384;

const LISTENER: u64 = u64::MAX;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Unary,
    ServerStream,
    ClientStream,
    Bidi,
}

/// The answers, made once.
struct Script {
    shape: Shape,
    count: usize,
    packed: usize,
    head: Vec<u8>,
    tail: Vec<u8>,
    message: Vec<u8>,
    batch: Vec<u8>,
    summary: Vec<u8>,
}

struct Stream {
    left: usize,
    window: i64,
    received: u32,
    pending: Vec<u8>,
    is_ended: bool,
    /// Out of the window, or of the turn of those that have something to send.
    is_parked: bool,
}

struct Connection {
    socket: Socket,
    is_greeted: bool,
    window: i64,
    stream_window: i64,
    received: u32,
    streams: HashMap<u32, Stream, BuildHasherDefault<Spread>>,
    active: VecDeque<u32>,
}

/// Stream identifiers are as good as random already.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_u32(&mut self, value: u32) {
        self.0 = u64::from(value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

impl Script {
    fn parse(words: &[String]) -> Option<Self> {
        let shape = match words.first()?.as_str() {
            "unary" => Shape::Unary,
            "sstream" => Shape::ServerStream,
            "cstream" => Shape::ClientStream,
            "bidi" => Shape::Bidi,
            _ => return None,
        };
        let number = |index: usize, default: usize| {
            words.get(index).map_or(Some(default), |word| word.parse().ok().filter(|number| *number > 0))
        };
        let (count, size, packed) = (number(1, 1000)?, number(2, 100)?, number(3, 1)?);
        let mut head = vec![0x88];
        frame::field(&mut head, 0, "content-type", "application/grpc");
        let mut tail = Vec::new();
        frame::field(&mut tail, 0, "grpc-status", "0");
        let message = grpc::message(size);
        let summary = grpc::numbers(&[count as u64, (count * size) as u64]);
        Some(Self { shape, count, packed, head, tail, batch: message.repeat(packed), message, summary })
    }
}

impl Connection {
    fn new(mut socket: Socket) -> Self {
        let settings = [(frame::MAX_CONCURRENT_STREAMS, 1000), (frame::INITIAL_WINDOW_SIZE, 4 << 20)];
        frame::settings(&mut socket.out, &settings);
        frame::window_update(&mut socket.out, 0, 0x7fff_ffff - frame::WINDOW as u32);
        Self {
            socket,
            is_greeted: false,
            window: frame::WINDOW,
            stream_window: frame::WINDOW,
            received: 0,
            streams: HashMap::default(),
            active: VecDeque::new(),
        }
    }

    /// One turn of the connection.
    ///
    /// # Errors
    /// It has ended.
    fn turn(&mut self, script: &Script, poll: &Poll, is_readable: bool) -> io::Result<()> {
        if is_readable {
            self.socket.fill()?;
            self.receive(script);
        }
        loop {
            self.send(script);
            self.socket.flush(poll)?;
            let is_stuck = self.socket.is_full() || self.window < script.batch.len() as i64;
            if is_stuck || self.active.is_empty() {
                return Ok(());
            }
        }
    }

    fn receive(&mut self, script: &Script) {
        if !self.is_greeted {
            if !self.socket.skip(frame::PREFACE.len()) {
                return;
            }
            self.is_greeted = true;
        }
        while let Some(frame) = self.socket.frame() {
            match frame.kind {
                frame::HEADERS if script.shape != Shape::Unary => self.open(script, frame.stream),
                frame::DATA => self.data(script, frame),
                frame::SETTINGS if !frame.has(frame::ACK) => self.settings(frame, script.shape),
                frame::PING if !frame.has(frame::ACK) => {
                    frame::head(&mut self.socket.out, frame.len(), frame::PING, frame::ACK, 0);
                    self.socket.echo(frame);
                }
                frame::WINDOW_UPDATE => self.window_update(frame, script.shape),
                frame::RST_STREAM => {
                    self.streams.remove(&frame.stream);
                }
                _ => {}
            }
        }
    }

    fn open(&mut self, script: &Script, stream: u32) {
        let fresh = Stream {
            left: script.count,
            window: self.stream_window,
            received: 0,
            pending: Vec::new(),
            is_ended: false,
            is_parked: false,
        };
        self.streams.insert(stream, fresh);
        frame::write(&mut self.socket.out, frame::HEADERS, frame::END_HEADERS, stream, &script.head);
    }

    fn data(&mut self, script: &Script, frame: Frame) {
        self.received += frame.len() as u32;
        if self.received > 16 << 20 {
            frame::window_update(&mut self.socket.out, 0, self.received);
            self.received = 0;
        }
        let is_end = frame.has(frame::END_STREAM);
        match script.shape {
            Shape::Unary if is_end => {
                let out = &mut self.socket.out;
                frame::write(out, frame::HEADERS, frame::END_HEADERS, frame.stream, &script.head);
                frame::write(out, frame::DATA, 0, frame.stream, &script.message);
                self.window -= script.message.len() as i64;
                self.close(script, frame.stream);
            }
            Shape::ServerStream if is_end => self.active.push_back(frame.stream),
            Shape::Unary | Shape::ServerStream => {}
            Shape::ClientStream => {
                self.account(frame, is_end);
                if is_end {
                    frame::write(&mut self.socket.out, frame::DATA, 0, frame.stream, &script.summary);
                    self.window -= script.summary.len() as i64;
                    self.close(script, frame.stream);
                }
            }
            Shape::Bidi => {
                self.account(frame, is_end);
                self.echo(script, frame, is_end);
            }
        }
    }

    /// Gives the window of a stream back.
    fn account(&mut self, frame: Frame, is_end: bool) {
        let Some(stream) = self.streams.get_mut(&frame.stream) else { return };
        stream.received += frame.len() as u32;
        if stream.received > 1 << 20 && !is_end {
            frame::window_update(&mut self.socket.out, frame.stream, stream.received);
            stream.received = 0;
        }
    }

    fn echo(&mut self, script: &Script, frame: Frame, is_end: bool) {
        let Some(stream) = self.streams.get_mut(&frame.stream) else { return };
        let length = frame.len() as i64;
        if !stream.pending.is_empty() || stream.window < length || self.window < length {
            stream.pending.extend_from_slice(self.socket.payload(frame));
            stream.is_ended = is_end;
            if !stream.is_parked {
                stream.is_parked = true;
                self.active.push_back(frame.stream);
            }
            return;
        }
        if length > 0 {
            frame::head(&mut self.socket.out, frame.len(), frame::DATA, 0, frame.stream);
            self.socket.echo(frame);
            stream.window -= length;
            self.window -= length;
        }
        if is_end {
            self.close(script, frame.stream);
        }
    }

    fn close(&mut self, script: &Script, stream: u32) {
        let flags = frame::END_HEADERS | frame::END_STREAM;
        frame::write(&mut self.socket.out, frame::HEADERS, flags, stream, &script.tail);
        self.streams.remove(&stream);
    }

    fn settings(&mut self, frame: Frame, shape: Shape) {
        if let Some(window) = frame::initial_window(self.socket.payload(frame)) {
            let more = window - self.stream_window;
            self.stream_window = window;
            for (id, stream) in &mut self.streams {
                stream.window += more;
                unpark(&mut self.active, *id, stream, shape);
            }
        }
        frame::head(&mut self.socket.out, 0, frame::SETTINGS, frame::ACK, 0);
    }

    fn window_update(&mut self, frame: Frame, shape: Shape) {
        let more = i64::from(frame::number(self.socket.payload(frame)));
        if frame.stream == 0 {
            self.window += more;
        } else if let Some(stream) = self.streams.get_mut(&frame.stream) {
            stream.window += more;
            unpark(&mut self.active, frame.stream, stream, shape);
        }
    }

    /// Lets the streams that have something to send do so, in turns.
    fn send(&mut self, script: &Script) {
        while self.socket.queued() < QUEUED_BYTES && self.window > 0 {
            let Some(id) = self.active.pop_front() else { return };
            match script.shape {
                Shape::ServerStream => {
                    if !self.produce(script, id) {
                        return;
                    }
                }
                _ => self.drain(script, id),
            }
        }
    }

    /// The turn of a stream of answers; no, when the connection has no window left.
    fn produce(&mut self, script: &Script, id: u32) -> bool {
        let Some(stream) = self.streams.get_mut(&id) else { return true };
        let length = script.batch.len() as i64;
        let mut turn = TURN;
        while stream.left > 0 && turn > 0 && self.window >= length && stream.window >= length {
            frame::write(&mut self.socket.out, frame::DATA, 0, id, &script.batch);
            stream.left -= script.packed.min(stream.left);
            stream.window -= length;
            self.window -= length;
            turn -= 1;
        }
        if stream.left == 0 {
            self.close(script, id);
        } else if stream.window < length {
            stream.is_parked = true;
        } else if self.window < length {
            self.active.push_front(id);
            return false;
        } else {
            self.active.push_back(id);
        }
        true
    }

    /// The turn of an echo that had to wait for window.
    fn drain(&mut self, script: &Script, id: u32) {
        let Some(stream) = self.streams.get_mut(&id) else { return };
        let room = stream.window.min(self.window).clamp(0, FRAME_BYTES) as usize;
        let count = stream.pending.len().min(room);
        if count > 0 {
            frame::write(&mut self.socket.out, frame::DATA, 0, id, &stream.pending[..count]);
            stream.pending.drain(..count);
            stream.window -= count as i64;
            self.window -= count as i64;
        }
        if stream.pending.is_empty() {
            stream.is_parked = false;
            if stream.is_ended {
                self.close(script, id);
            }
        } else if stream.window > 0 {
            self.active.push_back(id);
        }
    }
}

/// A stream that has waited for window is active again.
fn unpark(active: &mut VecDeque<u32>, id: u32, stream: &mut Stream, shape: Shape) {
    if stream.is_parked {
        active.push_back(id);
        stream.is_parked = shape != Shape::ServerStream;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let port = words.first().and_then(|word| word.parse().ok());
    let (Some(port), Some(script)) = (port, Script::parse(words.get(1..).unwrap_or_default())) else {
        return Err(
            "usage: bench-floor PORT unary|sstream|cstream|bidi [COUNT] [SIZE] [MESSAGES IN A FRAME]".into(),
        );
    };
    let listener = TcpListener::bind(("127.0.0.1", port))?;
    let mut poll = Poll::new()?;
    poll.add(&listener, LISTENER)?;
    let mut connections: Vec<Option<Connection>> = Vec::new();
    loop {
        for (token, is_readable) in poll.wait(None)? {
            if token == LISTENER {
                let socket = Socket::new(listener.accept()?.0, &poll, connections.len() as u64)?;
                connections.push(Some(Connection::new(socket)));
                continue;
            }
            let slot = &mut connections[token as usize];
            if slot.as_mut().is_some_and(|connection| connection.turn(&script, &poll, is_readable).is_err()) {
                *slot = None;
            }
        }
    }
}
