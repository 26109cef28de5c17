//! Calls of readers and writers in any order, as a loop with a bug or a transport with surprises may make them: nothing panics, what
//! was final stays so, and what comes behind the end is not kept.

use std::path::Path;

use bytes::{Bytes, BytesMut};
use http::HeaderMap;

use super::cases;
use crate::client::Event;
use crate::input::Input;
use crate::server::Step;
use crate::tests::machines::{KINDS, Kind};
use crate::{Code, Status};

/// Kind, flags, and operations: each a byte, some with a length and as many bytes behind it.
pub(crate) fn check(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let (kind, flags) = (input.one_of(&KINDS), input.byte());
    match flags & SIDE {
        CLIENT => client_reader(kind, flags & COMPRESSED != 0, input),
        SERVER => server_reader(kind, flags & COMPRESSED != 0, input),
        _ => server_writer(kind, flags & COMPRESSED != 0, input),
    }
}

/// Each body in one piece, between the head and the end, with polls where they belong.
pub(crate) fn seeds(vectors: &Path) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for case in cases(vectors) {
        let (Some(kind), Ok(length)) = (case.kind(), u8::try_from(case.body.len())) else { continue };
        let index = KINDS.iter().position(|other| *other == kind).unwrap_or_default() as u8;
        let side = if case.is_server() { SERVER } else { CLIENT };
        let compressed = if case.field(kind.encoding()).is_empty() { 0 } else { COMPRESSED };
        let before = [index, side | compressed, HEAD, CHUNK, length];
        seeds.push([&before, &*case.body, &[POLL, POLL, END, POLL, POLL]].concat());
        seeds.push([&[index, 2, HEAD, CHUNK, length], &*case.body, &[END, CHUNK, 0, END, HEAD]].concat());
    }
    seeds
}

fn client_reader(kind: Kind, is_compressed: bool, mut input: Input<'_>) {
    let mut reader = kind.client();
    let (mut fed, mut has_end, mut last): (usize, bool, Option<String>) = (0, false, None);
    while let Some(operation) = input.operation() {
        match operation % OPERATIONS {
            HEAD => {
                let status = if operation < 128 { 200 } else { 404 };
                reader.receive_head(kind.head(status, is_compressed));
            }
            CHUNK => {
                let chunk = input.chunk();
                fed += chunk.len();
                let held = reader.held_bytes();
                reader.receive(Bytes::copy_from_slice(chunk));
                assert!(
                    !has_end && last.is_none() || reader.held_bytes() == held,
                    "bytes behind the end are kept"
                );
            }
            END => {
                has_end = true;
                reader.receive_end(if operation < 128 { kind.trailers() } else { None });
            }
            _ => {
                if let Event::End(outcome) = reader.poll_event() {
                    let failure = outcome.result.err().map(|status| (status.code, status.message));
                    let said = format!("{failure:?}, from peer: {}", outcome.from_peer);
                    assert!(
                        last.as_ref().is_none_or(|last| *last == said),
                        "{kind:?}: {last:?}, then {said:?}"
                    );
                    last = Some(said);
                } else {
                    assert!(last.is_none(), "{kind:?}: something behind the end");
                }
            }
        }
        assert!(reader.held_bytes() <= 2 * fed + 64, "{} bytes are held after {fed}", reader.held_bytes());
    }
}

fn server_reader(kind: Kind, is_compressed: bool, mut input: Input<'_>) {
    let mut reader = kind.server(is_compressed).reader;
    let (mut fed, mut has_end, mut is_done) = (0, false, false);
    while let Some(operation) = input.operation() {
        match operation % OPERATIONS {
            CHUNK => {
                let chunk = input.chunk();
                fed += chunk.len();
                let held = reader.held_bytes();
                reader.receive(Bytes::copy_from_slice(chunk));
                assert!(!has_end && !is_done || reader.held_bytes() == held, "bytes behind the end are kept");
            }
            END => {
                has_end = true;
                reader.receive_end();
            }
            _ => {
                let step = reader.poll_message();
                let is_end = matches!(step, Ok(Step::End));
                assert!(is_end || !is_done, "{kind:?}: {step:?} behind the end");
                is_done |= is_end || step.is_err();
            }
        }
        assert!(reader.held_bytes() <= 2 * fed + 64, "{} bytes are held after {fed}", reader.held_bytes());
    }
}

/// A writer only appends, until the end; behind it, it writes nothing.
fn server_writer(kind: Kind, is_compressed: bool, mut input: Input<'_>) {
    let mut writer = kind.server(is_compressed).writer;
    let mut target = BytesMut::from(&b"before"[..]);
    let mut is_done = false;
    while let Some(operation) = input.operation() {
        let before = target.clone();
        match operation % OPERATIONS {
            HEAD => drop(writer.head(HeaderMap::new())),
            CHUNK => {
                let chunk = input.chunk();
                let written = writer.message(&mut target, &mut |target| {
                    target.extend_from_slice(chunk);
                    if operation < 128 { Ok(()) } else { Err(Status::new(Code::Internal, "no")) }
                });
                assert!(written.is_err() || !is_done, "{kind:?}: a message behind the end");
                assert!(written.is_ok() || target == before, "{kind:?}: a message that failed is there");
            }
            END => {
                let outcome = if operation < 128 { Ok(()) } else { Err(Status::new(Code::Aborted, "no")) };
                let finish = writer.finish(outcome, HeaderMap::new(), &mut target);
                let says = finish.head.is_some() || finish.trailers.is_some() || target != before;
                assert_eq!(says, !is_done, "{kind:?}: a response ends once");
                is_done = true;
            }
            _ => {}
        }
        assert!(target.starts_with(b"before"), "{kind:?}: what was there is gone");
    }
}

impl<'a> Input<'a> {
    /// The next operation, while there are bytes.
    fn operation(&mut self) -> Option<u8> {
        (!self.rest().is_empty()).then(|| self.byte())
    }

    /// The bytes of an operation, as far as they are there.
    fn chunk(&mut self) -> &'a [u8] {
        let length = usize::from(self.byte());
        self.take(length)
    }
}

const SIDE: u8 = 3;
const CLIENT: u8 = 0;
const SERVER: u8 = 1;
const COMPRESSED: u8 = 4;

/// What a byte does, as the rest by this number.
const OPERATIONS: u8 = 4;
const HEAD: u8 = 0;
const CHUNK: u8 = 1;
const END: u8 = 2;
const POLL: u8 = 3;
