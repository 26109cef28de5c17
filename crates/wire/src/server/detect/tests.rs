//! Rows for content types.

use super::{Asked, detect};

#[test]
fn content_types_name_a_protocol_and_a_codec() {
    let rows = [
        ("application/grpc", Asked::Grpc("proto")),
        ("application/grpc+json", Asked::Grpc("json")),
        ("application/grpc+", Asked::Grpc("")),
        ("application/grpc-web", Asked::GrpcWeb("proto")),
        ("application/grpc-web+json", Asked::GrpcWeb("json")),
        ("application/grpc-web-text", Asked::GrpcWebText("proto")),
        ("application/grpc-web-text+json", Asked::GrpcWebText("json")),
        ("application/connect+proto", Asked::ConnectStream("proto")),
        ("application/proto", Asked::ConnectUnary("proto")),
        ("application/json", Asked::ConnectUnary("json")),
        ("application/", Asked::ConnectUnary("")),
        ("application/grpc-webtext", Asked::ConnectUnary("grpc-webtext")),
        ("application/grpcx", Asked::ConnectUnary("grpcx")),
        ("application/connect", Asked::ConnectUnary("connect")),
        ("text/plain", Asked::Other),
        ("image/jpeg", Asked::Other),
        ("application", Asked::Other),
        ("", Asked::Other),
    ];
    for (essence, asked) in rows {
        assert_eq!(detect(essence), asked, "{essence}");
    }
}
