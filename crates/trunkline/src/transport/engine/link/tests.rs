//! Rows for how much room a connection reads into, and when it gives the larger room back.

use std::future::poll_fn;

use bytes::Buf;
use tokio::io::{AsyncWriteExt, DuplexStream, duplex};

use super::*;

/// A link and its peer, with room for much between them.
fn linked() -> (Link<DuplexStream>, DuplexStream) {
    let (ours, peer) = duplex(4 * READ_BYTES_MAX);
    (Link::new(ours, Duration::from_secs(60)), peer)
}

/// Sends `bytes` and reads them all, understanding what has come after each read.
async fn carry(link: &mut Link<DuplexStream>, peer: &mut DuplexStream, mut bytes: usize) {
    peer.write_all(&vec![7; bytes]).await.unwrap();
    while bytes > 0 {
        bytes -= poll_fn(|cx| link.poll_read(cx)).await.unwrap();
        link.input.advance(link.input.len());
    }
}

#[tokio::test]
async fn room_grows_with_what_comes_and_is_given_back_in_rest() {
    let (mut link, mut peer) = linked();
    let check = |link: &Link<DuplexStream>, is_large: bool, what: &str| {
        assert_eq!(link.input.capacity() > READ_BYTES_FIRST, is_large, "{what}: {}", link.input.capacity());
    };
    for _ in 0..100 {
        carry(&mut link, &mut peer, 100).await;
        check(&link, false, "small messages");
    }
    carry(&mut link, &mut peer, 4 * READ_BYTES_MAX).await;
    check(&link, true, "a large message");
    link.rest(false);
    check(&link, true, "the next may be as large");
    carry(&mut link, &mut peer, 100).await;
    check(&link, true, "a stream is open");
    link.rest(false);
    check(&link, false, "a little came last");
    carry(&mut link, &mut peer, 4 * READ_BYTES_MAX).await;
    check(&link, true, "large again");
    link.rest(true);
    check(&link, false, "it has waited");
}

#[tokio::test]
async fn what_was_not_understood_is_kept_in_rest() {
    let (mut link, mut peer) = linked();
    carry(&mut link, &mut peer, 4 * READ_BYTES_MAX).await;
    peer.write_all(b"half a fr").await.unwrap();
    assert_eq!(poll_fn(|cx| link.poll_read(cx)).await.unwrap(), 9);
    link.rest(true);
    assert_eq!(&link.input[..], b"half a fr");
}
