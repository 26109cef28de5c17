//! A client and a server of ours without anything between them, in virtual time, and a model of what each must be told.
//!
//! Every choice comes from outside, from a seed or from the bytes of a fuzzer, so that a failure can be seen again. It knows the
//! public interface only; what else is true of two machines at rest says [`agree`](super::agree).

use std::time::{Duration, Instant};

use super::model::{Body, End, Stream, byte_at, trailers_of};
use super::{
    BytesMut, Connection, Event, HeaderMap, Limits, Method, Reason, SendFault, Sent, StatusCode, Uri,
    some_instant,
};

/// Gives a number below the one that it is asked with, which is not zero.
pub(crate) type Choose<'a> = &'a mut dyn FnMut(usize) -> usize;

/// Index of the client among the two sides.
pub(crate) const CLIENT: usize = 0;

/// Index of the server.
pub(crate) const SERVER: usize = 1;

/// Two machines and all their streams.
pub(crate) struct Simulation {
    pub(crate) machines: [Connection; 2],
    /// Bytes that have come to each side and are not understood yet.
    inputs: [BytesMut; 2],
    pub(crate) streams: Vec<Stream>,
    now: Instant,
    /// Which side has been told to leave.
    left: [bool; 2],
    /// The largest piece of a body; in proportion to the windows, or a run would take for ever.
    piece_bytes_max: usize,
}

impl Simulation {
    pub(crate) fn new(choose: Choose<'_>) -> Self {
        let now = some_instant();
        let of_client = limits(choose);
        let of_server = limits(choose);
        let window = of_client.stream_window_bytes.min(of_server.stream_window_bytes) as usize;
        let piece_bytes_max = window.saturating_mul(6).min(40_000);
        let machines = [Connection::client(of_client, now), Connection::server(of_server, now)];
        let inputs = [BytesMut::new(), BytesMut::new()];
        Self { machines, inputs, streams: Vec::new(), now, left: [false; 2], piece_bytes_max }
    }

    /// Does one thing.
    pub(crate) fn step(&mut self, choose: Choose<'_>) {
        let side = choose(2);
        match choose(32) {
            0..=3 => self.open(choose),
            4..=7 => self.respond(choose),
            8..=15 => self.send(side, choose),
            16..=17 => self.end(side, choose),
            18 => self.reset(side, choose),
            19..=22 => self.release(side, choose),
            23 => self.pass(choose(20)),
            24 if choose(16) == 0 => self.leave(side),
            _ => self.carry(side, choose),
        }
    }

    /// Ends everything that has begun, as a good program does, and brings all bytes over. Checks what must be true then.
    pub(crate) fn finish(mut self) {
        for _ in 0..ROUNDS_MAX {
            for place in 0..self.streams.len() {
                self.finish_stream(place);
            }
            let carried = self.carry_all();
            self.pass(1);
            let released = self.release_all();
            if carried + released == 0 && self.streams.iter().all(Stream::is_over) {
                break;
            }
        }
        for stream in &self.streams {
            assert!(stream.is_over(), "this never ended: {stream:?}");
        }
        let open = [CLIENT, SERVER].map(|side| self.machines[side].open_streams());
        assert_eq!(open, [0, 0], "streams that are open");
        for side in [CLIENT, SERVER] {
            assert_eq!(self.machines[side].is_over(), self.left[side], "side {side} has left and is over");
        }
        super::agree(&self.machines);
        self.outlast_silence();
        super::agree(&self.machines);
    }

    fn open(&mut self, choose: Choose<'_>) {
        let ended = choose(4) == 0;
        let uri = Uri::from_static("http://a.example/p.S/M");
        let machine = &mut self.machines[CLIENT];
        let has_room = machine.has_room();
        let opened = machine.open(&Method::POST, &uri, &HeaderMap::new(), ended);
        assert_eq!(opened.is_ok(), has_room);
        if let Ok(key) = opened {
            self.streams.push(Stream::opened(key, ended));
        }
    }

    fn respond(&mut self, choose: Choose<'_>) {
        let Some(place) = self.one_of(SERVER, choose) else { return };
        let ended = choose(6) == 0;
        self.respond_to(place, ended);
    }

    fn respond_to(&mut self, place: usize, ended: bool) {
        let stream = &mut self.streams[place];
        let Some(key) = stream.keys[SERVER] else { return };
        let result = self.machines[SERVER].send_response(key, StatusCode::OK, &HeaderMap::new(), ended);
        match result {
            Ok(()) => {
                assert!(!stream.answered, "answered twice");
                stream.answered = true;
                stream.bodies[SERVER].done |= ended;
                if ended {
                    stream.bodies[SERVER].end = Some(End::Plain);
                }
            }
            Err(SendFault::Order) => assert!(stream.answered),
            Err(SendFault::Gone) => assert!(stream.is_cut || stream.answered),
        }
    }

    /// More of a body, and an attempt to send it.
    fn send(&mut self, side: usize, choose: Choose<'_>) {
        let Some(place) = self.one_of(side, choose) else { return };
        let bytes = choose(self.piece_bytes_max + 1);
        let stream = &mut self.streams[place];
        let id = stream.id;
        let body = &mut stream.bodies[side];
        if body.end.is_none() {
            let from = body.written;
            body.pending.extend((from..from + bytes).map(|offset| byte_at(id, side, offset)));
            body.written += bytes;
        }
        let share = if choose(2) == 0 { usize::MAX } else { choose(self.piece_bytes_max + 1) };
        self.push(place, side, share);
    }

    fn end(&mut self, side: usize, choose: Choose<'_>) {
        let Some(place) = self.one_of(side, choose) else { return };
        let end = if choose(2) == 0 { End::Plain } else { End::Trailers };
        self.streams[place].bodies[side].end.get_or_insert(end);
        self.push(place, side, usize::MAX);
    }

    /// Sends what is pending.
    fn push(&mut self, place: usize, side: usize, share: usize) {
        let stream = &mut self.streams[place];
        let Some(key) = stream.keys[side] else { return };
        if stream.bodies[side].done || (side == SERVER && !stream.answered) {
            return;
        }
        let machine = &mut self.machines[side];
        let body = &mut stream.bodies[side];
        let (before, ended) = (body.pending.len(), body.end == Some(End::Plain));
        let result = machine.send_data(key, &mut body.pending, ended, share);
        body.sent += before - body.pending.len();
        assert!(before - body.pending.len() <= share, "more than the share");
        match result {
            Ok(Sent::All) => {
                assert!(body.pending.is_empty());
                body.done = ended;
                if body.end == Some(End::Trailers) {
                    machine.send_trailers(key, &trailers_of(stream.id, side)).expect("the body is sent");
                    body.done = true;
                }
            }
            Ok(Sent::Blocked) => body.is_blocked = true,
            Ok(Sent::Share) => {}
            Err(SendFault::Gone) => assert!(stream.is_cut, "{stream:?}"),
            Err(SendFault::Order) => panic!("out of order: {stream:?}"),
        }
    }

    fn reset(&mut self, side: usize, choose: Choose<'_>) {
        let Some(place) = self.one_of(side, choose) else { return };
        let stream = &mut self.streams[place];
        let Some(key) = stream.keys[side] else { return };
        if self.machines[side].is_open(key) {
            self.machines[side].reset(key, Reason::CANCEL);
            assert!(!self.machines[side].is_open(key));
            stream.is_cut = true;
        }
    }

    fn release(&mut self, side: usize, choose: Choose<'_>) {
        let Some(place) = self.one_of(side, choose) else { return };
        let unread = self.streams[place].unread[side];
        self.release_of(place, side, choose(unread + 1));
    }

    fn release_of(&mut self, place: usize, side: usize, bytes: usize) {
        let stream = &mut self.streams[place];
        let Some(key) = stream.keys[side].filter(|_| bytes > 0) else { return };
        stream.unread[side] -= bytes;
        self.machines[side].release(key, bytes, self.now);
    }

    fn release_all(&mut self) -> usize {
        let mut released = 0;
        for place in 0..self.streams.len() {
            for side in [CLIENT, SERVER] {
                let bytes = self.streams[place].unread[side];
                self.release_of(place, side, bytes);
                released += bytes;
            }
        }
        released
    }

    fn leave(&mut self, side: usize) {
        self.machines[side].shut_down(self.now);
        self.left[side] = true;
    }

    fn pass(&mut self, millis: usize) {
        self.now += Duration::from_millis(millis as u64);
        for machine in &mut self.machines {
            if machine.timeout().is_some_and(|due| due <= self.now) {
                machine.on_timeout(self.now);
            }
        }
    }

    /// Some bytes of `side` come to the other one.
    fn carry(&mut self, side: usize, choose: Choose<'_>) {
        let bytes = self.machines[side].poll_transmit();
        let length = if choose(2) == 0 { bytes.len() } else { choose(bytes.len() + 1) };
        self.carry_bytes(side, length);
    }

    fn carry_bytes(&mut self, side: usize, length: usize) {
        let other = 1 - side;
        self.inputs[other].extend_from_slice(&self.machines[side].poll_transmit()[..length]);
        self.machines[side].transmitted(length);
        self.hear_all(other);
    }

    fn hear_all(&mut self, side: usize) {
        while let Some(event) = self.poll(side) {
            self.hear(side, event);
        }
    }

    fn poll(&mut self, side: usize) -> Option<Event> {
        let event = self.machines[side].poll_event(&mut self.inputs[side], self.now);
        event.unwrap_or_else(|fault| panic!("side {side} finds fault with the other: {fault}"))
    }

    fn carry_all(&mut self) -> usize {
        let mut carried = 0;
        for side in [CLIENT, SERVER] {
            while self.machines[side].transmit_bytes() > 0 {
                let length = self.machines[side].poll_transmit().len();
                self.carry_bytes(side, length);
                carried += length;
            }
            self.hear_all(side);
        }
        carried
    }

    /// Compares what a side is told with what the other did.
    fn hear(&mut self, side: usize, event: Event) {
        let other = 1 - side;
        match event {
            Event::Request { stream: key, ended, .. } => {
                let stream = self.streams.iter_mut().find(|stream| stream.id == key.id());
                let stream = stream.expect("a request that nobody made");
                assert!(side == SERVER && stream.keys[SERVER].replace(key).is_none(), "told twice");
                stream.bodies[CLIENT].hear_head(ended);
            }
            Event::Response { stream: key, ended, .. } => {
                let stream = self.stream(side, key.id());
                assert!(side == CLIENT && stream.answered, "nobody has answered");
                stream.bodies[SERVER].hear_head(ended);
            }
            Event::Data { stream: key, data, ended } => {
                let stream = self.stream(side, key.id());
                stream.bodies[other].hear(key.id(), other, &data, ended);
                stream.unread[side] += data.len();
            }
            Event::Trailers { stream: key, fields } => {
                let body = &mut self.stream(side, key.id()).bodies[other];
                body.hear_trailers(&fields, &trailers_of(key.id(), other));
            }
            Event::Reset { stream: key, by_peer, reason } => {
                assert!(by_peer, "a rule was broken: {reason}");
                let is_open = self.machines[side].is_open(key);
                let stream = self.stream(side, key.id());
                assert!(
                    !is_open && (stream.is_cut || reason == Reason::REFUSED_STREAM),
                    "{stream:?}: {reason}"
                );
                stream.is_cut = true;
            }
            Event::Writable { stream: key } => self.stream(side, key.id()).bodies[side].is_blocked = false,
            Event::GoingAway { reason, .. } => assert_eq!(reason, Reason::NO_ERROR),
            Event::Room => assert_eq!(side, CLIENT),
        }
    }

    fn stream(&mut self, side: usize, id: u32) -> &mut Stream {
        let stream = self.streams.iter_mut().find(|stream| stream.id == id && stream.keys[side].is_some());
        stream.expect("a stream that this side does not know")
    }

    /// A stream that this side knows and that goes on, one of the last few.
    fn one_of(&self, side: usize, choose: Choose<'_>) -> Option<usize> {
        let going: Vec<usize> = (0..self.streams.len())
            .rev()
            .filter(|place| self.streams[*place].keys[side].is_some() && !self.streams[*place].is_settled())
            .take(8)
            .collect();
        if going.is_empty() { None } else { Some(going[choose(going.len())]) }
    }

    fn finish_stream(&mut self, place: usize) {
        if !self.streams[place].answered {
            self.respond_to(place, false);
        }
        for side in [CLIENT, SERVER] {
            let body: &mut Body = &mut self.streams[place].bodies[side];
            body.end.get_or_insert(End::Plain);
            // Only a side that has been told may try again: a wake-up that is lost shows as a body that never ends.
            if !body.is_blocked && !self.streams[place].is_cut {
                self.push(place, side, usize::MAX);
            }
        }
    }

    /// A day in which nothing happens but pings.
    fn outlast_silence(&mut self) {
        for _ in 0..100 {
            let due = self.machines.iter().filter_map(Connection::timeout).min();
            self.now = due.expect("somebody asks for a sign of life");
            self.pass(0);
            while self.carry_all() > 0 {}
        }
    }
}

/// How often everything is brought over before it is too often.
const ROUNDS_MAX: usize = 200_000;

fn limits(choose: Choose<'_>) -> Limits {
    let mut limits = Limits::default();
    let windows = [1, 2, 9, 100, 1000, 20_000, 65_535, 70_000, 1 << 20];
    limits.stream_window_bytes = windows[choose(windows.len())];
    limits.connection_window_bytes = windows[choose(windows.len())];
    limits.window_bytes_max = windows[choose(windows.len())];
    limits.unread_bytes_max = [1, 100, 10_000, 16 << 20][choose(4)];
    limits.frame_bytes_max = [16 << 10, 20_000, 1 << 20][choose(3)];
    limits.streams_max = [1, 2, 5, 256][choose(4)];
    // Anything may be chosen here, also what would be an attack.
    (limits.resets_max, limits.idle_frames_max) = (u32::MAX, u32::MAX);
    limits
}
