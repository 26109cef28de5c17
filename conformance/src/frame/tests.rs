use std::io::ErrorKind;

use super::{MESSAGE_BYTES_MAX, read, write};
use crate::proto::connectrpc::conformance::v1::Header;

#[tokio::test]
async fn frame_written_is_read_again() {
    for header in [Header::default(), header("a", &["b"]), header("x-many", &["1", "2", "3"])] {
        let mut bytes = Vec::new();
        write(&mut bytes, &header).await.unwrap();
        write(&mut bytes, &header).await.unwrap();
        assert_eq!(bytes.len() % 2, 0);
        let mut source = &bytes[..];
        assert_eq!(read::<Header>(&mut source).await.unwrap(), Some(header.clone()));
        assert_eq!(read::<Header>(&mut source).await.unwrap(), Some(header));
        assert_eq!(read::<Header>(&mut source).await.unwrap(), None);
    }
}

#[tokio::test]
async fn frame_has_a_big_endian_length() {
    let mut bytes = Vec::new();
    write(&mut bytes, &header("a", &[])).await.unwrap();
    assert_eq!(bytes, [0, 0, 0, 3, 0x0a, 1, b'a']);
}

#[tokio::test]
async fn input_is_read_or_refused() {
    let too_long = u32::try_from(MESSAGE_BYTES_MAX + 1).unwrap().to_be_bytes();
    let longest = u32::try_from(MESSAGE_BYTES_MAX).unwrap().to_be_bytes();
    check(&[], Ok(None)).await;
    check(&[0, 0, 0, 0], Ok(Some(Header::default()))).await;
    check(&[0, 0, 0, 3, 0x0a, 1, b'a'], Ok(Some(header("a", &[])))).await;
    check(&[0], Err(ErrorKind::UnexpectedEof)).await;
    check(&[0, 0, 0], Err(ErrorKind::UnexpectedEof)).await;
    check(&[0, 0, 0, 3], Err(ErrorKind::UnexpectedEof)).await;
    check(&[0, 0, 0, 3, 0x0a, 1], Err(ErrorKind::UnexpectedEof)).await;
    check(&longest, Err(ErrorKind::UnexpectedEof)).await;
    check(&too_long, Err(ErrorKind::InvalidData)).await;
    check(&[0xff, 0xff, 0xff, 0xff], Err(ErrorKind::InvalidData)).await;
    check(&[0, 0, 0, 2, 0x0a, 9], Err(ErrorKind::InvalidData)).await;
}

#[tokio::test]
async fn message_above_the_limit_is_not_written() {
    let mut bytes = Vec::new();
    let long = header(&"a".repeat(MESSAGE_BYTES_MAX), &[]);
    let refused = write(&mut bytes, &long).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidData);
    assert!(bytes.is_empty());
}

async fn check(mut bytes: &[u8], expected: Result<Option<Header>, ErrorKind>) {
    let seen = bytes.to_vec();
    let read = read::<Header>(&mut bytes).await.map_err(|error| error.kind());
    assert_eq!(read, expected, "{seen:?}");
}

fn header(name: &str, values: &[&str]) -> Header {
    let value = values.iter().map(|value| (*value).to_owned()).collect();
    Header { name: name.to_owned(), value, ..Header::default() }
}
