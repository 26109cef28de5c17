//! A client and a server of this crate against each other, without IO: what goes in on one side comes out on the other.
//!
//! An [`Exchange`] is one call as data. A [`Pair`] carries it out step by step, so that tests choose how large chunks are and
//! who moves when. What each side saw is a row of lines.

mod matrix;
mod random;

use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use http::{HeaderMap, Uri, Version};

use crate::client::{self, ClientCall, Event, Plan};
use crate::server::{Accepted, Route, ServerCall, Step, accept};
use crate::tests::testing::{compressions, config, rows};
use crate::{Compressions, Protocol, ResponseHead, Shape, Status};

/// Everything that one call carries.
#[derive(Debug, Clone)]
struct Exchange {
    protocol: Protocol,
    text: bool,
    by_get: bool,
    shape: Shape,
    codec: &'static str,
    /// The compression of requests; responses are compressed when there is one.
    compression: Option<&'static str>,
    compress_bytes_min: usize,
    timeout: Option<Duration>,
    request_metadata: HeaderMap,
    requests: Vec<Vec<u8>>,
    /// The server's metadata; `None` when it fails before it sends a head.
    response_metadata: Option<HeaderMap>,
    responses: Vec<Vec<u8>>,
    outcome: Result<(), Status>,
    trailers: HeaderMap,
}

impl Exchange {
    /// Whether everything is held back until the outcome is known.
    fn is_connect_unary(&self) -> bool {
        self.protocol == Protocol::Connect && self.shape == Shape::Unary
    }

    /// What the server has to see.
    fn server_sees(&self) -> Vec<String> {
        let mut lines = vec![format!("{} {} {:?}", self.protocol, self.codec, self.timeout)];
        lines.extend(sorted(&self.request_metadata, "metadata"));
        lines.extend(self.requests.iter().map(|message| format!("message \"{}\"", message.escape_ascii())));
        lines.push("end".to_owned());
        lines
    }

    /// What the client has to see.
    fn client_sees(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(metadata) = &self.response_metadata {
            lines.extend(sorted(metadata, "metadata"));
        }
        // A unary response of Connect is either a message or an error.
        if !self.is_connect_unary() || self.outcome.is_ok() {
            lines.extend(self.responses.iter().map(|bytes| format!("message \"{}\"", bytes.escape_ascii())));
        }
        let mut trailers = HeaderMap::new();
        if let Err(status) = &self.outcome {
            trailers.extend(status.metadata.clone());
        }
        for (name, value) in &self.trailers {
            trailers.append(name, value.clone());
        }
        lines.extend(end_lines(&self.outcome, &trailers));
        lines
    }
}

/// The lines of an outcome.
fn end_lines(outcome: &Result<(), Status>, trailers: &HeaderMap) -> Vec<String> {
    let mut lines = vec![match outcome {
        Ok(()) => "ok".to_owned(),
        Err(status) => format!("{}: {:?}", status.code, status.message),
    }];
    let details = outcome.as_ref().err().map(|status| &status.details[..]).unwrap_or_default();
    lines.extend(details.iter().map(|d| format!("detail {} \"{}\"", d.type_name, d.value.escape_ascii())));
    lines.extend(sorted(trailers, "trailer"));
    lines
}

/// Fields by name: JSON keeps the order of values under a name, but not that of names.
fn sorted(fields: &HeaderMap, word: &str) -> Vec<String> {
    let mut lines: Vec<String> = rows(fields).iter().map(|row| format!("{word} {row}")).collect();
    lines.sort_by_key(|line| line.split_once(": ").map(|(name, _)| name.to_owned()));
    lines
}

/// One direction between the two sides.
#[derive(Default)]
struct Link {
    /// Written and not received.
    bytes: BytesMut,
    /// Whether the head has gone ahead, so that the bytes may follow.
    is_open: bool,
    /// Whether the writer is done.
    is_closed: bool,
    /// Whether the reader was told of the end.
    is_ended: bool,
    trailers: Option<HeaderMap>,
}

impl Link {
    /// Up to `bytes_max` bytes that may be received now.
    fn next(&mut self, bytes_max: usize) -> Option<bytes::Bytes> {
        let length = self.bytes.len().min(bytes_max);
        (self.is_open && length > 0).then(|| self.bytes.split_to(length).freeze())
    }

    /// Whether to tell the reader of the end: once, when all bytes were received.
    fn ends(&mut self) -> bool {
        let ends = self.is_open && self.is_closed && self.bytes.is_empty() && !self.is_ended;
        self.is_ended |= ends;
        ends
    }
}

/// Both sides of one exchange, and the links between them.
struct Pair<'a> {
    exchange: &'a Exchange,
    client: ClientCall,
    server: Box<ServerCall>,
    request: Link,
    response: Link,
    requests_written: usize,
    responses_written: usize,
    server_saw: Vec<String>,
    client_saw: Vec<String>,
    is_read: bool,
    is_done: bool,
}

impl<'a> Pair<'a> {
    /// Sends the request's head and lets the server accept it.
    fn new(exchange: &'a Exchange) -> Self {
        let known = compressions();
        let base = Uri::from_static("http://localhost/prefix");
        let plan = Plan {
            protocol: exchange.protocol,
            text: exchange.text,
            shape: exchange.shape,
            base: &base,
            path: "/a.B/C",
            version: Version::HTTP_2,
            codec: exchange.codec,
            timeout: exchange.timeout,
            metadata: &exchange.request_metadata,
            send_compression: exchange.compression.and_then(|name| known.find(name).cloned()),
            compress_bytes_min: exchange.compress_bytes_min,
            accept_compressions: match exchange.compression {
                Some(_) => known.clone(),
                None => Arc::new(Compressions::none()),
            },
            message_bytes_max: 64,
        };
        let client = match exchange.requests.first() {
            Some(message) if exchange.by_get => client::start_get(plan, message),
            _ => client::start(plan),
        };
        let client = client.unwrap();
        let route = Route { shape: exchange.shape, no_side_effects: exchange.by_get };
        let config = crate::server::Config { compress_bytes_min: exchange.compress_bytes_min, ..config() };
        let server = match accept(client.head.clone(), Some(route), &config) {
            Accepted::Call(server) => server,
            Accepted::Reject(reject) => panic!("{exchange:?}: {reject:?}"),
        };
        let start = &server.start;
        let mut server_saw = vec![format!("{} {} {:?}", start.protocol, start.codec, start.timeout)];
        let mut metadata = start.metadata.clone();
        // What the text form's head asks of caches and proxies; HTTP's, but no reader is led astray by it.
        metadata.remove("accept");
        server_saw.extend(sorted(&metadata, "metadata"));
        Self {
            exchange,
            client,
            server,
            request: Link { is_open: true, ..Link::default() },
            response: Link::default(),
            requests_written: usize::from(exchange.by_get),
            responses_written: 0,
            server_saw,
            client_saw: Vec::new(),
            is_read: false,
            is_done: false,
        }
    }

    /// The client writes its next message, or ends its side.
    fn client_writes(&mut self) {
        if let Some(message) = self.exchange.requests.get(self.requests_written) {
            self.requests_written += 1;
            self.client.writer.message(&mut self.request.bytes, &mut encode(message)).unwrap();
        } else if !self.request.is_closed {
            self.client.writer.finish(&mut self.request.bytes);
            self.request.is_closed = true;
        }
    }

    /// The server receives a chunk, or the end.
    fn carry_request(&mut self, bytes_max: usize) {
        if let Some(chunk) = self.request.next(bytes_max) {
            self.server.reader.receive(chunk);
        } else if self.request.ends() {
            self.server.reader.receive_end();
        }
    }

    /// The server reads what there is.
    fn server_reads(&mut self) {
        while !self.is_read {
            match self.server.reader.poll_message().unwrap() {
                Step::NeedMore => return,
                Step::Message(message) => {
                    self.server_saw.push(format!("message \"{}\"", message.escape_ascii()));
                }
                Step::End => {
                    self.server_saw.push("end".to_owned());
                    self.is_read = true;
                }
            }
        }
    }

    /// The server sends its head, writes its next message, or ends the call once it has read everything.
    fn server_writes(&mut self) {
        let head =
            match (&self.exchange.response_metadata, self.exchange.responses.get(self.responses_written)) {
                _ if self.response.is_closed => return,
                (Some(metadata), _) if self.responses_written == 0 && !self.response.is_open => {
                    self.responses_written += usize::from(self.exchange.responses.is_empty());
                    self.server.writer.head(metadata.clone())
                }
                _ => None,
            };
        if let Some(head) = head {
            self.client_takes_head(head);
        }
        if let Some(message) = self.exchange.responses.get(self.responses_written) {
            self.responses_written += 1;
            self.server.writer.message(&mut self.response.bytes, &mut encode(message)).unwrap();
        } else if self.is_read {
            let (outcome, trailers) = (self.exchange.outcome.clone(), self.exchange.trailers.clone());
            let finish = self.server.writer.finish(outcome, trailers, &mut self.response.bytes);
            assert_eq!(finish.head.is_none(), self.response.is_open, "one head is sent");
            if let Some(head) = finish.head {
                self.client_takes_head(head);
            }
            self.response.is_closed = true;
            self.response.trailers = finish.trailers;
        }
    }

    /// The client receives the head; the body may follow.
    fn client_takes_head(&mut self, head: ResponseHead) {
        self.response.is_open = true;
        let mut metadata = self.client.reader.receive_head(head);
        if self.exchange.by_get {
            // What a response to GET says to caches, and is metadata to everyone else.
            metadata.remove("vary");
        }
        self.client_saw.extend(sorted(&metadata, "metadata"));
    }

    /// The client receives a chunk, or the end.
    fn carry_response(&mut self, bytes_max: usize) {
        if let Some(chunk) = self.response.next(bytes_max) {
            self.client.reader.receive(chunk);
        } else if self.response.ends() {
            self.client.reader.receive_end(self.response.trailers.take());
        }
    }

    /// The client reads what there is.
    fn client_reads(&mut self) {
        while !self.is_done {
            match self.client.reader.poll_event() {
                Event::NeedMore => return,
                Event::Message(message) => {
                    self.client_saw.push(format!("message \"{}\"", message.escape_ascii()));
                }
                Event::End(outcome) => {
                    assert!(outcome.from_peer, "the outcome is the server's own word");
                    self.client_saw.extend(end_lines(&outcome.result, &outcome.trailers));
                    self.is_done = true;
                }
            }
        }
    }

    /// Compares what both sides saw with what they had to see.
    fn check(&self, how: &str) {
        let exchange = self.exchange;
        assert_eq!(self.server_saw, exchange.server_sees(), "the server, {how}: {exchange:?}");
        assert_eq!(self.client_saw, exchange.client_sees(), "the client, {how}: {exchange:?}");
    }
}

/// An encoder of bytes that are encoded already.
fn encode(message: &[u8]) -> impl FnMut(&mut BytesMut) -> Result<(), Status> {
    move |target| {
        target.extend_from_slice(message);
        Ok(())
    }
}
