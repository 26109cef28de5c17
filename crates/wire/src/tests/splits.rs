//! Bodies that chance makes, in every kind of reader: what comes out does not depend on where chunks end, nor on whether the
//! reader is polled between them.

use bytes::Bytes;

use crate::client::Event;
use crate::server::Step;
use crate::tests::chance::Chance;
use crate::tests::machines::{KINDS, Kind, for_seeds};
use crate::{Code, Status};

/// How a body is handed over.
#[derive(Debug, Clone, Copy)]
enum Feed {
    Whole,
    Bytes,
    /// Chunks of any size, some of them empty.
    Chunks(u64),
    /// The same without a poll before the end.
    Unpolled(u64),
}

impl Feed {
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

/// The line of a failure. A whole body above its limit is refused as soon as that is known, so how much of it was seen by then
/// is all that may differ.
fn verdict(status: &Status) -> String {
    match status.message.split_once("at least ") {
        Some((_, _)) if status.code == Code::ResourceExhausted => "above the limit".to_owned(),
        _ => format!("{}: {}", status.code, status.message),
    }
}

fn served(kind: Kind, is_compressed: bool, body: &[u8], feed: Feed) -> Vec<String> {
    let mut reader = kind.server(is_compressed).reader;
    let mut chunks = feed.chunks(body).into_iter();
    let (mut seen, mut is_ended) = (Vec::new(), false);
    if !feed.polls() {
        chunks.by_ref().for_each(|chunk| reader.receive(chunk));
    }
    loop {
        match reader.poll_message() {
            Ok(Step::Message(message)) => seen.push(format!("\"{}\"", message.escape_ascii())),
            Ok(Step::End) => seen.push("end".to_owned()),
            Err(status) => seen.push(verdict(&status)),
            Ok(Step::NeedMore) => {
                assert!(!is_ended, "nothing more can come");
                match chunks.next() {
                    Some(chunk) => reader.receive(chunk),
                    None => {
                        reader.receive_end();
                        is_ended = true;
                    }
                }
                continue;
            }
        }
        if !seen.last().is_some_and(|line| line.starts_with('"')) {
            return seen;
        }
    }
}

fn called(kind: Kind, status: u16, is_compressed: bool, body: &[u8], feed: Feed) -> Vec<String> {
    let mut reader = kind.client();
    let mut seen = vec![format!("{} fields", reader.receive_head(kind.head(status, is_compressed)).len())];
    let mut chunks = feed.chunks(body).into_iter();
    let mut is_ended = false;
    if !feed.polls() {
        chunks.by_ref().for_each(|chunk| reader.receive(chunk));
    }
    loop {
        match reader.poll_event() {
            Event::Message(message) => seen.push(format!("\"{}\"", message.escape_ascii())),
            Event::End(outcome) => {
                seen.push(outcome.result.as_ref().map_or_else(verdict, |()| "ok".to_owned()));
                seen.push(format!("{} {:?}", outcome.from_peer, outcome.trailers));
                return seen;
            }
            Event::NeedMore => {
                assert!(!is_ended, "nothing more can come");
                match chunks.next() {
                    Some(chunk) => reader.receive(chunk),
                    None => {
                        reader.receive_end(kind.trailers());
                        is_ended = true;
                    }
                }
            }
        }
    }
}

/// The feeds that are compared with a body in one chunk.
fn feeds(seed: u64) -> [Feed; 4] {
    [Feed::Bytes, Feed::Chunks(seed), Feed::Chunks(!seed), Feed::Unpolled(seed)]
}

#[test]
fn requests_any_split_gives_the_same() {
    let mut ends = 0;
    for_seeds(2000, |seed, chance| {
        let kind = *chance.one_of(&KINDS);
        let is_compressed = chance.once_in(2);
        let body = kind.body(chance);
        let whole = served(kind, is_compressed, &body, Feed::Whole);
        ends += usize::from(whole.last().is_some_and(|line| line == "end"));
        for feed in feeds(seed) {
            let seen = served(kind, is_compressed, &body, feed);
            assert_eq!(seen, whole, "seed {seed}, {kind:?}, {feed:?}: {}", body.escape_ascii());
        }
    });
    assert!((400..1600).contains(&ends), "both sides are tried: {ends} of 2000 end well");
}

#[test]
fn responses_any_split_gives_the_same() {
    let mut ends = 0;
    for_seeds(2000, |seed, chance| {
        let kind = *chance.one_of(&KINDS);
        let is_compressed = chance.once_in(2);
        let status = *chance.one_of(&[200, 200, 200, 200, 200, 200, 200, 503]);
        let body = kind.body(chance);
        let whole = called(kind, status, is_compressed, &body, Feed::Whole);
        ends += usize::from(whole.contains(&"ok".to_owned()));
        for feed in feeds(seed) {
            let seen = called(kind, status, is_compressed, &body, feed);
            assert_eq!(seen, whole, "seed {seed}, {kind:?}, {feed:?}: {}", body.escape_ascii());
        }
    });
    assert!((300..1600).contains(&ends), "both sides are tried: {ends} of 2000 end well");
}
