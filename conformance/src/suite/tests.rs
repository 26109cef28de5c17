use trunkline::proto::well_known::Any;
use trunkline::{Code, Error, Metadata};

use super::{append, error, headers, pack, to_error, unpack};
use crate::proto::connectrpc::conformance::v1 as suite;

#[test]
fn metadata_goes_there_and_back() {
    check_metadata(&[]);
    check_metadata(&[("a", &["1"])]);
    check_metadata(&[("a", &["1", "2"]), ("b", &["x, y", ""])]);
}

#[test]
fn metadata_that_cannot_travel_is_refused() {
    for (name, value) in [("content-type", "a"), ("not a name", "a"), ("a-bin", "AQ"), ("a", "line\nfeed")] {
        let refused = append(&[header(name, &[value])], &mut Metadata::new());
        assert_eq!(refused.unwrap_err().code(), Code::InvalidArgument, "{name}: {value}");
    }
}

#[test]
fn error_goes_there_and_back() {
    let detail = header("a", &["b"]);
    let made = Error::new(Code::Aborted, "once more").with_message_detail(&detail);
    let described = error(&made);
    assert_eq!(described.code, suite::Code::CODE_ABORTED);
    assert_eq!(described.message.as_deref(), Some("once more"));
    assert_eq!(described.details, [pack(&detail)]);
    let again = to_error(&described);
    assert_eq!((again.code(), again.message()), (Code::Aborted, "once more"));
    assert_eq!(again.message_detail::<suite::Header>(), Some(detail));
}

#[test]
fn code_that_nobody_knows_is_unknown() {
    for (number, code) in [
        (1, Code::Canceled),
        (16, Code::Unauthenticated),
        (0, Code::Unknown),
        (-1, Code::Unknown),
        (99, Code::Unknown),
    ] {
        let described = suite::Error { code: number.into(), ..suite::Error::default() };
        assert_eq!(to_error(&described).code(), code, "{number}");
    }
}

#[test]
fn message_is_unpacked_if_it_is_the_right_one() {
    let packed = pack(&header("a", &["b"]));
    assert_eq!(packed.type_url, "type.googleapis.com/connectrpc.conformance.v1.Header");
    assert_eq!(unpack::<suite::Header>(&packed), Ok(header("a", &["b"])));
    let elsewhere =
        Any { type_url: "example.com/types/connectrpc.conformance.v1.Header".into(), ..packed.clone() };
    assert_eq!(unpack::<suite::Header>(&elsewhere), Ok(header("a", &["b"])));
    for (any, why) in [
        (Any { type_url: "type.googleapis.com/other.Header".into(), ..packed.clone() }, "expected a message"),
        (Any { value: vec![0x0a, 9].into(), ..packed.clone() }, "not a valid"),
        (Any::default(), "expected a message"),
    ] {
        let refused = unpack::<suite::Header>(&any).unwrap_err();
        assert!(refused.starts_with(why), "{refused}");
    }
}

fn check_metadata(pairs: &[(&str, &[&str])]) {
    let described: Vec<_> = pairs.iter().map(|(name, values)| header(name, values)).collect();
    let mut metadata = Metadata::new();
    append(&described, &mut metadata).unwrap();
    assert_eq!(headers(&metadata), described);
}

fn header(name: &str, values: &[&str]) -> suite::Header {
    let value = values.iter().map(|value| (*value).to_owned()).collect();
    suite::Header { name: name.to_owned(), value, ..suite::Header::default() }
}
