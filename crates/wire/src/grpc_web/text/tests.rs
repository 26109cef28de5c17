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
