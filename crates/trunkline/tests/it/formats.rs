//! Which format a channel speaks: what it was told, or what the codec of the procedure prefers.

use bytes::{Bytes, BytesMut};
use trunkline::codec::{Codec, CodecFault};
use trunkline::interceptor::{Interceptor, Next, Payload};
use trunkline::server::{Routes, Service};
use trunkline::{
    CallOptions, Code, Error, Format, Procedure, Request, Response, Result, Server, Streaming, testkit,
};

use crate::support::{ECHO, FACTS, Over, between, cases, within_bounds};

const PLAIN: Format = Format::named("plain");
const LOUD: Format = Format::named("loud");

/// Text in two formats of its own.
struct Text;

impl Codec<String> for Text {
    const FORMATS: &'static [Format] = &[PLAIN, LOUD];

    fn size_hint(_: Format, value: &String) -> usize {
        value.len()
    }

    fn encode(format: Format, value: &String, target: &mut BytesMut) -> Result<(), CodecFault> {
        let text = if format == LOUD { value.to_uppercase() } else { value.clone() };
        target.extend_from_slice(text.as_bytes());
        Ok(())
    }

    fn decode(_: Format, payload: Bytes) -> Result<String, CodecFault> {
        String::from_utf8(payload.into()).map_err(CodecFault::new)
    }
}

type Say<S> = Procedure<S, S, Text>;

const ONE: Say<String> = Procedure::unary("test.v1.Voice", "One", "/test.v1.Voice/One").no_side_effects();
const MANY: Say<String> = Procedure::bidi("test.v1.Voice", "Many", "/test.v1.Voice/Many");

struct Voice;

impl Service for Voice {
    fn name(&self) -> &'static str {
        "test.v1.Voice"
    }

    fn register(self, routes: &mut Routes) {
        let service = std::sync::Arc::new(self);
        routes.unary(&ONE, &service, |_, request: Request<String>| async move {
            Ok::<_, Error>(Response::new(request.into_message()))
        });
        routes.bidi(&MANY, &service, |_, request: Request<Streaming<String>>| async move {
            Ok::<_, Error>(Response::new(request.into_message()))
        });
    }
}

/// Lets every call through, in the format that it has.
struct Through(Format);

impl Interceptor for Through {
    async fn intercept(
        &self,
        request: Request<Streaming<Payload>>,
        next: Next<'_>,
    ) -> Result<Response<Streaming<Payload>>> {
        assert_eq!(next.context().format(), self.0);
        next.run(request).await
    }
}

#[tokio::test]
async fn channel_speaks_what_it_was_told_or_what_the_codec_prefers() {
    let rows: &[(Option<Format>, Result<&str, &str>)] = &[
        (None, Ok("hi")),
        (Some(PLAIN), Ok("hi")),
        (Some(LOUD), Ok("HI")),
        (Some(Format::JSON), Err("knows the formats [plain, loud], and the channel was told json")),
        (Some(Format::PROTO), Err("ChannelBuilder::format")),
    ];
    for case in cases() {
        for (told, expected) in rows {
            for (intercepted, get) in [(false, false), (true, false), (false, true)] {
                let what = format!("{case:?} {told:?}, intercepted {intercepted}, GET {get}");
                let build = |mut builder: trunkline::ChannelBuilder| {
                    if let Some(format) = told {
                        builder = builder.format(*format);
                    }
                    if intercepted { builder.intercept(Through(told.unwrap_or(PLAIN))) } else { builder }
                        .use_get(get)
                };
                let (channel, _serving) = between(&case, |server| server.service(Voice), build).await;
                let one = within_bounds(&what, channel.unary(&ONE, "hi".to_owned())).await;
                let mut call = channel.bidi(&MANY, CallOptions::new());
                let many = within_bounds(&what, async {
                    // What went wrong is told by the answer.
                    let _ = call.send("hi".to_owned()).await;
                    call.close();
                    call.message().await
                })
                .await;
                let both = [one.map(Response::into_message), many.map(Option::unwrap_or_default)];
                for seen in both {
                    match (seen, expected) {
                        (Ok(seen), Ok(expected)) => assert_eq!(seen, *expected, "{what}"),
                        (Err(error), Err(expected)) => {
                            assert_eq!(
                                (error.code(), error.is_from_peer()),
                                (Code::Unimplemented, false),
                                "{what}"
                            );
                            assert!(error.message().contains(expected), "{what}: {error}");
                        }
                        (seen, _) => panic!("{what}: {seen:?}"),
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn one_channel_calls_procedures_of_several_codecs() {
    for case in cases() {
        let (channel, _serving) = between(&case, |server| server.service(Voice), |builder| builder).await;
        let said = within_bounds(case, channel.unary(&ONE, "hi".to_owned())).await.unwrap();
        assert_eq!(said.into_message(), "hi", "{case:?}");
        let facts = within_bounds(case, channel.unary(&FACTS, Bytes::new())).await.unwrap().into_message();
        assert!(String::from_utf8_lossy(&facts).contains(" proto "), "{case:?}");
    }
}

#[tokio::test]
async fn raw_bytes_may_be_called_anything() {
    // This server does not know the name: the word comes from it, and not from the channel.
    for case in cases().into_iter().filter(|case| case.over == Over::Memory) {
        let channel = testkit::pair_with(Server::new().service(Voice), case.builder("memory").format(LOUD));
        let voice: Procedure<Bytes, Bytes, trunkline::codec::Raw> =
            Procedure::unary("test.v1.Voice", "One", "/test.v1.Voice/One");
        let reply = within_bounds(case, channel.unary(&voice, Bytes::from_static(b"hi"))).await.unwrap();
        assert_eq!(reply.into_message(), "HI", "{case:?}");
        let refused = within_bounds(case, channel.unary(&ECHO, Bytes::new())).await.unwrap_err();
        assert_eq!(refused.code(), Code::Unimplemented, "{case:?}: {refused}");
    }
}
