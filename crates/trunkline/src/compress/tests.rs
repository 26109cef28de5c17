//! One table of all compressions. Each rule is a test that goes through it.

#![allow(clippy::unwrap_used, reason = "in a test it is an assertion")]

use std::collections::HashSet;

use bytes::BytesMut;

use super::*;

/// A compression, and what its format makes of input that is not quite a stream.
struct Row {
    name: &'static str,
    compression: Arc<dyn Compression>,
    /// The largest compressed form of 10 MiB of zeros. Each chunk of snappy is small, so it cannot shrink by much more
    /// than a twentieth.
    bomb_bytes_max: usize,
    /// Whether two streams, one behind the other, are one message.
    is_concatenated: bool,
    /// Whether a stream may end wherever a chunk of it does.
    is_endless: bool,
}

fn rows() -> Vec<Row> {
    let row = |name, compression: Arc<dyn Compression>| Row {
        name,
        compression,
        bomb_bytes_max: 10 << 10,
        is_concatenated: false,
        is_endless: false,
    };
    vec![
        // At the fastest level a hundredth is what comes out.
        Row { is_concatenated: true, bomb_bytes_max: 100 << 10, ..row("gzip", Arc::new(Gzip::default())) },
        Row { is_concatenated: true, ..row("gzip", Arc::new(Gzip::new(99))) },
        Row { bomb_bytes_max: 100 << 10, ..row("deflate", Arc::new(Deflate::default())) },
        row("deflate", Arc::new(Deflate::new(99))),
        Row { is_concatenated: true, ..row("zstd", Arc::new(Zstd::default())) },
        Row { is_concatenated: true, ..row("zstd", Arc::new(Zstd::new(99))) },
        row("br", Arc::new(Brotli::default())),
        row("br", Arc::new(Brotli::new(99))),
        Row {
            is_concatenated: true,
            is_endless: true,
            bomb_bytes_max: 500 << 10,
            ..row("snappy", Arc::new(Snappy::default()))
        },
    ]
}

impl Row {
    fn compressed(&self, source: &[u8]) -> Vec<u8> {
        let mut target = BytesMut::from(&b"before"[..]);
        self.compression.compress(source, &mut target);
        assert!(target.starts_with(b"before"), "{}: compressing appends", self.name);
        target[b"before".len()..].to_vec()
    }

    fn inflated(&self, source: &[u8], bytes_max: usize) -> Result<Vec<u8>, InflateFault> {
        let mut target = BytesMut::from(&b"before"[..]);
        let outcome = self.compression.inflate(source, bytes_max, &mut target);
        assert!(target.starts_with(b"before"), "{}: inflating appends", self.name);
        let plain = target[b"before".len()..].to_vec();
        assert!(plain.len() <= bytes_max.saturating_add(1), "{}: {} bytes", self.name, plain.len());
        outcome.map(|()| plain)
    }

    fn is_corrupt(&self, source: &[u8], what: &str) {
        let outcome = self.inflated(source, 1 << 20);
        assert!(matches!(outcome, Err(InflateFault::Corrupt(_))), "{}: {what}: {outcome:?}", self.name);
    }
}

/// Bytes without any order, the same each time.
fn noise(bytes: usize) -> Vec<u8> {
    let mut state = 0x5eed_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    std::iter::repeat_with(&mut next).take(bytes).collect()
}

fn text(bytes: usize) -> Vec<u8> {
    b"some text that repeats itself, as most messages do; ".iter().copied().cycle().take(bytes).collect()
}

#[test]
fn all_of_them_are_known_by_their_names() {
    let known: Vec<_> = all().names().collect();
    assert_eq!(known, ["gzip", "zstd", "br", "deflate", "snappy"]);
    let rows: HashSet<_> = rows().iter().map(|row| (row.name, row.compression.name())).collect();
    assert_eq!(rows, known.into_iter().map(|name| (name, name)).collect());
}

#[test]
fn bytes_come_out_as_they_went_in() {
    for row in rows() {
        for size in [0, 1, 5, 100, 1000, 65_535, 65_536, 65_537, 300_000] {
            for source in [vec![0; size], text(size), noise(size)] {
                let compressed = row.compressed(&source);
                assert_eq!(row.inflated(&compressed, size).unwrap(), source, "{} {size}", row.name);
                // What the other side buffers of a message that does not shrink.
                assert!(
                    compressed.len() <= size + size / 16 + 1024,
                    "{} {size}: {}",
                    row.name,
                    compressed.len()
                );
            }
        }
    }
}

#[test]
fn one_byte_past_the_limit_is_too_large() {
    for row in rows() {
        for size in [1, 2, 511, 512, 513, 65_535, 65_536, 65_537, 300_000] {
            for source in [vec![0; size], noise(size)] {
                let compressed = row.compressed(&source);
                assert!(row.inflated(&compressed, size + 1).is_ok(), "{} {size}", row.name);
                assert!(row.inflated(&compressed, size).is_ok(), "{} {size}", row.name);
                assert_eq!(
                    row.inflated(&compressed, size - 1),
                    Err(InflateFault::TooLarge),
                    "{} {size}",
                    row.name
                );
                assert_eq!(row.inflated(&compressed, 0), Err(InflateFault::TooLarge), "{} {size}", row.name);
            }
        }
        assert_eq!(row.inflated(&row.compressed(b""), usize::MAX), Ok(vec![]), "{}", row.name);
    }
}

#[test]
fn bomb_costs_no_more_than_the_limit() {
    const LIMIT: usize = 1 << 20;
    for row in rows() {
        let bomb = row.compressed(&vec![0; 10 << 20]);
        assert!(bomb.len() <= row.bomb_bytes_max, "{}: {}", row.name, bomb.len());
        for limit in [0, 1 << 16, LIMIT] {
            let mut target = BytesMut::new();
            assert_eq!(
                row.compression.inflate(&bomb, limit, &mut target),
                Err(InflateFault::TooLarge),
                "{}",
                row.name
            );
            assert!(target.len() <= limit + 1, "{}: {}", row.name, target.len());
            // A buffer grows by doubling.
            assert!(target.capacity() <= 2 * limit + 1024, "{}: {}", row.name, target.capacity());
        }
    }
}

#[test]
fn cut_stream_is_corrupt() {
    for row in rows() {
        for source in [text(300), noise(300)] {
            let whole = row.compressed(&source);
            for end in 0..whole.len() {
                match row.inflated(&whole[..end], 1 << 20) {
                    Err(InflateFault::Corrupt(_)) => {}
                    Ok(plain) if row.is_endless => assert_eq!((plain, end), (vec![], 10)),
                    outcome => panic!("{} cut at {end} of {}: {outcome:?}", row.name, whole.len()),
                }
            }
        }
        // Cut in the midst of what has been inflated already.
        let whole = row.compressed(&noise(300_000));
        row.is_corrupt(&whole[..whole.len() - 1], "without the last byte");
        row.is_corrupt(&whole[..whole.len() / 2], "half");
    }
}

#[test]
fn garbage_is_corrupt() {
    for row in rows() {
        let whole = row.compressed(&text(300));
        for garbage in [&b"no stream"[..], &[0; 20], &[0xff; 20], b"\x1f\x8b", &noise(1000)] {
            row.is_corrupt(garbage, "garbage");
            row.is_corrupt(&[&whole, garbage].concat(), "garbage behind the end");
        }
        row.is_corrupt(&[&whole[..], b"\x01"].concat(), "one byte behind the end");
    }
}

#[test]
fn several_streams_are_one_message_where_the_format_says_so() {
    for row in rows() {
        let both = [row.compressed(b"one "), row.compressed(b""), row.compressed(b"two")].concat();
        match row.is_concatenated {
            true => {
                assert_eq!(row.inflated(&both, 7).unwrap(), b"one two", "{}", row.name);
                assert_eq!(row.inflated(&both, 6), Err(InflateFault::TooLarge), "{}", row.name);
            }
            false => row.is_corrupt(&both, "two streams"),
        }
    }
}

#[test]
fn flipped_bits_never_panic_and_leave_the_next_message_alone() {
    for row in rows() {
        let source = text(2000);
        let whole = row.compressed(&source);
        for index in 0..whole.len().min(300) {
            for bit in 0..8 {
                let mut flipped = whole.clone();
                flipped[index] ^= 1 << bit;
                // A format without a checksum may take a wrong bit for a right one.
                let _ = row.inflated(&flipped, 1 << 16);
            }
            assert_eq!(row.inflated(&whole, source.len()).as_ref(), Ok(&source), "{} {index}", row.name);
        }
    }
}

#[test]
fn messages_at_the_same_time_do_not_meet() {
    for row in rows() {
        std::thread::scope(|scope| {
            for size in [10, 1000, 20_000, 100_000] {
                let row = &row;
                scope.spawn(move || {
                    for source in [text(size), noise(size), text(size)] {
                        assert_eq!(row.inflated(&row.compressed(&source), size).unwrap(), source);
                    }
                });
            }
        });
    }
}

#[test]
fn window_beyond_the_bound_is_corrupt() {
    let zstd = |window_descriptor: u8| {
        // Frame header (RFC 8878, 3.1.1.1) without content size, then an empty last block.
        let frame = [0x28, 0xb5, 0x2f, 0xfd, 0, window_descriptor, 1, 0, 0];
        Zstd::default().inflate(&frame, 1000, &mut BytesMut::new())
    };
    assert_eq!(zstd((23 - 10) << 3), Ok(()), "8 MiB, as RFC 9659 allows");
    assert!(matches!(zstd((23 - 10) << 3 | 1), Err(InflateFault::Corrupt(_))), "9 MiB");
    assert!(matches!(zstd(0xff), Err(InflateFault::Corrupt(_))), "the largest there is");
    // "Large window" brotli, which is not RFC 7932: eight bits that no window of the RFC begins with, then 30 bits.
    let brotli = Brotli::default().inflate(&[0x11, 30, 3], 1000, &mut BytesMut::new());
    assert!(matches!(brotli, Err(InflateFault::Corrupt(_))), "{brotli:?}");
}

#[test]
fn size_that_a_frame_promises_is_not_believed() {
    // A zstd frame of one segment that promises 1 MiB of content and holds one byte.
    let promise = [0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0x10, 0, 9, 0, 0, b'x'];
    let mut target = BytesMut::new();
    let outcome = Zstd::default().inflate(&promise, 4 << 20, &mut target);
    assert!(matches!(outcome, Err(InflateFault::Corrupt(_))), "{outcome:?}");
    assert!(target.capacity() <= 1 << 17, "{}", target.capacity());
    // A snappy chunk that promises 4 GiB (32 bits, seven in each byte) and holds nothing.
    let promise = [&b"\xff\x06\0\0sNaPpY"[..], b"\0\x09\0\0\0\0\0\0\xff\xff\xff\xff\x0f"].concat();
    let outcome = Snappy::default().inflate(&promise, 4 << 20, &mut target);
    assert!(matches!(outcome, Err(InflateFault::Corrupt(_))), "{outcome:?}");
}
