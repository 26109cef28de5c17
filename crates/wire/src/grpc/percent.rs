//! Percent coding of `grpc-message` (`PROTOCOL-HTTP2.md`, "Status-Message").

use http::HeaderValue;

/// Encodes everything but printable ASCII, and the percent sign. A space at either end is encoded too: HTTP takes spaces around
/// a value for its own (RFC 9110, 5.5), and so do readers of gRPC-Web's trailers.
pub(crate) fn encode(message: &str) -> HeaderValue {
    let mut text = Vec::with_capacity(message.len());
    let last = message.len().saturating_sub(1);
    for (index, byte) in message.bytes().enumerate() {
        let is_edge_space = byte == b' ' && (index == 0 || index == last);
        if (b' '..=b'~').contains(&byte) && byte != b'%' && !is_edge_space {
            text.push(byte);
        } else {
            text.extend_from_slice(&[b'%', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 0xf)]]);
        }
    }
    HeaderValue::from_bytes(&text).expect("what is not printable ASCII was encoded above")
}

/// Decodes. What is not a percent sign with two digits stays as it is, and bytes that are not UTF-8 are replaced: the
/// specification forbids to fail here or to drop the message.
pub(crate) fn decode(value: &HeaderValue) -> String {
    String::from_utf8_lossy(&decode_bytes(value.as_bytes())).into_owned()
}

/// Decodes percent signs with two digits and leaves the rest alone.
pub(crate) fn decode_bytes(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, behind)) = rest.split_first() {
        if *first == b'%'
            && let [high, low, tail @ ..] = behind
            && let (Some(high), Some(low)) = (digit(*high), digit(*low))
        {
            bytes.push(high << 4 | low);
            rest = tail;
        } else {
            bytes.push(*first);
            rest = behind;
        }
    }
    bytes
}

fn digit(hex: u8) -> Option<u8> {
    char::from(hex).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

const HEX: &[u8; 16] = b"0123456789ABCDEF";

#[cfg(test)]
mod tests;
