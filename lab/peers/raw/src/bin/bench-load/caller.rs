//! The calls of one connection: what each sends, what it awaits, and when the next one begins.
//!
//! It checks how many messages come back and how long they are. It does not decode headers, so a status is not looked at: a call that
//! failed has the wrong number of messages.

use std::collections::VecDeque;
use std::io;
use std::time::Instant;

use bench_raw::frame::{self, Frame};
use bench_raw::grpc;
use bench_raw::socket::{Poll, Socket};

/// What waits in the write buffer before more is written.
const QUEUED_BYTES: usize = 64 << 10;

/// Messages that one stream sends before it is another one's turn.
const TURN: usize = 4;

/// Windows that no server of the lab ever finds closed for long: what is measured is not our flow control.
const STREAM_WINDOW: u32 = 1 << 20;
const CONNECTION_WINDOW: u32 = 1 << 30;

/// Identifiers of streams, halved, up to which a slot is remembered.
const SLOTS: usize = 1 << 16;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Unary,
    ServerStream,
    ClientStream,
    Bidi,
    Ping,
}

/// What all calls have in common, made once.
pub(crate) struct Plan {
    pub(crate) shape: Shape,
    pub(crate) count: usize,
    pub(crate) start: Instant,
    packed: usize,
    inflight: usize,
    /// The header block of the first call of a connection, and that of all others, which finds the fields in the table.
    first: Vec<u8>,
    again: Vec<u8>,
    request: Vec<u8>,
    batch: Vec<u8>,
    batch_bytes: i64,
    answers: usize,
    /// The length of each answer, or 0 when any will do.
    answer_bytes: usize,
}

#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) is_counting: bool,
    pub(crate) calls: u64,
    pub(crate) messages: u64,
    pub(crate) errors: u64,
    /// Tenths of microseconds.
    pub(crate) latencies: Vec<u32>,
}

/// One caller, and the call that it waits for.
#[derive(Default, Clone)]
struct Slot {
    stream: u32,
    left: usize,
    window: i64,
    received: u32,
    prefix: [u8; grpc::PREFIX],
    prefix_bytes: usize,
    body_bytes: usize,
    answers: usize,
    started: u64,
    is_queued: bool,
    is_wrong: bool,
}

pub(crate) struct Connection {
    socket: Socket,
    window: i64,
    stream_window: i64,
    received: u32,
    next: u32,
    slots: Vec<Slot>,
    slot_of: Vec<u16>,
    active: VecDeque<u16>,
    is_known: bool,
}

impl Plan {
    pub(crate) fn new(
        address: &str,
        shape: Shape,
        [count, size, mode]: [usize; 3],
        packed: usize,
        inflight: usize,
        start: Instant,
    ) -> Self {
        let method = match shape {
            Shape::Unary => "Echo",
            Shape::ServerStream => "ServerStream",
            Shape::ClientStream => "ClientStream",
            Shape::Bidi | Shape::Ping => "Bidi",
        };
        let path = format!("/bench.v1.BenchService/{method}");
        let mut first = vec![0x83, 0x86];
        for (name, value) in [
            (":path", path.as_str()),
            (":authority", address),
            ("content-type", "application/grpc"),
            ("te", "trailers"),
            ("user-agent", "bench-load/0.1"),
        ] {
            frame::field(&mut first, 0x40, name, value);
        }
        let message = grpc::message(size);
        let request = match shape {
            Shape::ServerStream => grpc::numbers(&[count as u64, size as u64, mode as u64]),
            _ => message.clone(),
        };
        let mut batch = Vec::new();
        frame::write(&mut batch, frame::DATA, 0, 0, &message.repeat(packed));
        Self {
            shape,
            count,
            start,
            packed,
            inflight,
            first,
            again: vec![0x83, 0x86, 0xc2, 0xc1, 0xc0, 0xbf, 0xbe],
            request,
            batch_bytes: (batch.len() - frame::HEAD) as i64,
            batch,
            answers: if matches!(shape, Shape::Unary | Shape::ClientStream) { 1 } else { count },
            answer_bytes: if shape == Shape::ClientStream { 0 } else { message.len() - grpc::PREFIX },
        }
    }

    fn has_one_request(&self) -> bool {
        matches!(self.shape, Shape::Unary | Shape::ServerStream)
    }

    /// Whether the stream may send more before answers come.
    fn has_room(&self, slot: &Slot) -> bool {
        self.shape != Shape::Bidi
            || (self.count - slot.left).saturating_sub(slot.answers) + self.packed <= self.inflight
    }
}

impl Connection {
    pub(crate) fn new(mut socket: Socket, plan: &Plan, callers: usize, poll: &Poll) -> io::Result<Self> {
        socket.out.extend_from_slice(frame::PREFACE);
        let settings = [(frame::ENABLE_PUSH, 0), (frame::INITIAL_WINDOW_SIZE, STREAM_WINDOW)];
        frame::settings(&mut socket.out, &settings);
        frame::window_update(&mut socket.out, 0, CONNECTION_WINDOW - frame::WINDOW as u32);
        let mut connection = Self {
            socket,
            window: frame::WINDOW,
            stream_window: frame::WINDOW,
            received: 0,
            next: 1,
            slots: vec![Slot::default(); callers],
            slot_of: vec![0; SLOTS],
            active: VecDeque::new(),
            is_known: false,
        };
        for slot in 0..callers {
            connection.begin(slot, plan);
        }
        // Streams go on when the settings of the server have come.
        connection.socket.flush(poll)?;
        Ok(connection)
    }

    /// One turn of the connection.
    ///
    /// # Errors
    /// The server has ended it.
    pub(crate) fn turn(
        &mut self,
        plan: &Plan,
        counts: &mut Counts,
        poll: &Poll,
        is_readable: bool,
    ) -> io::Result<()> {
        if is_readable {
            self.socket.fill()?;
            self.receive(plan, counts)?;
        }
        loop {
            self.send(plan);
            self.socket.flush(poll)?;
            if self.socket.is_full() || self.active.is_empty() || self.window < plan.batch_bytes {
                return Ok(());
            }
        }
    }

    fn begin(&mut self, index: usize, plan: &Plan) {
        let stream = self.next;
        self.next += 2;
        let has_one_request = plan.has_one_request();
        self.slots[index] = Slot {
            stream,
            left: if has_one_request { 0 } else { plan.count },
            window: self.stream_window,
            started: plan.start.elapsed().as_nanos() as u64,
            is_queued: !has_one_request,
            ..Slot::default()
        };
        self.slot_of[(stream >> 1) as usize % SLOTS] = index as u16;
        let block = if self.is_known { &plan.again } else { &plan.first };
        self.is_known = true;
        frame::write(&mut self.socket.out, frame::HEADERS, frame::END_HEADERS, stream, block);
        if has_one_request {
            frame::write(&mut self.socket.out, frame::DATA, frame::END_STREAM, stream, &plan.request);
            self.window -= plan.request.len() as i64;
        } else if plan.shape == Shape::Ping {
            // Never in the queue: the next message leaves when the last one has come back.
            self.send_batch(index, plan);
        } else {
            self.active.push_back(index as u16);
        }
    }

    fn send_batch(&mut self, index: usize, plan: &Plan) {
        let (slot, out) = (&mut self.slots[index], &mut self.socket.out);
        slot.left -= plan.packed;
        let start = out.len();
        out.extend_from_slice(&plan.batch);
        out[start + 5..start + frame::HEAD].copy_from_slice(&slot.stream.to_be_bytes());
        if slot.left == 0 {
            out[start + 4] = frame::END_STREAM;
        }
        slot.window -= plan.batch_bytes;
        self.window -= plan.batch_bytes;
    }

    fn send(&mut self, plan: &Plan) {
        while self.socket.queued() < QUEUED_BYTES && self.window >= plan.batch_bytes {
            let Some(index) = self.active.pop_front() else { return };
            for _ in 0..TURN {
                let slot = &self.slots[usize::from(index)];
                let has_window = slot.window.min(self.window) >= plan.batch_bytes;
                if slot.left == 0 || !has_window || !plan.has_room(slot) {
                    break;
                }
                self.send_batch(usize::from(index), plan);
            }
            let slot = &mut self.slots[usize::from(index)];
            slot.is_queued = slot.left > 0 && slot.window >= plan.batch_bytes && plan.has_room(slot);
            if slot.is_queued {
                self.active.push_back(index);
            }
        }
    }

    fn receive(&mut self, plan: &Plan, counts: &mut Counts) -> io::Result<()> {
        while let Some(frame) = self.socket.frame() {
            let index = usize::from(self.slot_of[(frame.stream >> 1) as usize % SLOTS]);
            let is_current = self.slots.get(index).is_some_and(|slot| slot.stream == frame.stream);
            match frame.kind {
                frame::DATA => self.data(frame, is_current.then_some(index), plan, counts),
                frame::HEADERS if is_current && frame.has(frame::END_STREAM) => {
                    self.end(index, plan, counts, true);
                }
                frame::RST_STREAM if is_current => self.end(index, plan, counts, false),
                frame::SETTINGS if !frame.has(frame::ACK) => self.settings(frame, plan),
                frame::PING if !frame.has(frame::ACK) => {
                    frame::head(&mut self.socket.out, frame.len(), frame::PING, frame::ACK, 0);
                    self.socket.echo(frame);
                }
                frame::WINDOW_UPDATE => {
                    let more = i64::from(frame::number(self.socket.payload(frame)));
                    if frame.stream == 0 {
                        self.window += more;
                    } else if is_current {
                        self.slots[index].window += more;
                        self.queue(index, plan);
                    }
                }
                frame::GOAWAY => return Err(io::Error::other("the server said GOAWAY")),
                _ => {}
            }
        }
        Ok(())
    }

    fn data(&mut self, frame: Frame, index: Option<usize>, plan: &Plan, counts: &mut Counts) {
        self.received += frame.len() as u32;
        if self.received > CONNECTION_WINDOW / 4 {
            frame::window_update(&mut self.socket.out, 0, self.received);
            self.received = 0;
        }
        let Some(index) = index else { return };
        let slot = &mut self.slots[index];
        slot.received += frame.len() as u32;
        if slot.received > STREAM_WINDOW / 2 {
            frame::window_update(&mut self.socket.out, frame.stream, slot.received);
            slot.received = 0;
        }
        let before = slot.answers;
        slot.read(self.socket.payload(frame), plan.answer_bytes);
        let answers = slot.answers - before;
        counts.messages += answers as u64;
        if plan.shape == Shape::Ping {
            for _ in 0..answers {
                if self.slots[index].left > 0 {
                    self.send_batch(index, plan);
                }
            }
        } else if answers > 0 && plan.shape == Shape::Bidi && plan.has_room(&self.slots[index]) {
            self.queue(index, plan);
        }
        if frame.has(frame::END_STREAM) {
            // An answer of gRPC ends with trailers.
            self.end(index, plan, counts, false);
        }
    }

    fn end(&mut self, index: usize, plan: &Plan, counts: &mut Counts, is_good: bool) {
        let slot = &self.slots[index];
        let is_whole = slot.answers == plan.answers && slot.prefix_bytes == 0 && slot.body_bytes == 0;
        if !is_good || !is_whole || slot.is_wrong {
            counts.errors += 1;
        } else if counts.is_counting {
            counts.calls += 1;
            let nanoseconds = plan.start.elapsed().as_nanos() as u64 - slot.started;
            counts.latencies.push((nanoseconds / 100) as u32);
        }
        self.begin(index, plan);
    }

    fn settings(&mut self, frame: Frame, plan: &Plan) {
        if let Some(window) = frame::initial_window(self.socket.payload(frame)) {
            let more = window - self.stream_window;
            self.stream_window = window;
            for index in 0..self.slots.len() {
                self.slots[index].window += more;
                self.queue(index, plan);
            }
        }
        frame::head(&mut self.socket.out, 0, frame::SETTINGS, frame::ACK, 0);
    }

    /// Lets a caller send that could not.
    fn queue(&mut self, index: usize, plan: &Plan) {
        let slot = &mut self.slots[index];
        if !slot.is_queued && slot.left > 0 && slot.window >= plan.batch_bytes {
            slot.is_queued = true;
            self.active.push_back(index as u16);
        }
    }
}

impl Slot {
    /// Counts the answers in `bytes`, which may begin and end anywhere.
    fn read(&mut self, mut bytes: &[u8], answer_bytes: usize) {
        while !bytes.is_empty() {
            if self.body_bytes > 0 {
                let taken = self.body_bytes.min(bytes.len());
                self.body_bytes -= taken;
                bytes = &bytes[taken..];
                self.answers += usize::from(self.body_bytes == 0);
                continue;
            }
            let taken = (grpc::PREFIX - self.prefix_bytes).min(bytes.len());
            self.prefix[self.prefix_bytes..self.prefix_bytes + taken].copy_from_slice(&bytes[..taken]);
            self.prefix_bytes += taken;
            bytes = &bytes[taken..];
            if self.prefix_bytes == grpc::PREFIX {
                self.prefix_bytes = 0;
                self.body_bytes = frame::number(&self.prefix[1..]) as usize;
                self.is_wrong |= answer_bytes != 0 && self.body_bytes != answer_bytes;
            }
        }
    }
}
