//! Messages that are not ours: prost's, and a user's own MessagePack, through every protocol.

use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use prost::Message;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use trunkline::codec::{Codec, CodecFault, Prost};
use trunkline::server::{Routes, Service};
use trunkline::{
    CallOptions, Channel, Code, Error, Format, Procedure, Protocol, Request, Response, Result, Server,
    Streaming, testkit,
};

use crate::support::{Over, cases, within_bounds};

#[derive(Clone, PartialEq, Message)]
struct Greeting {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(uint32, repeated, tag = "2")]
    numbers: Vec<u32>,
}

/// The same for serde.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Packed {
    name: String,
    numbers: Vec<u32>,
}

/// A user's own codec.
struct MessagePack;

const MSGPACK: Format = Format::named("msgpack");

impl<T: Serialize + DeserializeOwned + 'static> Codec<T> for MessagePack {
    const FORMATS: &'static [Format] = &[MSGPACK];

    fn size_hint(_: Format, _: &T) -> usize {
        64
    }

    fn encode(_: Format, value: &T, target: &mut BytesMut) -> Result<(), CodecFault> {
        rmp_serde::encode::write(&mut target.writer(), value).map_err(CodecFault::new)
    }

    fn decode(_: Format, payload: Bytes) -> Result<T, CodecFault> {
        rmp_serde::from_slice(&payload).map_err(CodecFault::new)
    }
}

const fn greet<T, C>() -> Procedure<T, T, C> {
    Procedure::unary("test.v1.Foreign", "Greet", "/test.v1.Foreign/Greet")
}

const fn chat<T, C>() -> Procedure<T, T, C> {
    Procedure::bidi("test.v1.Foreign", "Chat", "/test.v1.Foreign/Chat")
}

/// Answers what it is asked, in messages of type `T` by codec `C`.
struct Foreign<T, C>(std::marker::PhantomData<fn(C) -> T>);

impl<T: Send + Sync + 'static, C: Codec<T>> Service for Foreign<T, C> {
    fn name(&self) -> &'static str {
        "test.v1.Foreign"
    }

    fn register(self, routes: &mut Routes) {
        let service = Arc::new(());
        routes.unary(&greet::<T, C>(), &service, |_, request: Request<T>| async move {
            Ok::<_, Error>(Response::new(request.into_message()))
        });
        routes.bidi(&chat::<T, C>(), &service, |_, request: Request<Streaming<T>>| async move {
            Ok::<_, Error>(Response::new(request.into_message()))
        });
    }
}

fn server<T: Send + Sync + 'static, C: Codec<T>>() -> Server {
    Server::new().service(Foreign::<T, C>(std::marker::PhantomData))
}

/// Unary and streaming calls come back as they went, over each protocol and transport.
async fn check_matrix<T, C>(format: Format, messages: &[T])
where
    T: Clone + PartialEq + std::fmt::Debug + Send + Sync + 'static,
    C: Codec<T>,
{
    let bound = server::<T, C>().bind("127.0.0.1:0").await.unwrap();
    let target = format!("http://{}", bound.local_address());
    let serving = tokio::spawn(bound.serve());
    for case in cases().into_iter().filter(|case| case.over != Over::Tls) {
        let builder = case.builder(&target).format(format);
        let channel = match case.over {
            Over::Memory => testkit::pair_with(server::<T, C>(), builder),
            _ => builder.connect_lazy().unwrap(),
        };
        for message in messages {
            let answer = within_bounds(case, channel.unary(&greet::<T, C>(), message.clone())).await;
            assert_eq!(answer.unwrap().into_message(), *message, "{case:?}");
        }
        let answers = async {
            let mut bidi = channel.bidi(&chat::<T, C>(), CallOptions::default());
            for message in messages {
                bidi.send(message.clone()).await?;
            }
            bidi.close();
            let mut seen = Vec::new();
            while let Some(message) = bidi.message().await? {
                seen.push(message);
            }
            Ok::<_, Error>(seen)
        };
        assert_eq!(within_bounds(case, answers).await.unwrap(), messages, "{case:?}");
    }
    serving.abort();
}

#[tokio::test]
async fn prost_messages_pass_every_protocol() {
    let messages = [
        Greeting::default(),
        Greeting { name: "Ada".to_owned(), numbers: vec![1, 300] },
        Greeting { name: "x".repeat(100_000), numbers: vec![] },
    ];
    check_matrix::<Greeting, Prost>(Format::PROTO, &messages).await;
}

#[tokio::test]
async fn messagepack_messages_pass_every_protocol() {
    let messages = [Packed::default(), Packed { name: "Ada".to_owned(), numbers: vec![1, 300] }];
    check_matrix::<Packed, MessagePack>(MSGPACK, &messages).await;
}

#[tokio::test]
async fn prost_in_json_is_unimplemented_on_either_side() {
    // The client's own codec refuses.
    for protocol in [Protocol::Connect, Protocol::Grpc, Protocol::GrpcWeb] {
        let builder = Channel::builder("memory").protocol(protocol).format(Format::JSON);
        let channel = testkit::pair_with(server::<Greeting, Prost>(), builder);
        let error = channel.unary(&greet::<Greeting, Prost>(), Greeting::default()).await.unwrap_err();
        assert_eq!(error.code(), Code::Unimplemented, "{protocol}: {error}");
        assert!(!error.is_from_peer(), "{protocol}");
        assert!(error.message().contains("needs descriptors"), "{protocol}: {error}");
    }
    // The server's refuses what a client without that codec has sent.
    for protocol in [Protocol::Connect, Protocol::Grpc, Protocol::GrpcWeb] {
        let builder = Channel::builder("memory").protocol(protocol).format(Format::JSON);
        let channel = testkit::pair_with(server::<Greeting, Prost>(), builder);
        let raw = greet::<Bytes, trunkline::codec::Raw>();
        let error = channel.unary(&raw, Bytes::from_static(b"{}")).await.unwrap_err();
        assert_eq!(error.code(), Code::Unimplemented, "{protocol}: {error}");
        assert!(error.is_from_peer(), "{protocol}");
        assert!(error.message().contains("needs descriptors"), "{protocol}: {error}");
    }
}

#[tokio::test]
async fn bytes_that_are_no_message_are_the_callers_fault() {
    async fn check<T: Send + Sync + 'static, C: Codec<T>>(format: Format, bytes: &'static [u8]) {
        for protocol in [Protocol::Connect, Protocol::Grpc, Protocol::GrpcWeb] {
            let builder = Channel::builder("memory").protocol(protocol).format(format);
            let channel = testkit::pair_with(server::<T, C>(), builder);
            let wrong = greet::<Bytes, AnyFormat>();
            let error = channel.unary(&wrong, Bytes::from_static(bytes)).await.unwrap_err();
            assert_eq!(error.code(), Code::InvalidArgument, "{protocol} {bytes:?}: {error}");
            assert!(error.is_from_peer(), "{protocol} {bytes:?}");
        }
    }
    for bytes in [&b"\x0a\x05abc"[..], b"\x0a\x01\xff", b"\x07", b"\xff"] {
        check::<Greeting, Prost>(Format::PROTO, bytes).await;
    }
    for bytes in [&b""[..], b"\xc1", b"\x92\xa3ab", b"\x01"] {
        check::<Packed, MessagePack>(MSGPACK, bytes).await;
    }
}

/// Bytes as they are, in any format.
struct AnyFormat;

impl Codec<Bytes> for AnyFormat {
    const FORMATS: &'static [Format] = &[Format::PROTO, MSGPACK];

    fn size_hint(_: Format, value: &Bytes) -> usize {
        value.len()
    }

    fn encode(_: Format, value: &Bytes, target: &mut BytesMut) -> Result<(), CodecFault> {
        target.put_slice(value);
        Ok(())
    }

    fn decode(_: Format, payload: Bytes) -> Result<Bytes, CodecFault> {
        Ok(payload)
    }
}

#[tokio::test]
async fn messagepack_has_its_content_type_in_each_protocol() {
    let bound = server::<Packed, MessagePack>().bind("127.0.0.1:0").await.unwrap();
    let address = bound.local_address();
    let serving = tokio::spawn(bound.serve());
    let payload = rmp_serde::to_vec(&Packed { name: "Ada".to_owned(), numbers: vec![7] }).unwrap();

    // Connect over HTTP/1.1: the body is the message. What is in no format of the codec is refused with the list.
    for (content_type, status) in
        [("application/msgpack", 200), ("application/proto", 415), ("application/json", 415)]
    {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let length = payload.len();
        let head = format!(
            "POST /test.v1.Foreign/Greet HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\
             content-type: {content_type}\r\ncontent-length: {length}\r\n\r\n"
        );
        stream.write_all(&[head.as_bytes(), &payload].concat()).await.unwrap();
        let mut answer = Vec::new();
        within_bounds(content_type, stream.read_to_end(&mut answer)).await.unwrap();
        let text = String::from_utf8_lossy(&answer).to_lowercase();
        assert!(text.starts_with(&format!("http/1.1 {status} ")), "{content_type}: {text}");
        if status == 200 {
            assert!(text.contains("content-type: application/msgpack\r\n"), "{text}");
            assert!(answer.ends_with(&payload), "{text}");
        } else {
            assert!(text.contains("accept-post: application/msgpack, application/grpc+msgpack"), "{text}");
        }
    }

    // gRPC over HTTP/2: the message is in an envelope.
    let stream = TcpStream::connect(address).await.unwrap();
    let (mut sender, connection) = h2::client::handshake(stream).await.unwrap();
    let connection = tokio::spawn(connection);
    let head = http::Request::post(format!("http://{address}/test.v1.Foreign/Greet"))
        .version(http::Version::HTTP_2)
        .header("content-type", "application/grpc+msgpack")
        .header("te", "trailers")
        .body(())
        .unwrap();
    let (response, mut body) = sender.send_request(head, false).unwrap();
    let envelope = [&[0], &u32::try_from(payload.len()).unwrap().to_be_bytes()[..], &payload].concat();
    body.send_data(envelope.clone().into(), true).unwrap();
    let mut response = within_bounds("grpc", response).await.unwrap();
    assert_eq!(response.headers()["content-type"], "application/grpc+msgpack");
    let mut seen = Vec::new();
    while let Some(data) = within_bounds("grpc", response.body_mut().data()).await {
        seen.extend_from_slice(&data.unwrap());
    }
    assert_eq!(seen, envelope);
    let trailers = within_bounds("grpc", response.body_mut().trailers()).await.unwrap().unwrap();
    assert_eq!(trailers["grpc-status"], "0");
    connection.abort();
    serving.abort();
}
