use super::*;

fn row(protocol: Protocol, over: Over, kind: Kind) -> Row {
    Row { protocol, over, kind }
}

#[test]
fn rows_are_the_ways_to_call_that_exist() {
    let rows = rows();
    let check = |protocol, over, kind, expected: usize| {
        let wanted = row(protocol, over, kind);
        assert_eq!(rows.iter().filter(|row| **row == wanted).count(), expected, "{wanted}");
    };
    for kind in [Kind::Unary, Kind::ServerStream, Kind::ClientStream, Kind::Bidi] {
        for protocol in [Protocol::Grpc, Protocol::GrpcWeb, Protocol::Connect] {
            check(protocol, Over::Http2, kind, 1);
            check(protocol, Over::Tls, kind, 1);
        }
        let over_http1 = usize::from(kind != Kind::Bidi);
        check(Protocol::Grpc, Over::Http1, kind, 0);
        check(Protocol::GrpcWeb, Over::Http1, kind, over_http1);
        check(Protocol::Connect, Over::Http1, kind, over_http1);
    }
    for kind in [Kind::UnaryJson, Kind::UnaryGet] {
        check(Protocol::Connect, Over::Http1, kind, 1);
        check(Protocol::Connect, Over::Http2, kind, 0);
        check(Protocol::GrpcWeb, Over::Http1, kind, 0);
        check(Protocol::Grpc, Over::Http2, kind, 0);
    }
    assert_eq!(rows.len(), 32);
}

#[test]
fn row_says_how_it_calls() {
    let check = |row: Row, text: &str, unit: &str, http: HttpVersion, format: Format| {
        assert_eq!((row.to_string().as_str(), row.unit()), (text, unit));
        assert_eq!((row.over.http(), row.kind.format()), (http, format));
    };
    let (h1, h2) = (HttpVersion::Http1, HttpVersion::Http2);
    let (proto, json) = (Format::PROTO, Format::JSON);
    check(row(Protocol::Grpc, Over::Tls, Kind::Bidi), "gRPC over HTTP/2, TLS, bidi", "messages/s", h2, proto);
    check(
        row(Protocol::GrpcWeb, Over::Http2, Kind::Unary),
        "gRPC-Web over HTTP/2, unary",
        "calls/s",
        h2,
        proto,
    );
    let connect = |kind| row(Protocol::Connect, Over::Http1, kind);
    check(connect(Kind::UnaryJson), "Connect over HTTP/1.1, unary, JSON", "calls/s", h1, json);
    check(connect(Kind::UnaryGet), "Connect over HTTP/1.1, unary, GET", "calls/s", h1, proto);
    check(connect(Kind::ServerStream), "Connect over HTTP/1.1, server stream", "messages/s", h1, proto);
    check(connect(Kind::ClientStream), "Connect over HTTP/1.1, client stream", "messages/s", h1, proto);
}
