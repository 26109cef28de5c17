//! A codec of one's own: messages that are plain Rust types, in MessagePack, over every protocol. There is no schema and no
//! generated code.

#![forbid(unsafe_code)]

use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use trunkline::codec::{Codec, CodecFault};
use trunkline::server::{Routes, Service};
use trunkline::{Channel, Error, Format, Procedure, Protocol, Request, Response, Result, Server};

/// MessagePack for everything that serde can write and read.
struct MessagePack;

/// Its name in content types: `application/msgpack`, `application/grpc+msgpack`.
const MSGPACK: Format = Format::named("msgpack");

impl<T: Serialize + DeserializeOwned + 'static> Codec<T> for MessagePack {
    const FORMATS: &'static [Format] = &[MSGPACK];

    fn size_hint(_: Format, _: &T) -> usize {
        64
    }

    fn encode(format: Format, value: &T, target: &mut BytesMut) -> Result<(), CodecFault> {
        if format != MSGPACK {
            return Err(CodecFault::unknown_format(format));
        }
        rmp_serde::encode::write_named(&mut target.writer(), value).map_err(CodecFault::new)
    }

    fn decode(_: Format, payload: Bytes) -> Result<T, CodecFault> {
        rmp_serde::from_slice(&payload).map_err(CodecFault::new)
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Reading {
    sensor: String,
    celsius: f64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Verdict {
    too_warm: bool,
}

/// What a generator would write: the names, the types and the codec of a procedure.
const JUDGE: Procedure<Reading, Verdict, MessagePack> =
    Procedure::unary("lab.v1.Thermometer", "Judge", "/lab.v1.Thermometer/Judge");

struct Thermometer {
    celsius_max: f64,
}

impl Thermometer {
    async fn judge(&self, request: Request<Reading>) -> Result<Response<Verdict>> {
        if request.sensor.is_empty() {
            return Err(Error::invalid_argument("a reading needs a sensor"));
        }
        Ok(Verdict { too_warm: request.celsius > self.celsius_max }.into())
    }
}

impl Service for Thermometer {
    fn name(&self) -> &'static str {
        "lab.v1.Thermometer"
    }

    fn register(self, routes: &mut Routes) {
        let judge = async |service: Arc<Self>, request| service.judge(request).await;
        routes.unary(&JUDGE, &Arc::new(self), judge);
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let server = Server::new().service(Thermometer { celsius_max: 30.0 });
    let bound = server.bind("127.0.0.1:0").await?;
    let target = bound.target();
    tokio::spawn(bound.serve());

    for protocol in [Protocol::Grpc, Protocol::GrpcWeb, Protocol::Connect] {
        let channel = Channel::builder(&target).protocol(protocol).connect().await?;
        for (sensor, celsius) in [("oven", 180.0), ("fridge", 4.0)] {
            let reading = Reading { sensor: sensor.into(), celsius };
            let verdict = channel.unary(&JUDGE, reading).await?;
            println!("{protocol}: {sensor} too warm: {}", verdict.too_warm);
        }
    }

    // A channel speaks what the codec prefers; one that is told otherwise says so before anything is sent.
    let channel = Channel::builder(&target).format(Format::JSON).connect().await?;
    if let Err(error) = channel.unary(&JUDGE, Reading { sensor: "oven".into(), celsius: 180.0 }).await {
        println!("{error}");
    }
    Ok(())
}
