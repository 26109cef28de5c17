//! Exchanges and orders of steps that chance chooses: both sides move at any time, chunks have any size, and readers are not
//! always polled between them.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};

use super::{Exchange, Pair};
use crate::metadata::encode_bin;
use crate::tests::chance::Chance;
use crate::{Code, Detail, Protocol, Shape, Status};

/// More than any call of these takes, so that a call that stands still is found.
const STEPS_MAX: usize = 100_000;

fn metadata(chance: &mut Chance) -> HeaderMap {
    const NAMES: [&str; 5] = ["x-a", "x-b", "x-a-bin", "authorization", "grpc-trace-bin"];
    let mut metadata = HeaderMap::new();
    for _ in 0..chance.below(6) {
        let name = *chance.one_of(&NAMES);
        let value = if name.ends_with("-bin") {
            encode_bin(&chance.bytes(20))
        } else {
            let visible: Vec<u8> = chance.bytes(20).iter().map(|byte| b'!' + byte % 94).collect();
            HeaderValue::from_bytes(&visible).unwrap()
        };
        metadata.append(HeaderName::from_static(name), value);
    }
    metadata
}

fn messages(chance: &mut Chance, streams: bool) -> Vec<Vec<u8>> {
    let count = if streams { chance.below(6) } else { 1 };
    (0..count).map(|_| chance.bytes(64)).collect()
}

fn failure(chance: &mut Chance) -> Status {
    let code = *chance.one_of(&Code::ALL[1..]);
    let mut status = Status::new(code, chance.text(30));
    for _ in 0..chance.below(3) {
        let detail = Detail {
            type_name: (*chance.one_of(&["a.B", "google.rpc.ErrorInfo", "x"])).to_owned(),
            value: Bytes::from(chance.bytes(200)),
        };
        status.details.push(detail);
    }
    status.metadata = metadata(chance);
    status
}

fn exchange(chance: &mut Chance) -> Exchange {
    let protocol = *chance.one_of(&[Protocol::Connect, Protocol::Grpc, Protocol::GrpcWeb]);
    let shape = *chance.one_of(&[Shape::Unary, Shape::ClientStream, Shape::ServerStream, Shape::Bidi]);
    let outcome = if chance.once_in(2) { Ok(()) } else { Err(failure(chance)) };
    let responds = outcome.is_ok() || chance.once_in(2);
    let has_head = responds || chance.once_in(2);
    let mut request_metadata = metadata(chance);
    request_metadata.insert("user-agent", HeaderValue::from_static("pair/1"));
    Exchange {
        protocol,
        text: protocol == Protocol::GrpcWeb && chance.once_in(2),
        by_get: protocol == Protocol::Connect && shape == Shape::Unary && chance.once_in(2),
        shape,
        codec: if chance.once_in(2) { "json" } else { "proto" },
        compression: *chance.one_of(&[None, Some("runs"), Some("flip")]),
        compress_bytes_min: chance.below(70),
        timeout: if chance.once_in(2) { None } else { Some(Duration::from_millis(chance.next() % 100_000)) },
        request_metadata,
        requests: messages(chance, shape.client_streams()),
        response_metadata: has_head.then(|| metadata(chance)),
        responses: if responds { messages(chance, shape.server_streams()) } else { Vec::new() },
        outcome,
        trailers: metadata(chance),
    }
}

fn check(seed: u64) {
    let mut chance = Chance::new(seed);
    let exchange = exchange(&mut chance);
    let mut pair = Pair::new(&exchange);
    for _ in 0..STEPS_MAX {
        if pair.is_done {
            return pair.check(&format!("seed {seed}"));
        }
        match chance.below(6) {
            0 => pair.client_writes(),
            1 => pair.carry_request(1 + chance.below(40)),
            2 => pair.server_reads(),
            3 => pair.server_writes(),
            4 => pair.carry_response(1 + chance.below(40)),
            _ => pair.client_reads(),
        }
    }
    panic!("seed {seed}: the call never ended: {exchange:?}");
}

#[test]
fn what_goes_in_comes_out_in_any_order_of_steps() {
    (0..1500).for_each(check);
}
