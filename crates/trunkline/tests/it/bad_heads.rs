//! Request heads that are wrong or odd: queries, metadata, timeouts, and far too many fields. Each gets the answer that its
//! protocol gives, and the next call is served.

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::peers::envelope;
use crate::raw::{
    FORMS, PATHS, answer, connect, exchange, in_form, next_call_is_served, next_call_over_http1_is_served,
    post, request,
};
use crate::support::{World, within_bounds};

#[tokio::test]
async fn query_of_a_get_is_judged() {
    let echo = "/test.v1.Shapes/Echo?";
    // Query, status, and what the body must contain, or be when it is good.
    let rows: &[(&str, u16, &str)] = &[
        ("connect=v1&encoding=proto&message=hi", 200, "hi"),
        ("message=hi&encoding=proto&connect=v1", 200, "hi"),
        ("encoding=proto&message=hi", 200, "hi"),
        ("connect=v1&encoding=proto&message=", 200, ""),
        ("connect=v1&encoding=proto&message", 200, ""),
        ("connect=v1&encoding=proto&message=a+b%20c", 200, "a b c"),
        ("connect=v1&encoding=proto&message=100%25", 200, "100%"),
        ("connect=v1&encoding=proto&message=%zz%", 200, "%zz%"),
        ("connect=v1&encoding=proto&message=a%26b%3d", 200, "a&b="),
        ("connect=v1&encoding=proto&message=one&message=two", 200, "one"),
        ("%63onnect=v1&encoding=prot%6f&message=hi", 200, "hi"),
        ("&&=&=x&connect=v1&encoding=proto&unknown=%ff&message=hi&", 200, "hi"),
        ("connect=v1&encoding=proto&base64=1&message=aGk", 200, "hi"),
        ("connect=v1&encoding=proto&base64=1&message=aGk%3D", 200, "hi"),
        ("connect=v1&encoding=proto&base64=0&message=aGk", 200, "aGk"),
        ("connect=v1&encoding=proto&compression=identity&message=hi", 200, "hi"),
        ("connect=v1&encoding=proto&compression=&message=hi", 200, "hi"),
        ("connect=v1&encoding=proto&base64=1&message=!!", 400, "invalid_argument"),
        ("connect=v1&encoding=proto&base64=1&message=a", 400, "invalid_argument"),
        ("connect=v1&encoding=proto", 400, "invalid_argument"),
        ("connect=v2&encoding=proto&message=hi", 400, "invalid_argument"),
        ("connect=&encoding=proto&message=hi", 400, "invalid_argument"),
        ("connect=%ff%fe&encoding=proto&message=hi", 400, "invalid_argument"),
        ("connect=v1&encoding=proto&compression=gzip&message=hi", 400, "invalid_argument"),
        ("connect=v1&encoding=proto&compression=lzma&message=hi", 501, "gzip"),
        ("connect=v1&encoding=msgpack&message=hi", 415, ""),
        ("connect=v1&encoding=&message=hi", 415, ""),
        ("connect=v1&message=hi", 415, ""),
        ("connect=v1", 415, ""),
        ("", 415, ""),
    ];
    let world = World::new().await;
    for (query, status, has) in rows {
        let request = format!("GET {echo}{query} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        let answer = within_bounds(query, exchange(world.plain_address(), request.as_bytes())).await;
        let answer = answer.unwrap_or_else(|| panic!("{query}: no answer"));
        let what = format!("{query}: {} {}", answer.head, answer.body);
        assert_eq!(answer.status, *status, "{what}");
        if *status == 200 {
            assert_eq!(answer.body, *has, "{what}");
        } else {
            assert!(answer.body.contains(has), "{what}");
        }
        assert!(*status != 415 || answer.head.contains("accept-post: "), "{what}");
        next_call_over_http1_is_served(world.plain_address()).await;
    }
}

#[tokio::test]
async fn query_of_a_procedure_with_side_effects_is_not_allowed() {
    let world = World::new().await;
    let query = "?connect=v1&encoding=proto&message=hi";
    for method in ["Count", "Join", "Chat", "Refuse", "Facts"] {
        let request =
            format!("GET /test.v1.Shapes/{method}{query} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        let answer =
            within_bounds(method, exchange(world.plain_address(), request.as_bytes())).await.unwrap();
        assert_eq!(answer.status, 405, "{method}: {} {}", answer.head, answer.body);
        assert!(answer.head.contains("allow: post"), "{method}: {}", answer.head);
        next_call_over_http1_is_served(world.plain_address()).await;
    }
}

#[tokio::test]
async fn timeout_is_judged_in_every_form() {
    // Those of gRPC are TimeoutValue of one to eight digits and a unit; those of Connect up to ten digits.
    let grpc: &[(&str, bool)] = &[
        ("1H", true),
        ("00000001M", true),
        ("000000001M", false),
        ("0001M", true),
        ("99999999H", true),
        ("99999999n", true),
        ("", false),
        ("S", false),
        ("1", false),
        ("-1S", false),
        ("+1S", false),
        ("1.5S", false),
        ("1s", false),
        ("1 S", false),
        ("1SS", false),
        ("0x1S", false),
        ("100000000S", false),
        ("99999999999999999999S", false),
    ];
    let connect_rows: &[(&str, bool)] = &[
        ("60000", true),
        ("9999999999", true),
        ("0000060000", true),
        ("", false),
        ("-1", false),
        ("+1", false),
        ("1.5", false),
        ("1e3", false),
        ("1 000", false),
        ("0x10", false),
        ("10000000000", false),
        ("99999999999999999999", false),
    ];
    let world = World::new().await;
    let sender = connect(world.plain_address()).await;
    for (content_type, is_text) in FORMS {
        let is_connect = content_type.contains("connect");
        let (name, rows) =
            if is_connect { ("connect-timeout-ms", connect_rows) } else { ("grpc-timeout", grpc) };
        for (value, is_good) in rows {
            let mut head = request(PATHS[2], content_type);
            head.headers_mut().insert(name, value.parse().unwrap());
            let body: Bytes = in_form(&envelope(0, b"m"), *is_text).into();
            let what = format!("{content_type} {name} {value:?}");
            let seen = within_bounds(&what, answer(&sender, head, body)).await.unwrap();
            let refused =
                ["\"grpc-status\": \"13\"", "invalid_argument"].iter().any(|part| seen.contains(part));
            assert_eq!(refused, !is_good, "{what}: {seen}");
        }
        next_call_is_served(&sender).await;
    }
}

#[tokio::test]
async fn timeout_of_nothing_is_over_at_once() {
    let world = World::new().await;
    let sender = connect(world.plain_address()).await;
    let rows = [
        ("application/grpc+proto", "grpc-timeout", "0n", "\"grpc-status\": \"4\""),
        ("application/grpc-web+proto", "grpc-timeout", "0H", "grpc-status: 4"),
        ("application/connect+proto", "connect-timeout-ms", "0", "deadline_exceeded"),
    ];
    for (content_type, name, value, expected) in rows {
        let mut head = request("/test.v1.Shapes/Flood", content_type);
        head.headers_mut().insert(name, value.parse().unwrap());
        let seen = answer(&sender, head, envelope(0, b"m").into());
        let seen = within_bounds(content_type, seen).await.unwrap();
        assert!(seen.contains(expected), "{content_type}: {}", &seen[..seen.len().min(1000)]);
        next_call_is_served(&sender).await;
    }
}

/// A field as it stands in a request over HTTP/1.1; whether the call is served; and what comes back of it.
type Field = (&'static [u8], bool, &'static str);

#[tokio::test]
async fn metadata_that_is_no_text_or_no_base64_harms_nobody() {
    let rows: &[Field] = &[
        (b"echo: plain", true, "echoed: plain"),
        (b"echo-bin: aGk", true, "echoed-bin: agk"),
        (b"echo-bin: aGk=", true, "echoed-bin: agk"),
        (b"echo-bin: aGk, /w==", true, "echoed-bin: /w"),
        (b"echo: \xff\xfe", true, ""),
        (b"echo: caf\xc3\xa9", true, ""),
        (b"echo-bin: !!!!", true, ""),
        (b"echo-bin: a", true, ""),
        (b"echo-bin: \xff\xff\xff\xff", true, ""),
        (b"echo-bin:", true, "echoed-bin: \r\n"),
        (b"echo:", true, "echoed: \r\n"),
        (b"\xff\xfe: x", false, ""),
        (b"ec ho: x", false, ""),
        (b": x", false, ""),
        (b"echo", false, ""),
        (b"echo: a\0b", false, ""),
        (b"echo: a\rb", false, ""),
    ];
    let world = World::new().await;
    for (field, is_served, has) in rows {
        let what = field.escape_ascii();
        let mut request =
            b"POST /test.v1.Shapes/Echo HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 2\r\n\
              content-type: application/proto\r\n"
                .to_vec();
        request.extend_from_slice(field);
        request.extend_from_slice(b"\r\n\r\nhi");
        let answer = within_bounds(&what, exchange(world.plain_address(), &request)).await.unwrap();
        assert_eq!(answer.status, if *is_served { 200 } else { 400 }, "{what}: {}", answer.head);
        assert_eq!(answer.body == "hi", *is_served, "{what}: {}", answer.body);
        assert!(answer.head.contains(has), "{what}: {}", answer.head);
        assert!(!has.is_empty() || !answer.head.contains("echoed"), "{what}: {}", answer.head);
        next_call_over_http1_is_served(world.plain_address()).await;
    }
}

#[tokio::test]
async fn head_above_the_limit_is_refused_over_http1() {
    let limit = trunkline::Limits::default().metadata_bytes_max as usize;
    let rows: &[(&str, String, &[u16])] = &[
        ("one field within the limit", format!("x: {}\r\n", "y".repeat(limit / 2)), &[200]),
        ("one field above the limit", format!("x: {}\r\n", "y".repeat(2 * limit)), &[431]),
        ("fields above the limit", format!("x: {}\r\n", "y".repeat(1000)).repeat(90), &[431]),
        ("a name above the limit", format!("{}: y\r\n", "x".repeat(2 * limit)), &[431]),
        ("ten thousand fields", "x: y\r\n".repeat(10_000), &[431]),
        ("as many fields as there may be", "x: y\r\n".repeat(90), &[200]),
    ];
    let world = World::new().await;
    for (what, fields, statuses) in rows {
        let head = format!("content-type: application/proto\r\n{fields}");
        let request = post("/test.v1.Shapes/Echo", &head, b"hi");
        let status = within_bounds(what, status_of(world.plain_address(), &request)).await;
        assert!(statuses.contains(&status) || status == CUT && *statuses != [200], "{what}: {status}");
        next_call_over_http1_is_served(world.plain_address()).await;
    }
    let long =
        format!("GET /test.v1.Shapes/Echo?message={} HTTP/1.1\r\nhost: x\r\n\r\n", "x".repeat(2 * limit));
    let status = within_bounds("path", status_of(world.plain_address(), long.as_bytes())).await;
    assert!([CUT, 414, 431].contains(&status), "a path above the limit: {status}");
    next_call_over_http1_is_served(world.plain_address()).await;
}

/// In place of a status: the connection was closed while we were still sending, and what was said is lost to the reset.
const CUT: u16 = 0;

/// The status of an answer that may come before the request has been sent.
async fn status_of(address: &str, request: &[u8]) -> u16 {
    let (mut answers, mut requests) = TcpStream::connect(address).await.unwrap().into_split();
    let request = request.to_vec();
    let sending = tokio::spawn(async move {
        let _ = requests.write_all(&request).await;
        requests
    });
    let mut line = [0; 12];
    let seen = answers.read_exact(&mut line).await;
    drop(sending.await);
    if seen.is_err() {
        return CUT;
    }
    std::str::from_utf8(&line[9..]).unwrap().parse().unwrap()
}

#[tokio::test]
async fn head_above_the_limit_is_refused_over_http2_and_its_connection_goes_on() {
    let limit = trunkline::Limits::default().metadata_bytes_max as usize;
    let world = World::new().await;
    let sender = connect(world.plain_address()).await;
    for (content_type, is_text) in FORMS {
        for (count, bytes, is_served) in
            [(1, limit / 2, true), (1000, 1, true), (1, limit, false), (100, 1000, false), (5000, 1, false)]
        {
            let what = format!("{content_type}: {count} fields of {bytes} bytes");
            let mut head = request(PATHS[2], content_type);
            for index in 0..count {
                let name: http::HeaderName = format!("x-{index}").parse().unwrap();
                head.headers_mut().insert(name, "y".repeat(bytes).parse().unwrap());
            }
            let body: Bytes = in_form(&envelope(0, b"m"), *is_text).into();
            let seen = within_bounds(&what, answer(&sender, head, body)).await;
            match seen {
                Ok(seen) => assert_eq!(seen.starts_with("200 "), is_served, "{what}: {seen}"),
                Err(error) => assert!(!is_served && error.is_reset(), "{what}: {error}"),
            }
            next_call_is_served(&sender).await;
        }
    }
}
