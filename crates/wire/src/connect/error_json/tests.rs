//! Rows for errors as JSON.

use bytes::Bytes;

use super::{read_end, read_error, write_end, write_error};
use crate::metadata::FIELDS_MAX;
use crate::tests::testing::{fields, rows};
use crate::{Code, Detail, Status};

fn detail(name: &str, value: &'static [u8]) -> Detail {
    Detail { type_name: name.to_owned(), value: Bytes::from_static(value) }
}

fn error(code: Code, message: &str, details: &[Detail]) -> Status {
    let mut status = Status::new(code, message);
    status.details = details.to_vec();
    status
}

#[test]
fn errors_are_written_exactly() {
    let check = |status: &Status, json: &str| {
        let mut out = Vec::new();
        write_error(status, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), json);
    };
    check(&error(Code::NotFound, "", &[]), r#"{"code":"not_found"}"#);
    check(
        &error(Code::Canceled, "a \"b\"\n\u{1}ä", &[]),
        r#"{"code":"canceled","message":"a \"b\"\n\u0001ä"}"#,
    );
    check(
        &error(Code::Internal, "no", &[detail("a.B", b"\x01"), detail("c.D", b"")]),
        r#"{"code":"internal","message":"no","details":[{"type":"a.B","value":"AQ"},{"type":"c.D","value":""}]}"#,
    );
    // A failure never says that it is none.
    check(&error(Code::Ok, "", &[]), r#"{"code":"internal"}"#);
}

#[test]
fn errors_are_read_leniently() {
    let check = |json: &str, expected: Option<(Code, &str, &[Detail])>| {
        let read = read_error(json.as_bytes(), Code::Unavailable).map(|s| (s.code, s.message, s.details));
        let expected = expected.map(|(code, message, details)| (code, message.to_owned(), details.to_vec()));
        assert_eq!(read, expected, "{json}");
    };
    check(r#"{"code":"aborted","message":"no"}"#, Some((Code::Aborted, "no", &[])));
    check("{}", Some((Code::Unavailable, "", &[])));
    check(r#"{"code":"ok"}"#, Some((Code::Unavailable, "", &[])));
    check(r#"{"code":5,"message":7,"details":"x"}"#, Some((Code::Unavailable, "", &[])));
    check(r#" {"code":"data_loss","extra":{"a":[1]}} "#, Some((Code::DataLoss, "", &[])));
    check(
        r#"{"details":[{"type":"a.B","value":"AQ=="},{"type":"x/c.D","value":"AQ"}]}"#,
        Some((Code::Unavailable, "", &[detail("a.B", b"\x01"), detail("c.D", b"\x01")])),
    );
    check(
        r#"{"details":[null,{},{"type":"a.B"},{"value":"AQ"},{"type":"a.B","value":"!"},{"type":1,"value":"AQ"}]}"#,
        Some((Code::Unavailable, "", &[])),
    );
    check("", None);
    check("null", None);
    check("[]", None);
    check("\"aborted\"", None);
    check("{", None);
    check("{} x", None);
    check("\u{feff}{}", None);
}

#[test]
fn deep_nesting_is_refused_and_not_followed() {
    let json = format!("{{\"details\":{}", "[".repeat(100_000));
    assert!(read_error(json.as_bytes(), Code::Unknown).is_none());
}

#[test]
fn end_messages_are_written_and_read_back() {
    let check = |outcome: Result<(), Status>, metadata: &[(&str, &str)], json: &str| {
        let written = write_end(&outcome, &fields(metadata));
        assert_eq!(String::from_utf8(written.clone()).unwrap(), json);
        let end = read_end(&written).unwrap();
        assert_eq!(end.error.map(|e| (e.code, e.message)), outcome.err().map(|e| (e.code, e.message)));
        assert_eq!(rows(&end.metadata), rows(&fields(metadata)));
    };
    check(Ok(()), &[], "{}");
    check(
        Ok(()),
        &[("x-a", "1"), ("x-a", "2"), ("x-b", "ä")],
        r#"{"metadata":{"x-a":["1","2"],"x-b":["ä"]}}"#,
    );
    check(Err(Status::new(Code::Aborted, "no")), &[], r#"{"error":{"code":"aborted","message":"no"}}"#);
    check(
        Err(Status::new(Code::Aborted, "")),
        &[("x-a", "")],
        r#"{"error":{"code":"aborted"},"metadata":{"x-a":[""]}}"#,
    );
}

#[test]
fn end_messages_are_read_leniently() {
    let check = |json: &str, expected: Option<(Option<Code>, &[&str])>| {
        let read = read_end(json.as_bytes()).map(|end| (end.error.map(|e| e.code), rows(&end.metadata)));
        let expected =
            expected.map(|(code, metadata)| (code, metadata.iter().map(|row| (*row).to_owned()).collect()));
        assert_eq!(read, expected, "{json}");
    };
    check(r#"{"error":null,"metadata":null}"#, Some((None, &[])));
    check(r#"{"code":"out_of_range","message":"oops"}"#, Some((None, &[])));
    check(r#"{"error":{}}"#, Some((Some(Code::Unknown), &[])));
    check(r#"{"error":[]}"#, Some((Some(Code::Unknown), &[])));
    check(
        r#"{"metadata":{"X-A":["1",2,null],"b c":["3"],"x-b":"4","x-c":["a\nb"]}}"#,
        Some((None, &["x-a: 1"])),
    );
    check("null", None);
    check("", None);
}

#[test]
fn values_that_are_not_utf8_are_replaced() {
    let mut metadata = http::HeaderMap::new();
    metadata.insert("x-a", http::HeaderValue::from_bytes(b"a\xffb").unwrap());
    assert_eq!(write_end(&Ok(()), &metadata), "{\"metadata\":{\"x-a\":[\"a\u{fffd}b\"]}}".as_bytes());
}

#[test]
fn metadata_have_a_limit_in_fields() {
    let check = |members: &[String], length: usize| {
        let json = format!("{{\"metadata\":{{{}}},\"error\":{{\"code\":\"aborted\"}}}}", members.join(","));
        let end = read_end(json.as_bytes()).unwrap();
        assert_eq!(end.metadata.len(), length);
        assert_eq!(end.error.unwrap().code, Code::Aborted, "the error comes out all the same");
    };
    let names = |count: usize| (0..count).map(|index| format!("\"{index:x}\":[\"\"]")).collect::<Vec<_>>();
    check(&names(FIELDS_MAX), FIELDS_MAX);
    check(&names(30_000), FIELDS_MAX);
    check(&[format!("\"a\":[{}]", vec!["\"\""; FIELDS_MAX + 1].join(","))], FIELDS_MAX);
}
