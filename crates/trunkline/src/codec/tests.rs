use ::buffa::Message;

use super::*;
use crate::health::{HealthCheckRequest, HealthCheckResponse, ServingStatus};

fn request(service: &str) -> HealthCheckRequest {
    HealthCheckRequest { service: service.to_owned(), ..HealthCheckRequest::default() }
}

fn written<T>(format: Format, value: &T) -> Vec<u8>
where
    Buffa: Codec<T>,
{
    let mut target = BytesMut::from(&b"before"[..]);
    Buffa::encode(format, value, &mut target).unwrap();
    assert!(target.starts_with(b"before"), "a codec appends");
    target[b"before".len()..].to_vec()
}

#[test]
fn messages_come_out_as_they_went_in() {
    for service in ["", "a.B", "ü"] {
        for format in [Format::PROTO, Format::JSON] {
            let bytes = written(format, &request(service));
            let back: HealthCheckRequest = Buffa::decode(format, bytes.into()).unwrap();
            assert_eq!(back, request(service), "{format}");
        }
    }
}

#[test]
fn json_is_that_of_protobuf() {
    assert_eq!(written(Format::JSON, &request("a.B")), br#"{"service":"a.B"}"#);
    assert_eq!(written(Format::JSON, &request("")), b"{}");
    let serving =
        HealthCheckResponse { status: ServingStatus::SERVING.into(), ..HealthCheckResponse::default() };
    assert_eq!(written(Format::JSON, &serving), br#"{"status":"SERVING"}"#);
}

#[test]
fn wrong_bytes_are_faults_with_what_was_seen() {
    let rows: &[(Format, &[u8])] = &[
        (Format::PROTO, b"\x0a\x05abc"),
        (Format::PROTO, b"\x0a\x01\xff"),
        (Format::PROTO, b"\x07"),
        (Format::JSON, b""),
        (Format::JSON, b"{"),
        (Format::JSON, b"{} trailing"),
        (Format::JSON, b"null"),
        (Format::JSON, b"1"),
        (Format::JSON, b"[1]"),
        (Format::JSON, b"[]"),
        (Format::JSON, br#"["a list is not read as fields in order"]"#),
        (Format::JSON, br#"{"service":1}"#),
        (Format::named("msgpack"), b""),
    ];
    for (format, bytes) in rows {
        let decoded: Result<HealthCheckRequest, _> = Buffa::decode(*format, Bytes::from_static(bytes));
        let fault = decoded.expect_err(&format!("{format} {bytes:?}"));
        assert!(!fault.to_string().is_empty());
    }
}

#[test]
fn json_of_well_known_types_need_not_be_an_object() {
    use ::buffa_types::google::protobuf::{Duration, ListValue, Struct, Value};

    fn check<T: Message + serde::Serialize + serde::de::DeserializeOwned + 'static>(json: &'static str) {
        let value: T = Buffa::decode(Format::JSON, Bytes::from_static(json.as_bytes())).unwrap();
        assert_eq!(String::from_utf8(written(Format::JSON, &value)).unwrap(), json);
    }
    check::<ListValue>("[1.5,null]");
    check::<Value>("[true]");
    check::<Value>("null");
    check::<Struct>(r#"{"a":[]}"#);
    check::<Duration>(r#""1.500s""#);
    check::<HealthCheckRequest>(r#"{"service":"a"}"#);
}

#[test]
fn unknown_json_fields_are_passed_over() {
    let bytes = Bytes::from_static(br#"{"service":"a","later":{"x":[1]}}"#);
    let decoded: HealthCheckRequest = Buffa::decode(Format::JSON, bytes).unwrap();
    assert_eq!(decoded, request("a"));
}

#[test]
fn size_hint_of_binary_is_exact() {
    let message = request("some.Service");
    assert_eq!(
        <Buffa as Codec<HealthCheckRequest>>::size_hint(Format::PROTO, &message),
        message.encode_to_vec().len()
    );
}

#[test]
fn binary_knows_one_format() {
    let mut target = BytesMut::new();
    Binary::encode(Format::PROTO, &request("a.B"), &mut target).unwrap();
    assert_eq!(target, &b"\x0a\x03a.B"[..]);
    let back: HealthCheckRequest = Binary::decode(Format::PROTO, target.freeze()).unwrap();
    assert_eq!(back, request("a.B"));
    let fault = Binary::encode(Format::JSON, &request("a.B"), &mut BytesMut::new()).unwrap_err();
    assert_eq!(fault.to_string(), "no codec for format json");
}

#[test]
fn raw_passes_bytes_through() {
    let mut target = BytesMut::new();
    let message = Bytes::from_static(b"\x00\xff");
    Raw::encode(Format::PROTO, &message, &mut target).unwrap();
    assert_eq!(target, message);
    assert_eq!(Raw::decode(Format::JSON, target.freeze()).unwrap(), message);
}

#[test]
fn fault_has_the_code_of_whose_it_is_unless_nobodys() {
    for otherwise in [Code::InvalidArgument, Code::Internal] {
        assert_eq!(CodecFault::new("seen").code(otherwise), otherwise);
        assert_eq!(CodecFault::unknown_format(Format::JSON).code(otherwise), otherwise);
        assert_eq!(CodecFault::unimplemented("seen").code(otherwise), Code::Unimplemented);
    }
    assert_eq!(CodecFault::unimplemented("seen").to_string(), "seen");
}
