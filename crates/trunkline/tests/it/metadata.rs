//! Metadata in both directions, on success and on error.

use bytes::Bytes;
use trunkline::{Code, Request};

use crate::support::{COUNT, ECHO, MISSING, World, cases, within_bounds};

fn request(message: &'static [u8]) -> Request<Bytes> {
    let mut request = Request::new(Bytes::from_static(message));
    for value in ["first", "second value, with comma"] {
        request.metadata_mut().append("echo", value).unwrap();
    }
    request.metadata_mut().append_bin("echo-bin", b"\x00\x01\xfe\xff").unwrap();
    request
}

#[tokio::test]
async fn headers_and_trailers_repeat_and_keep_their_order() {
    let world = World::new().await;
    for case in cases() {
        let response = within_bounds(case, world.channel(&case).unary(&ECHO, request(b"x"))).await.unwrap();
        let headers: Vec<_> = response.metadata().values("echoed").collect();
        assert_eq!(headers, ["first", "second value, with comma"], "{case:?}");
        let trailers: Vec<_> = response.trailers().values("echoed-trailer").collect();
        assert_eq!(trailers, ["first", "second value, with comma"], "{case:?}");
        assert_eq!(
            response.metadata().bin("echoed-bin").as_deref(),
            Some(&b"\x00\x01\xfe\xff"[..]),
            "{case:?}"
        );
    }
}

#[tokio::test]
async fn error_carries_code_message_details_and_trailers() {
    let world = World::new().await;
    for case in cases() {
        let request = request(b"x").with_metadata("fail", "percent % and spaces").unwrap();
        let error = within_bounds(case, world.channel(&case).unary(&ECHO, request)).await.unwrap_err();
        assert_eq!(error.code(), Code::FailedPrecondition, "{case:?}");
        assert_eq!(error.message(), "percent % and spaces", "{case:?}");
        assert!(error.is_from_peer(), "{case:?}");
        assert_eq!(error.details().len(), 1, "{case:?}");
        assert_eq!(error.details()[0].type_name, "test.v1.Detail", "{case:?}");
        assert_eq!(error.details()[0].value, &b"\x08\x01"[..], "{case:?}");
        let trailers: Vec<_> = error.metadata().values("echoed-trailer").collect();
        assert_eq!(trailers, ["first", "second value, with comma"], "{case:?}");
    }
}

#[tokio::test]
async fn stream_error_comes_after_headers_and_messages() {
    let world = World::new().await;
    for case in cases() {
        let request = request(b"\x02").with_metadata("fail", "ran dry").unwrap();
        let response =
            within_bounds(case, world.channel(&case).server_stream(&COUNT, request)).await.unwrap();
        let echoed: Vec<_> = response.metadata().values("echoed").map(str::to_owned).collect();
        assert_eq!(echoed, ["first", "second value, with comma"], "{case:?}");
        let mut stream = response.into_message();
        within_bounds(case, async {
            assert!(stream.message().await.unwrap().is_some());
            assert!(stream.message().await.unwrap().is_some());
            let error = stream.message().await.unwrap_err();
            assert_eq!((error.code(), error.message()), (Code::DataLoss, "ran dry"), "{case:?}");
            assert_eq!(error.headers().value("echoed"), Some("first"), "{case:?}");
            assert!(
                stream.message().await.unwrap().is_none(),
                "{case:?}: after an error the stream is at its end"
            );
        })
        .await;
    }
}

#[tokio::test]
async fn unknown_method_is_unimplemented_and_the_next_call_is_served() {
    let world = World::new().await;
    for case in cases() {
        let channel = world.channel(&case);
        let error = within_bounds(case, channel.unary(&MISSING, Bytes::new())).await.unwrap_err();
        assert_eq!(error.code(), Code::Unimplemented, "{case:?}: {error}");
        let response = within_bounds(case, channel.unary(&ECHO, Bytes::from_static(b"next"))).await;
        assert_eq!(response.unwrap().into_message(), "next", "{case:?}");
    }
}
