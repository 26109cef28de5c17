use tokio::io::AsyncReadExt;

use super::*;

const HTTP1: Verdict = Verdict::Speaks(Spoken::Http1);
const HTTP2: Verdict = Verdict::Speaks(Spoken::Http2);

fn rows() -> Vec<(Vec<u8>, Verdict)> {
    let long = [b"GET /".as_slice(), &[b'x'; REQUEST_LINE_BYTES_MAX], b" HTTP/1.1\r\n"].concat();
    let fixed: &[(&[u8], Verdict)] = &[
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", HTTP2),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0", HTTP2),
        (b"GET / HTTP/1.1\r\n", HTTP1),
        (b"POST /a.B/C HTTP/1.0\r\nhost: x\r\n", HTTP1),
        (b"\r\nGET / HTTP/1.1\r\n", HTTP1),
        (b"PRINT / HTTP/1.1\r\n", HTTP1),
        (b"P / HTTP/1.1\r\n", HTTP1),
        (b"GET / HTTP/1.1\n", HTTP1),
        (b"", Verdict::NeedMore),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r", Verdict::NeedMore),
        (b"PRI", Verdict::NeedMore),
        (b"GET", Verdict::NeedMore),
        (b"GET / HTTP/1.1\r", Verdict::NeedMore),
        (b"\r", Verdict::NeedMore),
        (b"GET /\r\n", Verdict::Neither),
        (b"GET  HTTP/1.1\r\n", Verdict::Neither),
        (b"GET / HTTP/2.0\r\n", Verdict::Neither),
        (b"GET / HTTP/1.x\r\n", Verdict::Neither),
        (b"GET / HTTP/1.1 \r\n", Verdict::Neither),
        (b"GET / a HTTP/1.1\r\n", Verdict::Neither),
        (b" GET / HTTP/1.1\r\n", Verdict::Neither),
        (b"\x16\x03\x01", Verdict::Neither),
        (b"SSH-2.0-x\r\n", Verdict::Neither),
        (b"\r\r", Verdict::Neither),
        (b"PRI * HTTP/2.0\r\n\r\nXX", Verdict::Neither),
        (b"THISMETHODISMUCHTOOLONGTOBEAMETHOD", Verdict::Neither),
    ];
    let mut rows: Vec<_> = fixed.iter().map(|(seen, verdict)| (seen.to_vec(), *verdict)).collect();
    rows.push((long[..REQUEST_LINE_BYTES_MAX + 10].to_vec(), Verdict::Neither));
    rows
}

#[test]
fn first_bytes_are_judged() {
    for (seen, verdict) in rows() {
        assert_eq!(judge(&seen), verdict, "{:?}", String::from_utf8_lossy(&seen));
    }
}

#[test]
fn verdict_holds_however_the_bytes_are_cut() {
    for (seen, verdict) in rows() {
        let first =
            (0..=seen.len()).map(|end| judge(&seen[..end])).find(|verdict| *verdict != Verdict::NeedMore);
        assert_eq!(first.unwrap_or(Verdict::NeedMore), verdict, "{:?}", String::from_utf8_lossy(&seen));
    }
}

#[tokio::test]
async fn bytes_read_come_out_again() {
    let input: &[u8] = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n";
    let (spoken, mut io) = sniff(input).await.unwrap().unwrap();
    assert_eq!(spoken, Spoken::Http1);
    let mut seen = Vec::new();
    io.read_to_end(&mut seen).await.unwrap();
    assert_eq!(seen, input);
}

#[tokio::test]
async fn end_before_a_verdict_is_no_http() {
    assert!(sniff(&b"GE"[..]).await.unwrap().is_none());
    assert!(sniff(&b""[..]).await.unwrap().is_none());
    assert!(sniff(&b"\0"[..]).await.unwrap().is_none());
}
