use super::register_types;
use super::well_known::{Any, Duration};
use crate::details::{ErrorInfo, Help};

#[test]
fn any_of_a_known_type_is_json_with_its_fields() {
    register_types(&[]);
    register_types(&[|registry| crate::generated::grpc::health::v1::register_types(registry)]);
    let info = ErrorInfo { reason: "SOLD_OUT".into(), ..ErrorInfo::default() };
    check(
        &Any::pack(&info, ErrorInfo::TYPE_URL),
        r#"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"SOLD_OUT"}"#,
    );
    let wait = Duration { seconds: 1, nanos: 500_000_000, ..Duration::default() };
    check(
        &Any::pack(&wait, Duration::TYPE_URL),
        r#"{"@type":"type.googleapis.com/google.protobuf.Duration","value":"1.500s"}"#,
    );
    let health = crate::health::HealthCheckRequest { service: "a".into(), ..Default::default() };
    check(
        &Any::pack(&health, crate::health::HealthCheckRequest::TYPE_URL),
        r#"{"@type":"type.googleapis.com/grpc.health.v1.HealthCheckRequest","service":"a"}"#,
    );
    check(&Any::default(), "{}");
    // Nobody knows this name, so nobody knows the fields either.
    check(&Any::pack(&Help::default(), "type.example/a.B"), r#"{"@type":"type.example/a.B","value":""}"#);
}

fn check(any: &Any, json: &str) {
    let written = serde_json::to_string(any).unwrap();
    assert_eq!(written, json);
    assert_eq!(&serde_json::from_str::<Any>(json).unwrap(), any, "{json}");
}
