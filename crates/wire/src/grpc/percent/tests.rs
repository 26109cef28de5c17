//! Rows for percent coding.

use http::HeaderValue;

use super::{decode, encode};

#[test]
fn messages_are_encoded_and_decoded() {
    let rows = [
        ("", ""),
        ("plain text, with ~ and \"quotes\"", "plain text, with ~ and \"quotes\""),
        ("100%", "100%25"),
        ("a\nb\tc\u{7f}", "a%0Ab%09c%7F"),
        ("ä \u{1f600}", "%C3%A4 %F0%9F%98%80"),
    ];
    for (message, text) in rows {
        assert_eq!(encode(message), text);
        assert_eq!(decode(&HeaderValue::from_static(text)), message);
    }
}

#[test]
fn decoding_never_fails() {
    let rows: [(&[u8], &str); 8] = [
        (b"%c3%a4", "ä"),
        (b"%", "%"),
        (b"%4", "%4"),
        (b"%zz%41", "%zzA"),
        (b"%%41", "%A"),
        (b"%+1", "%+1"),
        (b"%ff", "\u{fffd}"),
        (b"\xc3\xa4", "ä"),
    ];
    for (text, message) in rows {
        assert_eq!(decode(&HeaderValue::from_bytes(text).unwrap()), message);
    }
}
