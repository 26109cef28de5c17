//! Rows for whole bodies.

use std::sync::Arc;

use bytes::Bytes;

use super::WholeBody;
use crate::compress::compressed_bytes_max;
use crate::tests::chance::Chance;
use crate::tests::testing::Runs;
use crate::{Code, Compression};

const MAX: usize = 16;

fn body(is_compressed: bool) -> WholeBody {
    let compression = is_compressed.then(|| Arc::new(Runs) as Arc<dyn Compression>);
    WholeBody::new(MAX, Code::InvalidArgument, compression)
}

#[test]
fn bodies_come_out_once_they_have_ended() {
    let check = |chunks: &[&'static str], expected: &str| {
        let mut body = body(false);
        for chunk in chunks {
            body.receive(Bytes::from_static(chunk.as_bytes()));
            assert!(matches!(body.poll(), Ok(None)), "{chunks:?}");
        }
        body.receive_end();
        assert_eq!(body.poll().unwrap().unwrap(), expected, "{chunks:?}");
    };
    check(&[], "");
    check(&[""], "");
    check(&["hello"], "hello");
    check(&["", "hello", ""], "hello");
    check(&["he", "", "l", "lo"], "hello");
    check(&["0123456789abcdef"], "0123456789abcdef");
    check(&["0123456789abcde", "f"], "0123456789abcdef");
}

#[test]
fn bodies_in_one_chunk_share_its_bytes() {
    let chunk = Bytes::from_static(b"hello");
    let at = chunk.as_ptr();
    let mut body = body(false);
    body.receive(Bytes::new());
    body.receive(chunk);
    body.receive_end();
    assert_eq!(body.poll().unwrap().unwrap().as_ptr(), at);
}

#[test]
fn bodies_above_the_limit_are_refused_before_their_end_and_not_kept() {
    for is_compressed in [false, true] {
        let allowed = if is_compressed { compressed_bytes_max(MAX) } else { MAX };
        let mut body = body(is_compressed);
        body.receive(Bytes::from(vec![b'x'; allowed]));
        assert!(matches!(body.poll(), Ok(None)));
        for _ in 0..3 {
            body.receive(Bytes::from_static(b"x"));
            assert_eq!(body.poll().unwrap_err().code, Code::ResourceExhausted);
            assert_eq!((body.first.len(), body.joined.capacity()), (0, 0), "nothing is kept");
        }
        body.receive_end();
        assert_eq!(
            body.poll().unwrap_err().code,
            Code::ResourceExhausted,
            "what was dropped never comes back"
        );
    }
}

#[test]
fn bodies_of_any_chunks_hold_no_more_than_the_limit() {
    for seed in 0..200 {
        let mut chance = Chance::new(seed);
        let is_compressed = chance.once_in(2);
        let allowed = if is_compressed { compressed_bytes_max(MAX) } else { MAX };
        let mut body = body(is_compressed);
        for _ in 0..40 {
            body.receive(Bytes::from(chance.bytes(allowed / 8)));
            let held = body.first.len() + body.joined.len();
            assert!(held <= allowed, "seed {seed}: {held} bytes are held");
            assert!(body.joined.capacity() <= 2 * allowed, "seed {seed}: {}", body.joined.capacity());
        }
    }
}

#[test]
fn bodies_that_do_not_inflate_have_the_code_of_their_side() {
    let check = |payload: &'static [u8], expected: Result<&'static str, Code>| {
        let mut body = body(true);
        body.receive(Bytes::from_static(payload));
        body.receive_end();
        let seen = body.poll().map(|message| message.unwrap()).map_err(|status| status.code);
        assert_eq!(seen, expected.map(|text| Bytes::from_static(text.as_bytes())), "{payload:?}");
    };
    check(b"\x03a", Ok("aaa"));
    check(b"", Ok(""));
    check(b"\x10a", Ok("aaaaaaaaaaaaaaaa"));
    check(b"\x11a", Err(Code::ResourceExhausted));
    check(b"\x03", Err(Code::InvalidArgument));
}
