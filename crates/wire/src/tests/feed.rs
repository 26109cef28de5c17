//! Feeds a reader with a body, in whatever chunks, and keeps what came out. While it does, it holds every reader to what is true of
//! all bodies: no message and nothing kept is above a limit, and a failure says whose fault it is.

use bytes::Bytes;
use http::HeaderMap;

use crate::client::{ClientReader, Event, Outcome};
use crate::server::{ServerReader, Step};
use crate::tests::chance::Chance;
use crate::{Code, Protocol, ResponseHead, Status};

/// How a body is handed over.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Feed {
    Whole,
    Bytes,
    /// Chunks of any size, some of them empty.
    Chunks(u64),
    /// The same without a poll before the end.
    Unpolled(u64),
}

impl Feed {
    /// The feeds that are compared with a body in one chunk.
    pub(crate) fn others(seed: u64) -> [Self; 4] {
        [Self::Bytes, Self::Chunks(seed), Self::Chunks(!seed), Self::Unpolled(seed)]
    }

    fn chunks(self, body: &[u8]) -> Vec<Bytes> {
        let mut chance = match self {
            Self::Whole => return vec![Bytes::copy_from_slice(body)],
            Self::Bytes => return body.iter().map(|byte| Bytes::copy_from_slice(&[*byte])).collect(),
            Self::Chunks(seed) | Self::Unpolled(seed) => Chance::new(seed),
        };
        let (mut chunks, mut rest) = (Vec::new(), body);
        while !rest.is_empty() {
            let (chunk, behind) = rest.split_at(chance.below(rest.len().min(30) + 1));
            chunks.push(Bytes::copy_from_slice(chunk));
            rest = behind;
        }
        chunks
    }

    fn polls(self) -> bool {
        !matches!(self, Self::Unpolled(_))
    }
}

/// What a server read: messages, and how they ended.
#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) messages: Vec<Bytes>,
    pub(crate) end: Result<(), Status>,
}

/// What a client read: metadata, messages, and how the call ended.
#[derive(Debug)]
pub(crate) struct Called {
    pub(crate) metadata: HeaderMap,
    pub(crate) messages: Vec<Bytes>,
    pub(crate) outcome: Outcome,
}

impl PartialEq for Served {
    fn eq(&self, other: &Self) -> bool {
        self.messages == other.messages && verdict(&self.end) == verdict(&other.end)
    }
}

impl PartialEq for Called {
    fn eq(&self, other: &Self) -> bool {
        let (ours, theirs) = (&self.outcome, &other.outcome);
        self.metadata == other.metadata
            && self.messages == other.messages
            && verdict(&ours.result) == verdict(&theirs.result)
            && (ours.from_peer, &ours.trailers) == (theirs.from_peer, &theirs.trailers)
    }
}

/// Reads a request.
pub(crate) fn served(mut reader: ServerReader, protocol: Protocol, body: &[u8], feed: Feed) -> Served {
    let mut chunks = feed.chunks(body).into_iter();
    let (mut messages, mut fed, mut is_ended) = (Vec::new(), 0, false);
    if !feed.polls() {
        fed = body.len();
        chunks.by_ref().for_each(|chunk| reader.receive(chunk));
    }
    loop {
        match reader.poll_message() {
            Ok(Step::Message(message)) => messages.push(within_limit(message)),
            Ok(Step::End) => return Served { messages, end: Ok(()) },
            Err(status) => {
                assert!(matches!(reader.poll_message(), Ok(Step::End)), "an error is final");
                blames(protocol, &status);
                return Served { messages, end: Err(status) };
            }
            Ok(Step::NeedMore) => {
                assert!(!is_ended, "nothing more can come");
                holds_little(reader.held_bytes(), fed, REQUEST_BYTES_MAX);
                match chunks.next() {
                    Some(chunk) => {
                        fed += chunk.len();
                        reader.receive(chunk);
                    }
                    None => {
                        reader.receive_end();
                        is_ended = true;
                    }
                }
            }
        }
    }
}

/// Reads a response that begins with `head` and ends with `trailers`.
pub(crate) fn called(
    mut reader: ClientReader,
    protocol: Protocol,
    head: ResponseHead,
    trailers: Option<&HeaderMap>,
    (body, feed): (&[u8], Feed),
) -> Called {
    let metadata = reader.receive_head(head);
    let mut chunks = feed.chunks(body).into_iter();
    let (mut messages, mut fed, mut is_ended) = (Vec::new(), 0, false);
    if !feed.polls() {
        fed = body.len();
        chunks.by_ref().for_each(|chunk| reader.receive(chunk));
    }
    loop {
        match reader.poll_event() {
            Event::Message(message) => messages.push(within_limit(message)),
            Event::End(outcome) => {
                if let (Err(status), false) = (&outcome.result, outcome.from_peer) {
                    blames(protocol, status);
                }
                let Event::End(again) = reader.poll_event() else { panic!("the end is final") };
                assert_eq!(verdict(&again.result), verdict(&outcome.result), "the end stays what it was");
                return Called { metadata, messages, outcome };
            }
            Event::NeedMore => {
                assert!(!is_ended, "nothing more can come");
                holds_little(reader.held_bytes(), fed, usize::MAX);
                match chunks.next() {
                    Some(chunk) => {
                        fed += chunk.len();
                        reader.receive(chunk);
                    }
                    None => {
                        reader.receive_end(trailers.cloned());
                        is_ended = true;
                    }
                }
            }
        }
    }
}

/// What must not depend on the chunks. A whole body above its limit is refused as soon as that is known, so how much of it was seen
/// by then is all that may differ.
fn verdict(result: &Result<(), Status>) -> Result<(), (Code, &str)> {
    let Err(status) = result else { return Ok(()) };
    match status.message.split_once("at least ") {
        Some((before, _)) if status.code == Code::ResourceExhausted => Err((status.code, before)),
        _ => Err((status.code, status.message.as_str())),
    }
}

fn within_limit(message: Bytes) -> Bytes {
    assert!(message.len() <= MESSAGE_BYTES_MAX, "a message of {} bytes came out", message.len());
    message
}

/// Buffers grow by doubling, so they hold twice of what is needed at most; never do they grow because of bytes that did not come.
fn holds_little(held: usize, fed: usize, needed_max: usize) {
    let most = fed.min(needed_max).saturating_mul(2).saturating_add(64);
    assert!(held <= most, "{held} bytes are held after {fed} came");
}

/// What we conclude names the protocol whose rule was broken, and has a code that says who broke it.
fn blames(protocol: Protocol, status: &Status) {
    assert_ne!(status.code, Code::Ok, "a failure is no success");
    let name = format!("{protocol}: ");
    assert!(status.message.starts_with(&name), "{:?} does not name {protocol}", status.message);
}

/// The limit of all readers in tests.
const MESSAGE_BYTES_MAX: usize = 64;

/// The largest part of a request that is worth keeping: a message whose compressed form is larger than itself, and a prefix.
const REQUEST_BYTES_MAX: usize = MESSAGE_BYTES_MAX + MESSAGE_BYTES_MAX / 16 + 1024 + 5;
