//! Every protocol × form × shape × codec × compression × outcome × size of chunks, with one exchange each.

use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;

use super::{Exchange, Pair};
use crate::metadata::encode_bin;
use crate::tests::testing::fields;
use crate::{Code, Detail, Protocol, Shape, Status};

const FORMS: [(Protocol, bool); 4] = [
    (Protocol::Connect, false),
    (Protocol::Grpc, false),
    (Protocol::GrpcWeb, false),
    (Protocol::GrpcWeb, true),
];
const SHAPES: [Shape; 4] = [Shape::Unary, Shape::ClientStream, Shape::ServerStream, Shape::Bidi];
const CHUNKS: [usize; 4] = [1, 2, 7, usize::MAX];

/// How a call ends, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Ok,
    /// An error before anything was sent.
    ErrorAtOnce,
    /// An error behind the head.
    ErrorAfterHead,
    /// An error behind the messages.
    ErrorAfterMessages,
}

const ENDINGS: [Ending; 4] =
    [Ending::Ok, Ending::ErrorAtOnce, Ending::ErrorAfterHead, Ending::ErrorAfterMessages];

/// Messages of one side: one, or several of which some are odd.
fn messages(streams: bool) -> Vec<Vec<u8>> {
    let mut messages = vec![b"{\"name\":\"aaaaaaaaaaaaaaaa\"}".to_vec()];
    if streams {
        messages.extend([Vec::new(), vec![0; 64], (0..=63).collect(), b"\x80\0\0\0\0".to_vec()]);
    }
    messages
}

/// Metadata with repeats and binary values; `mark` tells those of the request, the head and the end apart.
fn metadata(mark: &str) -> HeaderMap {
    let mut metadata = fields(&[
        ("x-first", mark),
        ("x-repeated", "1"),
        ("x-other", "a, b;c=\"d\""),
        ("x-repeated", "2"),
        ("x-repeated", "1"),
        ("x-empty", ""),
        ("user-agent", "pair/1"),
    ]);
    for bytes in [&b""[..], b"\0", b"\xff\xfe", mark.as_bytes()] {
        metadata.append("x-bytes-bin", encode_bin(bytes));
    }
    metadata
}

fn failure() -> Status {
    let mut status = Status::new(Code::FailedPrecondition, "50 % of \u{e4}\u{1f600}\n\"it\" \\ failed");
    status.details = [("a.b.First", &b"\x08\x01"[..]), ("a.b.Empty", b""), ("Third", b"\xff\0\xfe")]
        .map(|(name, value)| Detail { type_name: name.to_owned(), value: Bytes::from_static(value) })
        .to_vec();
    status.metadata = fields(&[("x-of-error", "1"), ("x-of-error", "2")]);
    status
}

fn exchange(form: (Protocol, bool), shape: Shape, ending: Ending) -> Exchange {
    let outcome = if ending == Ending::Ok { Ok(()) } else { Err(failure()) };
    let has_messages = matches!(ending, Ending::Ok | Ending::ErrorAfterMessages);
    Exchange {
        protocol: form.0,
        text: form.1,
        by_get: false,
        shape,
        codec: "proto",
        compression: None,
        compress_bytes_min: 0,
        timeout: Some(Duration::from_millis(1500)),
        request_metadata: metadata("request"),
        requests: messages(shape.client_streams()),
        response_metadata: (ending != Ending::ErrorAtOnce).then(|| metadata("head")),
        responses: if has_messages { messages(shape.server_streams()) } else { Vec::new() },
        outcome,
        trailers: metadata("end"),
    }
}

/// One side speaks after the other, in chunks of one size.
fn check(exchange: &Exchange, chunk_bytes: usize) {
    let mut pair = Pair::new(exchange);
    while !pair.request.is_closed {
        pair.client_writes();
    }
    while !pair.is_read {
        pair.carry_request(chunk_bytes);
        pair.server_reads();
    }
    while !pair.response.is_closed {
        pair.server_writes();
    }
    while !pair.is_done {
        pair.carry_response(chunk_bytes);
        pair.client_reads();
    }
    pair.check(&format!("in chunks of {chunk_bytes}"));
}

#[test]
fn what_goes_in_comes_out_in_every_combination() {
    let mut count = 0;
    for form in FORMS {
        for shape in SHAPES {
            for ending in ENDINGS {
                for compression in [None, Some("runs"), Some("flip")] {
                    for codec in ["proto", "json"] {
                        let exchange = Exchange { compression, codec, ..exchange(form, shape, ending) };
                        CHUNKS.iter().for_each(|chunk| check(&exchange, *chunk));
                        count += CHUNKS.len();
                    }
                }
            }
        }
    }
    assert_eq!(count, 4 * 4 * 4 * 3 * 2 * 4);
}

#[test]
fn what_goes_in_comes_out_by_get() {
    for ending in ENDINGS {
        for compression in [None, Some("runs"), Some("flip")] {
            for codec in ["proto", "json"] {
                for request in [&b""[..], b"{\"a b\":\"+%&=?\xc3\xa4\"}", b"\xff\0\x80", &[b'a'; 64]] {
                    let exchange = Exchange {
                        by_get: true,
                        compression,
                        codec,
                        requests: vec![request.to_vec()],
                        ..exchange((Protocol::Connect, false), Shape::Unary, ending)
                    };
                    CHUNKS.iter().for_each(|chunk| check(&exchange, *chunk));
                }
            }
        }
    }
}

#[test]
fn messages_below_the_minimum_come_out_as_well() {
    for form in FORMS {
        for shape in SHAPES {
            for compress_bytes_min in [1, 5, 6, 28, 64, 65] {
                let compression = Some("flip");
                let exchange =
                    Exchange { compression, compress_bytes_min, ..exchange(form, shape, Ending::Ok) };
                check(&exchange, 7);
            }
        }
    }
}

#[test]
fn spaces_around_a_message_come_out() {
    for form in FORMS {
        for message in [" ", "  ", " a", "a ", " a b ", "\ta\t", "\n", " \u{e4} ", "%20", " %20 "] {
            for ending in [Ending::ErrorAtOnce, Ending::ErrorAfterHead] {
                let outcome = Err(Status { message: message.to_owned(), ..failure() });
                for shape in [Shape::Unary, Shape::Bidi] {
                    check(&Exchange { outcome: outcome.clone(), ..exchange(form, shape, ending) }, 7);
                }
            }
        }
    }
}

#[test]
fn no_messages_and_no_metadata_come_out_as_none() {
    for form in FORMS {
        for compression in [None, Some("runs")] {
            let exchange = Exchange {
                compression,
                timeout: None,
                request_metadata: fields(&[("user-agent", "pair/1")]),
                requests: Vec::new(),
                response_metadata: Some(HeaderMap::new()),
                responses: Vec::new(),
                trailers: HeaderMap::new(),
                ..exchange(form, Shape::Bidi, Ending::Ok)
            };
            CHUNKS.iter().for_each(|chunk| check(&exchange, *chunk));
        }
    }
}

#[test]
fn every_code_comes_out_wherever_the_call_ends() {
    for form in FORMS {
        for shape in SHAPES {
            for ending in [Ending::ErrorAtOnce, Ending::ErrorAfterHead, Ending::ErrorAfterMessages] {
                for code in &Code::ALL[1..] {
                    let outcome = Err(Status { code: *code, ..failure() });
                    check(&Exchange { outcome, ..exchange(form, shape, ending) }, usize::MAX);
                }
            }
        }
    }
}

#[test]
fn timeouts_come_out_as_long_as_they_went_in() {
    for form in FORMS {
        for shape in [Shape::Unary, Shape::Bidi] {
            for millis in [0, 1, 999, 1_000, 99_999, 100_000, 3_600_000, 9_999_999_000] {
                let timeout = Some(Duration::from_millis(millis));
                check(&Exchange { timeout, ..exchange(form, shape, Ending::Ok) }, 7);
            }
        }
    }
}
