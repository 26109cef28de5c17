//! Rows for errors as JSON.

use bytes::Bytes;

use super::{read_end, read_error, write_end, write_error};
use crate::metadata::FIELDS_MAX;
use crate::tests::chance::Chance;
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

#[test]
fn hostile_errors_are_read_as_far_as_they_are_json() {
    let check = |json: &[u8], expected: Option<(Code, &str)>| {
        let seen = read_error(json, Code::Unavailable).map(|status| (status.code, status.message));
        let expected = expected.map(|(code, message)| (code, message.to_owned()));
        assert_eq!(seen, expected, "{}", json.escape_ascii());
    };
    // Of members that are repeated the last one counts.
    check(br#"{"code":"aborted","code":"internal"}"#, Some((Code::Internal, "")));
    check(br#"{"code":"aborted","code":7}"#, Some((Code::Unavailable, "")));
    check(br#"{"message":"a","message":"b"}"#, Some((Code::Unavailable, "b")));
    // Names in other letters are other members.
    check(br#"{"Code":"aborted","MESSAGE":"a"}"#, Some((Code::Unavailable, "")));
    check(br#"{"\u0063ode":"aborted"}"#, Some((Code::Aborted, "")));
    for code in
        ["5", "5.0", "true", "null", "[]", "{}", "\"\"", "\"5\"", "\"NOT_FOUND\"", "\"ok\"", "\"aborted \""]
    {
        check(format!("{{\"code\":{code}}}").as_bytes(), Some((Code::Unavailable, "")));
        check(format!("{{\"message\":[{code}]}}").as_bytes(), Some((Code::Unavailable, "")));
    }
    // Numbers of any size, as far as a double goes.
    for number in ["123456789012345678901234567890", "-1e308", "1e-9999", "0.00000000000000000000001", "-0"] {
        check(format!("{{\"x\":{number},\"code\":\"aborted\"}}").as_bytes(), Some((Code::Aborted, "")));
    }
    for number in ["1e999", "-", "01", "+1", "1.", ".5", "0x1", "NaN", "Infinity"] {
        check(format!("{{\"x\":{number},\"code\":\"aborted\"}}").as_bytes(), None);
    }
    check(br#"{"message":"\u0000\ud83d\ude00\/"}"#, Some((Code::Unavailable, "\0\u{1f600}/")));
    for text in [r"\ud83d", r"\ude00\ud83d", r"\ud83dx", r"\x41", r"\u12", r"\"] {
        check(format!("{{\"message\":\"{text}\"}}").as_bytes(), None);
    }
    for bytes in [&b"\xff"[..], b"\xc3", b"\xc0\x80", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\0", b"\n"] {
        check(&[b"{\"message\":\"", bytes, b"\"}"].concat(), None);
    }
    check(b"{\"code\":\"aborted\"}\0", None);
    check(b"{\"code\":\"aborted\"}{}", None);
    check(b"{\"code\":\"aborted\",}", None);
    check(b"{'code':'aborted'}", None);
    check(b" \t\r\n{ \"code\" : \"aborted\" }\n", Some((Code::Aborted, "")));
}

#[test]
fn nesting_is_followed_to_a_depth_and_no_further() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        for (depth, is_read) in [(1, true), (100, true), (126, true), (127, false), (10_000, false)] {
            let inside = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            let error = format!("{{\"x\":{inside},\"code\":\"aborted\"}}");
            assert_eq!(read_error(error.as_bytes(), Code::Unknown).is_some(), is_read, "{depth} of {open}");
            let end = format!("{{\"metadata\":{inside}}}");
            assert_eq!(read_end(end.as_bytes()).is_some(), is_read, "{depth} of {open}");
        }
    }
}

#[test]
fn details_that_cannot_be_read_are_left_out_one_by_one() {
    let good = r#"{"type":"a.B","value":"AQ"}"#;
    let odd = [
        r#"{"type":"a.B","value":"A"}"#,
        r#"{"type":"a.B","value":"_w"}"#,
        r#"{"type":"a.B","value":["AQ"]}"#,
        r#"{"type":"a.B","value":null,"debug":{"a":1}}"#,
        r#"{"@type":"a.B","value":"AQ"}"#,
        r#"{"type":{},"value":"AQ"}"#,
        r#"["a.B","AQ"]"#,
        r#""AQ""#,
        "null",
        "7",
    ];
    for odd in odd {
        let json = format!("{{\"code\":\"aborted\",\"details\":[{good},{odd},{good}]}}");
        let status = read_error(json.as_bytes(), Code::Unknown).unwrap();
        assert_eq!(status.code, Code::Aborted);
        assert_eq!(status.details, [detail("a.B", b"\x01"), detail("a.B", b"\x01")], "{odd}");
    }
    for value in ["AQ==", "AQ=", "AR"] {
        let json = format!("{{\"details\":[{{\"type\":\"x/y/a.B\",\"value\":\"{value}\",\"debug\":[]}}]}}");
        let status = read_error(json.as_bytes(), Code::Unknown).unwrap();
        assert_eq!(status.details, [detail("a.B", b"\x01")], "{value}");
    }
    for details in ["null", "{}", "\"AQ\"", good] {
        let json = format!("{{\"details\":{details}}}");
        assert!(read_error(json.as_bytes(), Code::Unknown).unwrap().details.is_empty(), "{details}");
    }
}

#[test]
fn what_is_written_is_read_back() {
    for seed in 0..500 {
        let mut chance = Chance::new(seed);
        let mut status = Status::new(*chance.one_of(&Code::ALL[1..]), chance.text(20));
        for _ in 0..chance.below(4) {
            let type_name = chance.text(5).replace('/', "");
            status.details.push(Detail { type_name, value: chance.bytes(30).into() });
        }
        let mut json = Vec::new();
        write_error(&status, &mut json);
        let read = read_error(&json, Code::Unknown).unwrap();
        assert_eq!((read.code, read.message), (status.code, status.message.clone()), "seed {seed}");
        assert_eq!(read.details, status.details, "seed {seed}");

        let metadata = fields(&[("x-a", "1"), ("x-b", "\"\\"), ("x-a", "\u{e4}\t")]);
        let end = read_end(&write_end(&Err(status.clone()), &metadata)).unwrap();
        assert_eq!(end.metadata, metadata, "seed {seed}");
        assert_eq!(end.error.unwrap().details, status.details, "seed {seed}");
    }
}

#[test]
fn any_bytes_are_read_or_refused() {
    let json = br#"{"error":{"code":"aborted","message":"no","details":[{"type":"a.B","value":"AQ"}]},"metadata":{"x-a":["1"]}}"#;
    assert!(read_end(json).unwrap().error.is_some());
    for end in 0..json.len() {
        assert!(read_end(&json[..end]).is_none(), "cut behind {end} bytes");
    }
    let mut read_count = 0;
    for seed in 0..3000 {
        let mut chance = Chance::new(seed);
        let mut json = json.to_vec();
        for _ in 0..=chance.below(3) {
            let at = chance.below(json.len());
            json[at] = *chance.one_of(b"\"{}[],:\\ax0 \xff\0");
        }
        if let Some(end) = read_end(&json) {
            read_count += 1;
            assert!(end.error.is_none_or(|error| error.code != Code::Ok), "seed {seed}: no error says ok");
            assert!(end.metadata.len() <= 1, "seed {seed}");
        }
    }
    assert!((100..2900).contains(&read_count), "both sides are tried: {read_count} of 3000 are read");
}
