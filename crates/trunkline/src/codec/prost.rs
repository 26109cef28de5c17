//! The codec of messages that prost has generated or derived. It knows binary Protobuf only: prost's messages carry no
//! names of their fields at run time, and the JSON mapping is made of those names.

use ::prost::Message;
use bytes::{Bytes, BytesMut};

use super::{Codec, CodecFault, Format};

/// The codec of prost's messages, for a code base that has them already. Feature `prost`.
///
/// ```
/// use trunkline::codec::Prost;
/// use trunkline::{Code, Format, Procedure, Protocol, Server, testkit};
///
/// #[derive(Clone, PartialEq, prost::Message)]
/// struct Hello {
///     #[prost(string, tag = "1")]
///     name: String,
/// }
///
/// const HELLO: Procedure<Hello, Hello, Prost> = Procedure::unary("demo.v1.Greet", "Hello", "/demo.v1.Greet/Hello");
/// # use std::sync::Arc;
/// # use trunkline::{Error, Request, Response, Channel, server::{Routes, Service}};
/// # struct Greet;
/// # impl Service for Greet {
/// #     fn name(&self) -> &'static str { "demo.v1.Greet" }
/// #     fn register(self, routes: &mut Routes) {
/// #         routes.unary(&HELLO, &Arc::new(self), |_, request: Request<Hello>| async move {
/// #             Ok::<_, Error>(Response::new(request.into_message()))
/// #         });
/// #     }
/// # }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> trunkline::Result<()> {
/// # let server = || Server::new().service(Greet);
/// let hello = Hello { name: "Ada".into() };
/// assert_eq!(testkit::pair(server()).unary(&HELLO, hello.clone()).await?.name, "Ada");
///
/// // JSON is named in content types, and refused with the reason.
/// let json = Channel::builder("memory").protocol(Protocol::Connect).format(Format::JSON);
/// let refused = testkit::pair_with(server(), json).unary(&HELLO, hello).await.unwrap_err();
/// assert_eq!(refused.code(), Code::Unimplemented);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Prost;

/// What a caller in JSON is told.
const NO_JSON: &str =
    "JSON for prost messages needs descriptors, and this codec has none: call in binary Protobuf";

impl<T: Message + Default + 'static> Codec<T> for Prost {
    /// JSON is among them so that a caller in JSON gets a reason by its own protocol, and not a bare 415.
    const FORMATS: &'static [Format] = &[Format::PROTO, Format::JSON];

    fn size_hint(_: Format, value: &T) -> usize {
        value.encoded_len()
    }

    fn encode(format: Format, value: &T, target: &mut BytesMut) -> Result<(), CodecFault> {
        match format {
            Format::PROTO => value.encode(target).map_err(CodecFault::new),
            Format::JSON => Err(CodecFault::unimplemented(NO_JSON)),
            other => Err(CodecFault::unknown_format(other)),
        }
    }

    fn decode(format: Format, payload: Bytes) -> Result<T, CodecFault> {
        match format {
            Format::PROTO => T::decode(payload).map_err(CodecFault::new),
            Format::JSON => Err(CodecFault::unimplemented(NO_JSON)),
            other => Err(CodecFault::unknown_format(other)),
        }
    }
}
