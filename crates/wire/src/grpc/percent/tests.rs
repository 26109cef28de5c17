//! Rows for percent coding.

use http::HeaderValue;

use super::{decode, decode_bytes, encode};

#[test]
fn messages_are_encoded_and_decoded() {
    let rows = [
        ("", ""),
        ("plain text, with ~ and \"quotes\"", "plain text, with ~ and \"quotes\""),
        ("100%", "100%25"),
        ("a\nb\tc\u{7f}", "a%0Ab%09c%7F"),
        ("ä \u{1f600}", "%C3%A4 %F0%9F%98%80"),
        (" a b ", "%20a b%20"),
        (" ", "%20"),
        ("   ", "%20 %20"),
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

#[test]
fn every_byte_is_coded_by_what_it_is() {
    for byte in 0..0x80_u8 {
        let message = format!("a{}b", char::from(byte));
        let plain = (0x20..0x7f).contains(&byte) && byte != b'%';
        let text = if plain { message.clone() } else { format!("a%{byte:02X}b") };
        assert_eq!(encode(&message), text);
        assert_eq!(decode(&HeaderValue::from_str(&text).unwrap()), message);
    }
    for byte in 0..=0xff_u8 {
        for text in [format!("%{byte:02x}"), format!("%{byte:02X}")] {
            assert_eq!(decode_bytes(text.as_bytes()), [byte], "{text}");
        }
    }
}

#[test]
fn characters_of_every_plane_come_back() {
    let edges = [0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xfffd, 0xffff];
    let planes =
        (0..=0x10_u32).flat_map(|plane| [plane << 16 | 1, plane << 16 | 0x1234, plane << 16 | 0xfffe]);
    for point in edges.into_iter().chain(planes) {
        let message = format!("{}", char::from_u32(point).unwrap());
        let text = encode(&message);
        assert!(text.to_str().is_ok(), "{point:x} is written in ASCII");
        assert_eq!(decode(&text), message, "{point:x}");
    }
}

#[test]
fn percent_signs_need_two_digits() {
    for other in (0..0x80_u8).filter(|byte| !byte.is_ascii_hexdigit()) {
        for text in [[b'%', other, b'1'], [b'%', b'1', other]] {
            assert_eq!(decode_bytes(&text), text, "{}", text.escape_ascii());
        }
    }
    assert_eq!(decode_bytes(b"%%%41%4"), b"%%A%4");
}
