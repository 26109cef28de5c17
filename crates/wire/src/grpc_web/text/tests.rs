//! Rows for the text form.

use bytes::BytesMut;

use super::{Decoder, NotBase64, encode_behind};

/// Decodes `chunks` and then the end.
fn decoded(chunks: &[&[u8]]) -> (Vec<u8>, Result<(), NotBase64>) {
    let (mut decoder, mut bytes) = (Decoder::default(), Vec::new());
    let result = chunks.iter().try_for_each(|chunk| decoder.decode(chunk, &mut bytes));
    let result = result.and_then(|()| decoder.finish(&mut bytes));
    (bytes, result)
}

#[test]
fn every_split_decodes_to_the_same() {
    let check = |text: &str, bytes: &[u8], result: Result<(), NotBase64>| {
        let text = text.as_bytes();
        for first in 0..=text.len() {
            for second in first..=text.len() {
                let chunks = [&text[..first], &text[first..second], &text[second..]];
                assert_eq!(decoded(&chunks), (bytes.to_vec(), result), "{chunks:?}");
            }
        }
    };
    check("", b"", Ok(()));
    check("AQID", b"\x01\x02\x03", Ok(()));
    check("AQ==AQI=AQID", b"\x01\x01\x02\x01\x02\x03", Ok(()));
    check("AQ==AQI", b"\x01\x01\x02", Ok(()));
    check("AQ==AQ", b"\x01\x01", Ok(()));
    // Stray bits behind the last byte are not looked at.
    check("AR==AQJ=AQK", b"\x01\x01\x02\x01\x02", Ok(()));
    check("AQIDA", b"\x01\x02\x03", Err(NotBase64));
    check("AQID#QID", b"\x01\x02\x03", Err(NotBase64));
    check("AQ==A=ID", b"\x01", Err(NotBase64));
    check("====", b"", Err(NotBase64));
    check("AQI_", b"", Err(NotBase64));
}

#[test]
fn encoding_pads_and_leaves_what_is_in_front() {
    for (plain, text) in
        [(&b""[..], "#"), (b"\x01", "#AQ=="), (b"\x01\x02", "#AQI="), (b"\x01\x02\x03", "#AQID")]
    {
        let mut target = BytesMut::from(&b"#"[..]);
        target.extend_from_slice(plain);
        encode_behind(&mut target, 1);
        assert_eq!(target, text);
    }
    let mut target = BytesMut::from(&b"#"[..]);
    encode_behind(&mut target, 5);
    assert_eq!(target, "#");
}

/// Every way to part `length` bytes into flushes.
fn flushes(length: usize) -> Vec<Vec<usize>> {
    if length == 0 {
        return vec![Vec::new()];
    }
    let all = (1..=length)
        .flat_map(|first| flushes(length - first).into_iter().map(move |rest| [vec![first], rest].concat()));
    all.collect()
}

#[test]
fn every_pattern_of_flushes_decodes_to_the_same() {
    let plain = b"\xfb\xff\xfe\0\x01\x7f\x80";
    for length in 0..=plain.len() {
        for flushes in flushes(length) {
            let (mut text, mut rest) = (BytesMut::new(), &plain[..length]);
            for flush in &flushes {
                let start = text.len();
                text.extend_from_slice(&rest[..*flush]);
                encode_behind(&mut text, start);
                rest = &rest[*flush..];
            }
            for size in 1..=5 {
                let chunks: Vec<&[u8]> = text.chunks(size).collect();
                assert_eq!(decoded(&chunks), (plain[..length].to_vec(), Ok(())), "{flushes:?} {size}");
            }
            // The padding of the last flush may be missing.
            let bare: &[u8] = text[..].split(|byte| *byte == b'=').next().unwrap_or_default();
            if flushes.len() == 1 {
                assert_eq!(decoded(&[bare]), (plain[..length].to_vec(), Ok(())), "{length} without padding");
            }
        }
    }
}

#[test]
fn only_the_standard_alphabet_is_text() {
    let is_text = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/';
    for byte in 0..=0xff_u8 {
        for at in 0..4 {
            let mut quantum = *b"AAAA";
            quantum[at] = byte;
            // Padding in the last place is fine; in front of other characters it is not.
            let expected = if is_text(byte) || (byte == b'=' && at == 3) { Ok(()) } else { Err(NotBase64) };
            assert_eq!(decoded(&[&quantum]).1, expected, "{}", quantum.escape_ascii());
        }
    }
}

#[test]
fn a_decoder_holds_less_than_one_quantum() {
    let (mut decoder, mut bytes) = (Decoder::default(), Vec::new());
    for chunk in [&b"A"[..], b"", b"QI", b"DAQ", b"IDAQIDA", b"==", b"="] {
        let _ = decoder.decode(chunk, &mut bytes);
        assert!(decoder.held.len() < 4, "{:?} behind {chunk:?}", decoder.held);
    }
    assert_eq!(bytes, b"\x01\x02\x03\x01\x02\x03\x01\x02\x03");
}
