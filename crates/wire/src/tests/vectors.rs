//! Runs the vectors: bytes as text, and the events that any split of them must give.
//!
//! `vectors/README.md` describes the format. A case is fed whole, byte by byte, in every two parts, and, when it is
//! short, in every three.

use std::fs;
use std::path::Path;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, Method, StatusCode, Uri, Version};

use crate::client::{self, Event, Plan};
use crate::server::{self, Accepted, Route, Step};
use crate::tests::cases::{Case, files, parse};
use crate::tests::testing::{compressions, config, rows};
use crate::{Protocol, RequestHead, ResponseHead, Shape, Status};

/// Bodies up to this many bytes are fed in every three parts.
const THREE_PARTS_BYTES_MAX: usize = 60;

#[test]
fn vectors_any_split_gives_the_same_events() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors");
    let mut cases = 0;
    for file in files(&root) {
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            rewrite(&file);
        }
        for case in parse(&file) {
            run(&case);
            cases += 1;
        }
    }
    assert!(cases > 50, "only {cases} cases were found");
}

/// Writes the events seen today in place of those expected; the difference is for a person to review.
fn rewrite(file: &Path) {
    let text = fs::read_to_string(file).unwrap();
    let mut cases = parse(file).into_iter();
    let mut blocks = Vec::new();
    for block in text.split("\n\n") {
        let mut lines: Vec<String> =
            block.lines().filter(|line| !line.starts_with("=>")).map(str::to_owned).collect();
        if lines.iter().any(|line| line.starts_with("case ")) {
            let case = cases.next().expect("each case is a block of its own");
            lines.extend(events(&case, &[]).iter().map(|event| format!("=> {event}")));
        }
        blocks.push(lines.join("\n"));
    }
    fs::write(file, format!("{}\n", blocks.join("\n\n").trim_end())).unwrap();
}

fn run(case: &Case) {
    for cuts in splits(case.body.len()) {
        let seen = events(case, &cuts);
        assert_eq!(seen, case.expected, "{}: {}, cut at {cuts:?}", case.place, case.name);
    }
}

fn events(case: &Case, cuts: &[usize]) -> Vec<String> {
    match case.side.first().map(String::as_str) {
        Some("server") => serve(case, cuts),
        Some("client") => call(case, cuts),
        _ => panic!("{}: the case has no side", case.place),
    }
}

/// Where to cut a body of `length` bytes.
fn splits(length: usize) -> Vec<Vec<usize>> {
    let mut splits = vec![vec![], (1..length).collect()];
    for first in 0..=length {
        splits.push(vec![first]);
        if length <= THREE_PARTS_BYTES_MAX {
            splits.extend((first..=length).map(|second| vec![first, second]));
        }
    }
    splits
}

fn chunks(body: &[u8], cuts: &[usize]) -> Vec<Bytes> {
    let ends = cuts.iter().copied().chain([body.len()]);
    let starts = [0].into_iter().chain(cuts.iter().copied());
    starts.zip(ends).map(|(start, end)| Bytes::copy_from_slice(&body[start..end])).collect()
}

fn serve(case: &Case, cuts: &[usize]) -> Vec<String> {
    let mut seen = Vec::new();
    let route = match case.side[1].as_str() {
        "none" => None,
        "get" => Some(Route { shape: Shape::Unary, no_side_effects: true }),
        name => Some(Route { shape: shape(name), no_side_effects: false }),
    };
    let head = RequestHead {
        method: Method::from_bytes(case.request[0].as_bytes()).unwrap(),
        uri: case.request[1].parse().unwrap(),
        version: version(case.request.get(2)),
        headers: case.headers.clone(),
    };
    let call = match server::accept(head, route, &config()) {
        Accepted::Call(call) => call,
        Accepted::Reject(reject) => {
            seen.push(format!("reject {}", reject.head.status.as_u16()));
            seen.extend(rows(&reject.head.headers).iter().map(|row| format!("header {row}")));
            if !reject.body.is_empty() {
                seen.push(format!("body \"{}\"", reject.body.escape_ascii()));
            }
            return seen;
        }
    };
    let timeout = call.start.timeout.map_or_else(|| "none".to_owned(), |timeout| format!("{timeout:?}"));
    seen.push(format!("call {} {} timeout {timeout}", call.start.protocol, call.start.codec));
    seen.extend(rows(&call.start.metadata).iter().map(|row| format!("metadata {row}")));
    let mut reader = call.reader;
    let mut feed = chunks(&case.body, cuts).into_iter();
    let mut is_ended = false;
    loop {
        match reader.poll_message() {
            Ok(Step::NeedMore) => match feed.next() {
                Some(chunk) => reader.receive(chunk),
                None if is_ended => panic!("{}: wants more behind the end", case.place),
                None => {
                    reader.receive_end();
                    is_ended = true;
                }
            },
            Ok(Step::Message(message)) => seen.push(format!("message \"{}\"", message.escape_ascii())),
            Ok(Step::End) => {
                seen.push("end".to_owned());
                return seen;
            }
            Err(status) => {
                seen.push(format!("error {}: {}", status.code, status.message));
                assert!(matches!(reader.poll_message(), Ok(Step::End)), "an error is final");
                return seen;
            }
        }
    }
}

fn call(case: &Case, cuts: &[usize]) -> Vec<String> {
    let mut seen = Vec::new();
    let plan = Plan {
        protocol: match case.side[1].as_str() {
            "connect" => Protocol::Connect,
            "grpc" => Protocol::Grpc,
            _ => Protocol::GrpcWeb,
        },
        text: case.side[1] == "grpc-web-text",
        shape: shape(&case.side[3]),
        base: &Uri::from_static("http://localhost"),
        path: "/a.B/C",
        version: Version::HTTP_2,
        codec: &case.side[2],
        timeout: None,
        metadata: &HeaderMap::new(),
        send_compression: None,
        compress_bytes_min: 0,
        accept_compressions: compressions(),
        message_bytes_max: 64,
    };
    let mut reader = client::start(plan).unwrap().reader;
    let status = StatusCode::from_u16(case.status).unwrap();
    let metadata = reader.receive_head(ResponseHead { status, headers: case.headers.clone() });
    seen.extend(rows(&metadata).iter().map(|row| format!("metadata {row}")));
    let mut feed = chunks(&case.body, cuts).into_iter();
    let mut is_ended = false;
    loop {
        match reader.poll_event() {
            Event::NeedMore => match feed.next() {
                Some(chunk) => reader.receive(chunk),
                None if is_ended => panic!("{}: wants more behind the end", case.place),
                None => {
                    reader.receive_end(case.trailers.clone());
                    is_ended = true;
                }
            },
            Event::Message(message) => seen.push(format!("message \"{}\"", message.escape_ascii())),
            Event::End(outcome) => {
                seen.extend(end_rows(&outcome));
                let Event::End(again) = reader.poll_event() else { panic!("the end is final") };
                assert_eq!(again.result.is_ok(), outcome.result.is_ok());
                return seen;
            }
        }
    }
}

fn end_rows(outcome: &client::Outcome) -> Vec<String> {
    let by = if outcome.from_peer { "peer" } else { "us" };
    let mut seen = vec![match &outcome.result {
        Ok(()) => format!("end ok by {by}"),
        Err(Status { code, message, .. }) => format!("end {code} by {by}: {message}"),
    }];
    if let Err(status) = &outcome.result {
        let details = status.details.iter();
        seen.extend(details.map(|d| format!("detail {} \"{}\"", d.type_name, d.value.escape_ascii())));
        assert_eq!(status.metadata, outcome.trailers, "the status carries the trailers");
    }
    seen.extend(rows(&outcome.trailers).iter().map(|row| format!("trailer {row}")));
    seen
}

fn shape(name: &str) -> Shape {
    match name {
        "unary" => Shape::Unary,
        "client_stream" => Shape::ClientStream,
        "server_stream" => Shape::ServerStream,
        "bidi" => Shape::Bidi,
        _ => panic!("no shape is called {name:?}"),
    }
}

fn version(name: Option<&String>) -> Version {
    match name.map(String::as_str) {
        Some("1.0") => Version::HTTP_10,
        Some("1.1") => Version::HTTP_11,
        _ => Version::HTTP_2,
    }
}

/// A machine must take any bytes and any order of calls.
#[test]
fn machines_any_bytes_in_any_order_never_panic() {
    let kinds = ["connect proto unary", "connect json bidi", "grpc proto unary", "grpc-web proto unary"];
    let bodies: Vec<Vec<u8>> = (0..=255_u8)
        .flat_map(|flags| {
            let envelope = [flags, 0, 0, 0, 2, b'{', b'}', flags];
            [vec![flags], envelope.to_vec(), envelope.repeat(2), vec![flags, 0xff, 0xff, 0xff, 0xff, 1]]
        })
        .collect();
    for kind in kinds {
        for (index, body) in bodies.iter().enumerate() {
            let content_type = match (kind, index % 3) {
                ("connect proto unary", _) => "application/proto",
                ("connect json bidi", _) => "application/connect+json",
                ("grpc proto unary", _) => "application/grpc",
                (_, 0) => "application/grpc-web-text",
                _ => "application/grpc-web+proto",
            };
            let side = format!("client {kind}").split(' ').map(str::to_owned).collect();
            let status = [200, 404, 500][index % 3];
            let headers = crate::tests::testing::fields(&[("content-type", content_type)]);
            let case = Case { side, status, headers, body: body.clone(), ..Case::default() };
            let seen = call(&case, &[body.len() / 2]);
            assert!(!seen.is_empty());
            let request = vec!["POST".to_owned(), "/a.B/C".to_owned()];
            let name = if kind.ends_with("bidi") { "bidi" } else { "unary" };
            let side = vec!["server".to_owned(), name.to_owned()];
            let headers = case.headers.clone();
            let case = Case { side, request, headers, body: body.clone(), ..Case::default() };
            assert!(!serve(&case, &[body.len() / 3]).is_empty());
        }
    }
}

#[test]
fn writer_appends_behind_what_is_there() {
    let mut target = BytesMut::from(&b"before"[..]);
    let head = RequestHead {
        method: Method::POST,
        uri: Uri::from_static("/a.B/C"),
        version: Version::HTTP_2,
        headers: crate::tests::testing::fields(&[("content-type", "application/grpc")]),
    };
    let route = Some(Route { shape: Shape::Unary, no_side_effects: false });
    let Accepted::Call(mut call) = server::accept(head, route, &config()) else { panic!("refused") };
    call.writer
        .message(&mut target, &mut |target| {
            target.extend_from_slice(b"hi");
            Ok(())
        })
        .unwrap();
    assert_eq!(&target[..], b"before\x00\x00\x00\x00\x02hi");
}
