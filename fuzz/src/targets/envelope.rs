//! Bodies in every form, read by both sides: any chunks give the same messages, and messages that were read are read again when a
//! writer of ours has written them.

use std::path::Path;

use bytes::{Bytes, BytesMut};
use http::HeaderMap;

use super::cases;
use crate::Status;
use crate::input::Input;
use crate::tests::feed::{Feed, called, served};
use crate::tests::machines::{KINDS, Kind};

/// Kind, flags, the seed of the chunks, and the body.
pub(crate) fn check(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let (kind, flags, seed) = (input.one_of(&KINDS), input.byte(), u64::from(input.byte()));
    let is_compressed = flags & COMPRESSED != 0;
    if flags & CLIENT == 0 {
        request(kind, is_compressed, seed, input.rest());
    } else {
        let status = if flags & FAILED == 0 { 200 } else { 503 };
        response(kind, is_compressed, status, (seed, input.rest()));
    }
}

/// Every case that has a body, as its own side reads it.
pub(crate) fn seeds(vectors: &Path) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for case in cases(vectors) {
        let Some(kind) = case.kind() else { continue };
        let index = KINDS.iter().position(|other| *other == kind).unwrap_or_default() as u8;
        let side = if case.is_server() { 0 } else { CLIENT };
        let compressed = if case.field(kind.encoding()).is_empty() { 0 } else { COMPRESSED };
        let failed = if case.status == 200 { 0 } else { FAILED };
        seeds.push([&[index, side | compressed | failed, 7], &*case.body].concat());
    }
    seeds
}

fn request(kind: Kind, is_compressed: bool, seed: u64, body: &[u8]) {
    let read = |body: &[u8], feed| served(kind.server(is_compressed).reader, kind.protocol(), body, feed);
    let whole = read(body, Feed::Whole);
    for feed in Feed::others(seed) {
        assert_eq!(read(body, feed), whole, "{kind:?}, {feed:?}");
    }
    if whole.end.is_err() {
        return;
    }
    let (mut again, mut writer) = (BytesMut::new(), kind.call(is_compressed).writer);
    for message in &whole.messages {
        writer.message(&mut again, &mut encode(message)).expect("a message that was read can be written");
    }
    writer.finish(&mut again);
    assert_eq!(read(&again, Feed::Whole), whole, "{kind:?}: what was written is not what was read");
}

fn response(kind: Kind, is_compressed: bool, status: u16, (seed, body): (u64, &[u8])) {
    let trailers = kind.trailers();
    let read = |body: &[u8], feed| {
        let head = kind.head(status, is_compressed);
        called(kind.client(), kind.protocol(), head, trailers.as_ref(), (body, feed))
    };
    let whole = read(body, Feed::Whole);
    for feed in Feed::others(seed) {
        assert_eq!(read(body, feed), whole, "{kind:?}, {feed:?}");
    }
    if whole.outcome.result.is_err() {
        return;
    }
    assert_eq!(status, 200, "only a response under HTTP 200 succeeds");
    // The server answers in the compression of the request.
    let (mut again, mut writer) = (BytesMut::new(), kind.server(is_compressed).writer);
    let head = writer.head(HeaderMap::new());
    for message in &whole.messages {
        writer.message(&mut again, &mut encode(message)).expect("a message that was read can be written");
    }
    let finish = writer.finish(Ok(()), HeaderMap::new(), &mut again);
    let head = head.or(finish.head).expect("a response has a head");
    let read = called(kind.client(), kind.protocol(), head, finish.trailers.as_ref(), (&again, Feed::Whole));
    assert_eq!(read.messages, whole.messages, "{kind:?}: what was written is not what was read");
    assert!(read.outcome.result.is_ok() && read.outcome.from_peer, "{kind:?}: {:?}", read.outcome);
}

fn encode(message: &Bytes) -> impl FnMut(&mut BytesMut) -> Result<(), Status> {
    move |target| {
        target.extend_from_slice(message);
        Ok(())
    }
}

const COMPRESSED: u8 = 1;
const CLIENT: u8 = 2;
const FAILED: u8 = 4;
