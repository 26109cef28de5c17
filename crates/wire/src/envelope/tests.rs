//! Rows for envelopes; the vectors have those in which only bytes and events count.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};

use super::{END_BYTES_MAX, EnvelopeReader, EnvelopeWriter, Found, Rules, append};
use crate::compress::compressed_bytes_max;
use crate::tests::chance::Chance;
use crate::tests::testing::Runs;
use crate::{Code, Compression, Protocol, Status};

const RULES: Rules =
    Rules { protocol: Protocol::Grpc, end_flag: 0x80, broken: Code::Internal, message_bytes_max: 8 };

fn reader() -> EnvelopeReader {
    EnvelopeReader::new(RULES, Some(Arc::new(Runs)))
}

/// What a writer makes of `plain` behind the byte `#`.
fn written(compression: bool, compress_bytes_min: usize, plain: &[u8]) -> Vec<u8> {
    let compression = compression.then(|| Arc::new(Runs) as Arc<dyn Compression>);
    let mut writer = EnvelopeWriter::new(compression, compress_bytes_min);
    let mut target = BytesMut::from(&b"#"[..]);
    let encoded = writer.message(&mut target, &mut |target| {
        target.extend_from_slice(plain);
        Ok(())
    });
    encoded.unwrap();
    target.to_vec()
}

#[test]
fn writer_compresses_from_its_minimum_on() {
    assert_eq!(written(false, 0, b"aaaa"), b"#\0\0\0\0\x04aaaa");
    assert_eq!(written(true, 4, b"aaaa"), b"#\x01\0\0\0\x02\x04a");
    assert_eq!(written(true, 5, b"aaaa"), b"#\0\0\0\0\x04aaaa");
    assert_eq!(written(true, 0, b""), b"#\0\0\0\0\0");
    assert_eq!(written(false, 0, b""), b"#\0\0\0\0\0");
}

#[test]
fn writer_keeps_its_scratch_small() {
    let noise: Vec<u8> = (0..100_000_u32).map(|index| index as u8).collect();
    let mut writer = EnvelopeWriter::new(Some(Arc::new(Runs)), 0);
    let mut target = BytesMut::new();
    for _ in 0..2 {
        let start = target.len();
        let encoded = writer.message(&mut target, &mut |target| {
            target.extend_from_slice(&noise);
            Ok(())
        });
        encoded.unwrap();
        assert_eq!(target.len() - start, 5 + 2 * noise.len());
        assert!(writer.scratch.capacity() <= 64 * 1024);
    }
}

#[test]
fn writer_leaves_the_target_alone_when_encoding_fails() {
    let mut writer = EnvelopeWriter::new(None, 0);
    let mut target = BytesMut::from(&b"before"[..]);
    let refused = writer.message(&mut target, &mut |target| {
        target.extend_from_slice(b"half");
        Err(Status::new(Code::DataLoss, "no"))
    });
    assert_eq!(refused.unwrap_err().code, Code::DataLoss);
    assert_eq!(&target[..], b"before");
}

#[test]
fn writer_survives_an_encoder_that_removes_bytes() {
    let mut writer = EnvelopeWriter::new(None, 0);
    let mut target = BytesMut::from(&b"before"[..]);
    let refused = writer.message(&mut target, &mut |target| {
        target.clear();
        Ok(())
    });
    assert_eq!(refused.unwrap_err().code, Code::Internal);
}

#[test]
fn reader_shares_the_bytes_of_a_chunk_that_holds_the_message() {
    let chunk = Bytes::from_static(b"\0\0\0\0\x02hi\0\0\0\0\x01a");
    let body = chunk.as_ptr();
    let mut reader = reader();
    reader.receive(chunk);
    let Ok(Found::Message(first)) = reader.poll() else { panic!("a whole message is here") };
    let Ok(Found::Message(second)) = reader.poll() else { panic!("another one is here") };
    assert_eq!((&first[..], &second[..]), (&b"hi"[..], &b"a"[..]));
    assert_eq!(first.as_ptr(), body.wrapping_add(5));
    assert_eq!(second.as_ptr(), body.wrapping_add(12));
}

#[test]
fn reader_loses_nothing_when_it_is_not_polled_between_chunks() {
    let mut reader = reader();
    for byte in b"\0\0\0\0\x02hi\x80\0\0\0\x01x" {
        reader.receive(Bytes::copy_from_slice(&[*byte]));
        reader.receive(Bytes::new());
    }
    reader.receive_end();
    assert_eq!(reader.poll().unwrap(), Found::Message("hi".into()));
    assert_eq!(reader.poll().unwrap(), Found::EndMessage("x".into()));
    assert_eq!(reader.poll().unwrap(), Found::End);
    assert_eq!(reader.poll().unwrap(), Found::End);
}

#[test]
fn reader_refuses_by_the_prefix_alone() {
    let check = |prefix: &'static [u8], code: Code, text: &str| {
        let mut reader = reader();
        reader.receive(Bytes::from_static(prefix));
        let status = reader.poll().unwrap_err();
        assert_eq!(status.code, code);
        assert!(status.message.contains(text), "{}", status.message);
    };
    check(b"\0\0\0\0\x09", Code::ResourceExhausted, "9 bytes is above message_bytes_max (8 bytes)");
    check(b"\0\xff\xff\xff\xff", Code::ResourceExhausted, "4294967295 bytes");
    check(b"\x01\0\0\x10\0", Code::ResourceExhausted, "4096 bytes");
    check(b"\x80\x7f\0\0\0", Code::ResourceExhausted, "above message_bytes_max");
    check(b"\x02\0\0\0\0", Code::Internal, "0b00000010");
    check(b"\xff\0\0\0\0", Code::Internal, "0b11111111");
}

#[test]
fn reader_does_not_reserve_what_is_only_promised() {
    let rules = Rules { message_bytes_max: usize::MAX, ..RULES };
    let mut reader = EnvelopeReader::new(rules, None);
    reader.receive(Bytes::from_static(b"\0\xff\xff\xff\xffhello"));
    assert_eq!(reader.poll().unwrap(), Found::NeedMore);
    assert!(reader.held.capacity() < 1024, "{}", reader.held.capacity());
}

#[test]
fn end_messages_have_a_limit_of_their_own() {
    let check = |length: usize, is_fine: bool| {
        let mut body = BytesMut::new();
        append(&mut body, 0x80, &vec![b'x'; length]);
        let mut reader = reader();
        reader.receive(body.freeze());
        assert_eq!(reader.poll().is_ok(), is_fine, "{length}");
    };
    check(9, true);
    check(END_BYTES_MAX, true);
    check(END_BYTES_MAX + 1, false);
}

/// Feeds envelopes of any size in chunks of any size, up to the first refusal, and gives the number of messages.
fn messages_within_bounds(seed: u64) -> usize {
    let allowed = compressed_bytes_max(RULES.message_bytes_max);
    let (mut chance, mut reader, mut messages) = (Chance::new(seed), reader(), 0);
    for _ in 0..60 {
        let mut envelope = BytesMut::new();
        if chance.once_in(2) {
            // Counts of zero: a compressed form of any length that is an empty message.
            append(&mut envelope, 1, &vec![0; 2 * chance.below(520)]);
        } else {
            append(&mut envelope, 0, &chance.bytes(8));
        }
        for chunk in envelope.chunks(1 + chance.below(40)) {
            reader.receive(Bytes::copy_from_slice(chunk));
            let mut found = reader.poll();
            while let Ok(Found::Message(_)) = found {
                messages += 1;
                found = reader.poll();
            }
            assert!(reader.held.len() <= allowed, "seed {seed}: {} bytes", reader.held.len());
            assert!(reader.held.capacity() <= 2 * allowed, "seed {seed}: {}", reader.held.capacity());
            if found.is_err() {
                return messages;
            }
            assert!(reader.chunk.is_empty(), "seed {seed}: a reader that wants more has taken all there was");
        }
    }
    messages
}

#[test]
fn reader_holds_no_more_than_one_envelope_and_one_chunk() {
    let messages: usize = (0..300).map(messages_within_bounds).sum();
    assert!(messages > 10_000, "{messages} messages came out");
}

#[test]
fn reader_refuses_every_flag_that_the_rules_do_not_know() {
    for end_flag in [0, 0x02, 0x80] {
        for flags in 0..=0xff_u8 {
            let mut reader = EnvelopeReader::new(Rules { end_flag, ..RULES }, Some(Arc::new(Runs)));
            reader.receive(Bytes::copy_from_slice(&[flags, 0, 0, 0, 0]));
            let expected = match flags & !1 {
                0 => Ok(Found::Message(Bytes::new())),
                known if known == end_flag => Ok(Found::EndMessage(Bytes::new())),
                _ => Err(Code::Internal),
            };
            let found = reader.poll().map_err(|status| status.code);
            assert_eq!(found, expected, "{flags:#010b}, where {end_flag:#010b} is the end");
        }
    }
}

#[test]
fn reader_says_how_much_of_a_cut_envelope_came() {
    let whole = b"\0\0\0\0\x04abcd";
    for end in 1..whole.len() {
        let mut reader = reader();
        reader.receive(Bytes::from_static(&whole[..end]));
        assert_eq!(reader.poll().unwrap(), Found::NeedMore, "{end}");
        assert!(reader.has_rest());
        reader.receive_end();
        let status = reader.poll().unwrap_err();
        let seen = if end < 5 { format!("{end} of 5 bytes") } else { format!("{} of 4 bytes", end - 5) };
        assert!(status.code == RULES.broken && status.message.ends_with(&seen), "{}", status.message);
    }
}
