use super::*;

#[test]
fn request_derefs_to_its_message_and_keeps_what_travels_with_it() {
    let mut request =
        Request::new(vec![1]).with_metadata("a", "1").unwrap().with_timeout(Duration::from_secs(1));
    request.push(2);
    assert_eq!(request.len(), 2);
    assert!(request.context().is_none(), "it was not received");
    let request = request.map(|numbers| numbers.len());
    assert_eq!((*request, request.metadata().value("a")), (2, Some("1")));
    let (message, options) = request.into_call();
    assert_eq!((message, options.timeout), (2, Some(Duration::from_secs(1))));
    assert_eq!(options.metadata.value("a"), Some("1"));
}

#[test]
fn bare_message_will_do_for_a_request() {
    fn given(request: impl IntoRequest<u8>) -> u8 {
        request.into_request().into_message()
    }
    assert_eq!(given(1), 1);
    assert_eq!(given(Request::new(2)), 2);
    assert_eq!(given(Request::from(3)), 3);
}

#[tokio::test]
async fn stream_of_messages_will_do_for_a_streaming_request() {
    async fn first(request: impl IntoStreamingRequest<u8>) -> Option<u8> {
        request.into_streaming_request().into_message().message().await.unwrap()
    }
    struct Once(Option<u8>);
    impl Stream for Once {
        type Item = u8;
        fn poll_next(
            mut self: std::pin::Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
        ) -> std::task::Poll<Option<u8>> {
            std::task::Poll::Ready(self.0.take())
        }
    }
    assert_eq!(first(Once(Some(1))).await, Some(1));
    assert_eq!(first(Request::new(Streaming::from_iter([2]))).await, Some(2));
}

#[test]
fn wrong_metadata_is_refused_where_it_is_set() {
    let error = Request::new(()).with_metadata("grpc-status", "0").unwrap_err();
    assert_eq!(error.code(), crate::Code::InvalidArgument);
}

fn asked(payloads: &[&'static [u8]]) -> Request<Streaming<Payload>> {
    let payloads: Vec<_> = payloads.iter().map(|bytes| Payload::new(crate::Format::PROTO, *bytes)).collect();
    let mut request = Request::new(Streaming::from_iter(payloads)).with_metadata("a", "1").unwrap();
    request.extensions_mut().insert(7_u8);
    request
}

#[tokio::test]
async fn request_of_one_message_can_be_had_again() {
    let mut request = asked(&[b"x"]).into_single().await.unwrap();
    assert_eq!(request.bytes(), &b"x"[..]);
    for value in ["1", "2"] {
        request.metadata_mut().insert("a", value).unwrap();
        let mut again = request.again();
        assert_eq!((again.metadata().value("a"), again.extensions().get()), (Some(value), Some(&7_u8)));
        assert_eq!(again.message().await.unwrap().unwrap().bytes(), &b"x"[..]);
        assert!(again.message().await.unwrap().is_none());
    }
}

#[tokio::test]
async fn request_of_none_or_several_messages_is_not_one_of_one() {
    for payloads in [&[] as &[&[u8]], &[b"x", b"y"]] {
        let error = asked(payloads).into_single().await.unwrap_err();
        assert_eq!(error.code(), crate::Code::Unimplemented);
    }
    let failed = Request::new(Streaming::failed(crate::Error::aborted("no")));
    assert_eq!(failed.into_single().await.unwrap_err().code(), crate::Code::Aborted);
}
