//! One machine and a peer that is only bytes: what the machine says and sends, as text.

use std::time::Instant;

use super::cases::{Case, FLAGS, HELLO, KINDS, PREFACE, SETTINGS, Step};
use super::{
    BytesMut, Connection, Decoder, Event, Fault, HeaderMap, Method, Reason, Role, StatusCode, StreamKey, Uri,
    some_instant,
};

/// How the bytes of a step come.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Feed {
    /// All at once.
    Whole,
    /// One at a time.
    Bytes,
    /// Two parts, the first of this length.
    Cut(usize),
}

/// A machine and what it has said.
pub(crate) struct Talk {
    pub(crate) machine: Connection,
    pub(crate) now: Instant,
    input: BytesMut,
    decoder: Decoder,
    /// Streams by number, as events or `open` named them.
    streams: Vec<StreamKey>,
    /// Since it was last taken.
    said: Vec<String>,
    /// The connection has ended.
    pub(crate) fault: Option<Fault>,
}

impl Talk {
    /// A machine of this case. Unless the case is a raw one, both sides have said their first words.
    pub(crate) fn new(case: &Case) -> Self {
        let now = some_instant();
        let machine = match case.role {
            Role::Client => Connection::client(case.limits.clone(), now),
            Role::Server => Connection::server(case.limits.clone(), now),
        };
        let (input, decoder) = (BytesMut::new(), Decoder::new(4096));
        let mut talk =
            Self { machine, now, input, decoder, streams: Vec::new(), said: Vec::new(), fault: None };
        if !case.raw {
            let preface: &[u8] = if case.role == Role::Server { PREFACE } else { b"" };
            talk.feed(preface);
            talk.feed(&HELLO);
            talk.take_said();
        }
        talk
    }

    /// Runs a step and gives what was said: events in order, then frames.
    pub(crate) fn run(&mut self, step: &Step, feed: Feed) -> Vec<String> {
        match step {
            Step::Come(bytes) => match feed {
                Feed::Whole => self.feed(bytes),
                Feed::Bytes => bytes.chunks(1).for_each(|byte| self.feed(byte)),
                Feed::Cut(place) => {
                    let (first, rest) = bytes.split_at(place.min(bytes.len()));
                    self.feed(first);
                    self.feed(rest);
                }
            },
            Step::Do(words) => self.act(&words.iter().map(String::as_str).collect::<Vec<_>>()),
        }
        self.take_said()
    }

    /// Bytes come.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.input.extend_from_slice(bytes);
        while self.fault.is_none() {
            match self.machine.poll_event(&mut self.input, self.now) {
                Ok(Some(event)) => self.hear(&event),
                Ok(None) => return,
                Err(fault) => {
                    self.said.push(format!("=> fault {fault}"));
                    self.fault = Some(fault);
                }
            }
        }
    }

    fn hear(&mut self, event: &Event) {
        if let Event::Request { stream, .. } = event {
            self.streams.push(*stream);
        }
        if let Some(said) = event_text(event) {
            self.said.push(format!("=> {said}"));
        }
    }

    /// What was said since the last time.
    pub(crate) fn take_said(&mut self) -> Vec<String> {
        let mut sent = Vec::new();
        loop {
            let bytes = self.machine.poll_transmit();
            if bytes.is_empty() {
                break;
            }
            sent.extend_from_slice(bytes);
            let length = bytes.len();
            self.machine.transmitted(length);
        }
        let frames = frames_text(&sent, &mut self.decoder);
        self.said.extend(frames.into_iter().map(|frame| format!(">> {frame}")));
        std::mem::take(&mut self.said)
    }

    fn stream(&self, id: &str) -> StreamKey {
        let id: u32 = id.parse().expect("the number of a stream");
        *self.streams.iter().rev().find(|key| key.id() == id).expect("a stream that was named")
    }

    /// What a `do` line says.
    fn act(&mut self, words: &[&str]) {
        let (end, none) = (words.contains(&"end"), HeaderMap::new());
        let number = |place: usize| words[place].parse::<usize>().expect("a number");
        let result = match words[0] {
            "open" => {
                let uri = Uri::from_static("http://a.example/");
                let opened = self.machine.open(&Method::POST, &uri, &none, end);
                opened.map(|stream| self.streams.push(stream)).map_err(|fault| fault.to_string())
            }
            "respond" => {
                let result = self.machine.send_response(self.stream(words[1]), StatusCode::OK, &none, end);
                result.map_err(|fault| fault.to_string())
            }
            "send" => {
                let mut data = BytesMut::zeroed(number(2));
                let result = self.machine.send_data(self.stream(words[1]), &mut data, end, usize::MAX);
                result
                    .map(|sent| self.said.push(format!("=> sent {sent:?}")))
                    .map_err(|fault| fault.to_string())
            }
            "trailers" => {
                let result = self.machine.send_trailers(self.stream(words[1]), &none);
                result.map_err(|fault| fault.to_string())
            }
            "reset" => {
                self.machine.reset(self.stream(words[1]), Reason::CANCEL);
                Ok(())
            }
            "release" => {
                self.machine.release(self.stream(words[1]), number(2), self.now);
                Ok(())
            }
            "leave" => {
                self.machine.shut_down(self.now);
                Ok(())
            }
            other => panic!("nobody can {other}"),
        };
        if let Err(why) = result {
            self.said.push(format!("=> refused, {why}"));
        }
        self.feed(b"");
    }
}

/// An event as text; `None` for one that depends on how bytes came and means nothing else.
pub(crate) fn event_text(event: &Event) -> Option<String> {
    let end = |ended: &bool| if *ended { ", end" } else { "" };
    Some(match event {
        Event::Request { stream, head, ended } => {
            let fields = fields_text(&head.fields);
            format!("request {} {} {}{fields}{}", stream.id(), head.method, head.uri, end(ended))
        }
        Event::Response { stream, head, ended } => {
            let fields = fields_text(&head.fields);
            format!("response {} {}{fields}{}", stream.id(), head.status.as_u16(), end(ended))
        }
        Event::Data { stream, data, ended } => {
            format!("data {} {}{}", stream.id(), data_text(data), end(ended))
        }
        Event::Trailers { stream, fields } => format!("trailers {}{}", stream.id(), fields_text(fields)),
        Event::Reset { stream, reason, by_peer } => {
            let whose = if *by_peer { "peer" } else { "us" };
            format!("reset {} {reason} by {whose}", stream.id())
        }
        Event::Writable { stream } => format!("writable {}", stream.id()),
        Event::GoingAway { reason, seen } => format!("going away {reason} {seen:?}"),
        Event::Room => "room".to_owned(),
    })
}

fn fields_text(fields: &HeaderMap) -> String {
    let one = |(name, value): (_, &http::HeaderValue)| {
        let value = value.as_bytes();
        match value.len() {
            0..=100 => format!(", {name}: {}", value.escape_ascii()),
            length => format!(", {name}: {length} bytes"),
        }
    };
    fields.iter().map(one).collect()
}

fn data_text(data: &[u8]) -> String {
    let is_text = data.len() <= 40 && data.iter().all(|byte| matches!(byte, b' '..=b'~'));
    if is_text { format!("{:?}", String::from_utf8_lossy(data)) } else { format!("{} bytes", data.len()) }
}

/// Whole frames as text. A client's preface is passed over.
pub(crate) fn frames_text(bytes: &[u8], decoder: &mut Decoder) -> Vec<String> {
    let mut rest = bytes.strip_prefix(PREFACE).unwrap_or(bytes);
    let mut frames = Vec::new();
    while let [l0, l1, l2, kind, flags, s0, s1, s2, s3, behind @ ..] = rest {
        let length = u32::from_be_bytes([0, *l0, *l1, *l2]) as usize;
        let stream = u32::from_be_bytes([*s0, *s1, *s2, *s3]);
        let (payload, after) = behind.split_at(length);
        frames.push(frame_text((*kind, *flags, stream), payload, decoder));
        rest = after;
    }
    assert!(rest.is_empty(), "half a frame was sent");
    frames
}

fn frame_text((kind, flags, stream): (u8, u8, u32), payload: &[u8], decoder: &mut Decoder) -> String {
    let name = KINDS[usize::from(kind)];
    let is_ack = matches!(name, "SETTINGS" | "PING");
    let knows = |flag: &str| match flag {
        "ACK" => is_ack,
        "END_STREAM" => matches!(name, "DATA" | "HEADERS"),
        _ => !is_ack,
    };
    let flags: Vec<&str> =
        FLAGS.iter().filter(|(flag, bit)| knows(flag) && flags & bit != 0).map(|row| row.0).collect();
    let flags = if flags.is_empty() { String::new() } else { format!(" {}", flags.join("+")) };
    let number = |place: usize| {
        let bytes = payload[place..place + 4].try_into().expect("four bytes");
        u32::from_be_bytes(bytes)
    };
    let what = match name {
        "DATA" => data_text(payload),
        "HEADERS" if flags.contains("END_HEADERS") => block_text(payload, decoder),
        "RST_STREAM" => Reason(number(0)).to_string(),
        "SETTINGS" => settings_text(payload),
        "GOAWAY" => {
            format!("last {}, {}, {:?}", number(0), Reason(number(4)), String::from_utf8_lossy(&payload[8..]))
        }
        "WINDOW_UPDATE" => format!("by {}", number(0)),
        "PING" => data_text(payload),
        _ => format!("{} bytes", payload.len()),
    };
    format!("{name} {stream}{flags} {what}").trim_end().to_owned()
}

fn settings_text(payload: &[u8]) -> String {
    let one = |one: &[u8]| {
        let name = SETTINGS[usize::from(u16::from_be_bytes([one[0], one[1]])) - 1];
        format!("{name}={}", u32::from_be_bytes([one[2], one[3], one[4], one[5]]))
    };
    payload.chunks(6).map(one).collect::<Vec<_>>().join(" ")
}

fn block_text(payload: &[u8], decoder: &mut Decoder) -> String {
    let block = decoder.decode(payload, 1 << 20).expect("a block of ours is a good one");
    let method = block.method.map(|method| format!("{method} "));
    let path = block.path.map(|path| path.to_string());
    let status = block.status.map(|status| status.as_str().to_owned());
    let pseudo: String = [method, path, status].into_iter().flatten().collect();
    format!("{pseudo}{}", fields_text(&block.fields))
}
