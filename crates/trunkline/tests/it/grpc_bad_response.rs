//! Servers that answer wrong over HTTP/2, in gRPC: each answer is the code that the specification gives.

use bytes::Bytes;
use trunkline::{Channel, Code, Error};

use crate::peers::{End, Script, envelope, http2_peer, stream, unary};
use crate::support::within_bounds;

const GRPC: &[(&str, &str)] = &[("content-type", "application/grpc+proto")];

fn status(number: &str) -> End {
    End::Trailers(vec![("grpc-status", number.to_owned())])
}

#[tokio::test]
async fn wrong_answer_in_grpc_has_its_code() {
    let message = Bytes::from(envelope(0, b"m"));
    let long = |bytes| End::Trailers(vec![("grpc-status", "5".into()), ("grpc-message", "m".repeat(bytes))]);
    let percent = End::Trailers(vec![("grpc-status", "5".into()), ("grpc-message", "%%ff%f%zz%".into())]);
    let twice = End::Trailers(vec![("grpc-status", "5".into()), ("grpc-status", "0".into())]);
    let with_status = &[("content-type", "application/grpc+proto"), ("grpc-status", "5")];
    let gzip = &[("content-type", "application/grpc+proto"), ("grpc-encoding", "gzip")];
    let rows = [
        ("good", GRPC, message.clone(), status("0"), None),
        ("no trailers", GRPC, message.clone(), End::Stream, Some(Code::Internal)),
        ("no status", GRPC, message.clone(), End::Trailers(vec![("x", "y".into())]), Some(Code::Unknown)),
        ("no message", GRPC, Bytes::new(), status("0"), Some(Code::Unimplemented)),
        ("status is a word", GRPC, message.clone(), status("ok"), Some(Code::Unknown)),
        ("status is huge", GRPC, message.clone(), status("99999999999"), Some(Code::Unknown)),
        ("status is above int32", GRPC, message.clone(), status("4294967296"), Some(Code::Unknown)),
        ("status twice", GRPC, message.clone(), twice, Some(Code::NotFound)),
        ("status in head and trailers", with_status, message.clone(), status("0"), None),
        ("status in the head, no trailers", with_status, message.clone(), End::Stream, Some(Code::Internal)),
        ("message is percent", GRPC, Bytes::new(), percent, Some(Code::NotFound)),
        ("message is long", GRPC, Bytes::new(), long(50_000), Some(Code::NotFound)),
        ("message above the limit is left out", GRPC, Bytes::new(), long(100_000), Some(Code::NotFound)),
        ("message far above the limit", GRPC, Bytes::new(), long(1 << 20), Some(Code::ResourceExhausted)),
        ("cut", GRPC, message.slice(..5), status("0"), Some(Code::Internal)),
        ("cut, with a status", GRPC, message.slice(..5), status("5"), Some(Code::NotFound)),
        ("flag", GRPC, Bytes::from(envelope(0x80, b"m")), status("0"), Some(Code::Internal)),
        (
            "promise",
            GRPC,
            Bytes::from_static(b"\0\xff\xff\xff\xff"),
            status("0"),
            Some(Code::ResourceExhausted),
        ),
        ("no gzip", gzip, Bytes::from(envelope(1, b"m")), status("0"), Some(Code::Internal)),
        ("reset", GRPC, message.clone(), End::Reset(h2::Reason::REFUSED_STREAM), Some(Code::Unavailable)),
        (
            "reset without error",
            GRPC,
            message.clone(),
            End::Reset(h2::Reason::NO_ERROR),
            Some(Code::Internal),
        ),
        ("dropped", GRPC, message.clone(), End::Drop, Some(Code::Unavailable)),
        ("html", &[("content-type", "text/html")], message.clone(), End::Stream, Some(Code::Unknown)),
    ];
    for (what, head, body, end, code) in rows {
        let peer = http2_peer(Script { head, body, end }).await;
        let channel = Channel::builder(&peer.target).connect_lazy().unwrap();
        let error = within_bounds(what, unary(&channel)).await.err();
        assert_eq!(error.as_ref().map(Error::code), code, "{what}: {error:?}");
    }
}

#[tokio::test]
async fn grpc_answer_cut_at_any_byte_is_never_a_success() {
    let whole = Bytes::from([envelope(0, b"m"), envelope(0, b"")].concat());
    for cut in 0..whole.len() {
        for end in [End::Stream, End::Drop, End::Reset(h2::Reason::CANCEL), status("0")] {
            let what = format!("cut at {cut}, then {end:?}");
            let boundary = matches!(end, End::Trailers(_)) && matches!(cut, 0 | 6);
            let peer = http2_peer(Script { head: GRPC, body: whole.slice(..cut), end }).await;
            let channel = Channel::builder(&peer.target).connect_lazy().unwrap();
            let (count, end) = within_bounds(&what, stream(&channel)).await;
            assert_eq!(end.is_ok(), boundary, "{what}: {end:?}");
            assert!(count <= cut / 6, "{what}: {count} messages");
        }
    }
}
