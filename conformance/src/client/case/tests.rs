use std::time::Duration;

use trunkline::Channel;
use trunkline_conformance::proto::connectrpc::conformance::v1 as messages;
use trunkline_conformance::suite;

use self::messages::client_compat_request::Cancel as Asked;
use self::messages::client_compat_request::cancel::CancelTiming;
use self::messages::{
    ClientCompatRequest, ClientStreamRequest, Codec, Compression, HTTPVersion, Header, StreamType,
    UnaryRequest,
};
use super::{Cancel, Case, run};
use crate::channels::Channels;

#[test]
fn cancel_is_read_as_the_suite_means_it() {
    check_cancel(None, Cancel::Never);
    check_cancel(Some(None), Cancel::AfterClose(Duration::ZERO));
    let before = CancelTiming::BeforeCloseSend(Box::default());
    check_cancel(Some(Some(before)), Cancel::BeforeClose);
    check_cancel(Some(Some(CancelTiming::AfterCloseSendMs(5))), Cancel::AfterClose(Duration::from_millis(5)));
    check_cancel(Some(Some(CancelTiming::AfterNumResponses(2))), Cancel::AfterResponses(2));
}

#[tokio::test]
async fn request_has_exactly_one_message_of_its_type() {
    let unary = suite::pack(&UnaryRequest::default());
    let other = suite::pack(&ClientStreamRequest::default());
    for (request_messages, refused) in [
        (vec![unary.clone()], None),
        (vec![], Some("exactly one")),
        (vec![unary.clone(), unary], Some("exactly one")),
        (vec![other], Some("UnaryRequest")),
    ] {
        let asked = ClientCompatRequest { request_messages, ..ClientCompatRequest::default() };
        let request = case(&asked).request::<UnaryRequest>();
        assert_eq!(request.is_err(), refused.is_some(), "{request:?}");
        if let (Err(seen), Some(why)) = (request, refused) {
            assert!(seen.contains(why), "{seen}");
        }
    }
}

#[tokio::test]
async fn request_carries_metadata() {
    for (name, is_sent) in [("x-mine", true), ("content-type", false)] {
        let header = Header { name: name.into(), value: vec!["1".into(), "2".into()], ..Header::default() };
        let asked = ClientCompatRequest { request_headers: vec![header], ..ClientCompatRequest::default() };
        let request = case(&asked).with_metadata(());
        assert_eq!(request.is_ok(), is_sent, "{name}");
        if let Ok(request) = request {
            assert_eq!(request.metadata().values(name).collect::<Vec<_>>(), ["1", "2"]);
        }
    }
}

#[tokio::test]
async fn case_that_nobody_can_run_is_an_error() {
    let bidi = |stream_type| ClientCompatRequest {
        method: Some("BidiStream".into()),
        stream_type: StreamType::into(stream_type),
        ..asked()
    };
    let other_service = ClientCompatRequest { service: Some("other.Service".into()), ..asked() };
    let other_method = ClientCompatRequest { method: Some("Other".into()), ..asked() };
    for (asked, why) in [
        (other_service, "no service other.Service"),
        (other_method, "no method Other"),
        (asked(), "no method"),
        (bidi(StreamType::STREAM_TYPE_UNARY), "BidiStream cannot be called as"),
        (ClientCompatRequest::default(), "no HTTP version"),
    ] {
        let refused = run(&asked, &Channels::default()).await.unwrap_err();
        assert!(refused.contains(why), "{refused}");
    }
}

fn check_cancel(timing: Option<Option<CancelTiming>>, expected: Cancel) {
    let cancel = timing.map(|cancel_timing| Asked { cancel_timing, ..Asked::default() });
    let asked = ClientCompatRequest { cancel: cancel.into(), ..ClientCompatRequest::default() };
    assert_eq!(Cancel::of(&asked), expected);
}

fn case(asked: &ClientCompatRequest) -> Case<'_> {
    let channel = Channel::builder("127.0.0.1:1").connect_lazy().unwrap();
    Case { channel, asked, cancel: Cancel::of(asked) }
}

fn asked() -> ClientCompatRequest {
    ClientCompatRequest {
        host: "127.0.0.1".to_owned(),
        port: 1,
        http_version: HTTPVersion::HTTP_VERSION_2.into(),
        protocol: messages::Protocol::PROTOCOL_GRPC.into(),
        codec: Codec::CODEC_PROTO.into(),
        compression: Compression::COMPRESSION_IDENTITY.into(),
        ..ClientCompatRequest::default()
    }
}
