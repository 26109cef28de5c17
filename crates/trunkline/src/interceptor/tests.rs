use super::*;
use crate::codec::Buffa;
use crate::health::HealthCheckRequest;

#[test]
fn payload_is_what_its_message_is() {
    let message = HealthCheckRequest { service: "a.B".to_owned(), ..HealthCheckRequest::default() };
    for (format, bytes) in [(Format::PROTO, &b"\x0a\x03a.B"[..]), (Format::JSON, br#"{"service":"a.B"}"#)] {
        let payload = Payload::encode::<Buffa, _>(format, &message).unwrap();
        assert_eq!((payload.format(), &payload.bytes()[..]), (format, bytes));
        assert_eq!(payload.decode::<Buffa, HealthCheckRequest>().unwrap(), message);
    }
    let wrong = Payload::new(Format::JSON, &b"{"[..]).decode::<Buffa, HealthCheckRequest>().unwrap_err();
    assert_eq!(wrong.code(), Code::InvalidArgument);
    let unknown = Payload::encode::<Buffa, _>(Format::named("xml"), &message).unwrap_err();
    assert_eq!(unknown.code(), Code::Internal);
}

#[test]
fn encoded_payload_goes_out_in_its_own_format_only() {
    let mut target = BytesMut::new();
    let payload = Payload::new(Format::JSON, &b"{}"[..]);
    Encoded::encode(Format::JSON, &payload, &mut target).unwrap();
    assert_eq!(target, &b"{}"[..]);
    assert!(Encoded::encode(Format::PROTO, &payload, &mut target).is_err());
    assert_eq!(target, &b"{}"[..]);
}
