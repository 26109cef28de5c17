#![allow(clippy::unwrap_used, reason = "in a test it is an assertion")]

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex, split};
use tokio::time::timeout;

use super::*;

async fn soon<T>(work: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(20), work).await.unwrap()
}

/// The far end, and the near one lent.
fn lent() -> (DuplexStream, Lent<DuplexStream>, Lender<DuplexStream>) {
    let (far, near) = duplex(4);
    let (lent, lender) = lend(near);
    (far, lent, lender)
}

#[tokio::test]
async fn bytes_pass_in_both_directions() {
    let (mut far, mut lent, _lender) = lent();
    let mut word = [0; 4];
    lent.write_all(b"ping").await.unwrap();
    far.read_exact(&mut word).await.unwrap();
    assert_eq!(&word, b"ping");
    far.write_all(b"pong").await.unwrap();
    lent.read_exact(&mut word).await.unwrap();
    assert_eq!(&word, b"pong");
}

#[tokio::test]
async fn stream_that_is_given_back_is_closed_and_its_lender_told() {
    let (mut far, lent, lender) = lent();
    assert!(timeout(Duration::ZERO, lender.returned()).await.is_err(), "it is still lent");
    drop(lent);
    soon(lender.returned()).await;
    assert_eq!(far.read(&mut [0; 4]).await.unwrap(), 0);
}

#[tokio::test]
async fn stream_that_is_taken_back_is_closed_whoever_waits_on_it() {
    let (mut far, lent, lender) = lent();
    let (mut reader, mut writer) = split(lent);
    let reading = tokio::spawn(async move { reader.read(&mut [0; 4]).await });
    // More than fits: it waits for the far end, which does not read.
    let writing = tokio::spawn(async move { writer.write_all(&[0; 100]).await });
    tokio::task::yield_now().await;
    drop(lender);
    assert_eq!(soon(reading).await.unwrap().unwrap_err().kind(), io::ErrorKind::ConnectionAborted);
    assert_eq!(soon(writing).await.unwrap().unwrap_err().kind(), io::ErrorKind::ConnectionAborted);
    let mut seen = Vec::new();
    soon(far.read_to_end(&mut seen)).await.unwrap();
    assert_eq!(seen.len(), 4);
}

#[tokio::test]
async fn stream_that_nobody_polls_is_closed_when_taken_back() {
    let (mut far, lent, lender) = lent();
    drop(lender);
    assert_eq!(soon(far.read(&mut [0; 4])).await.unwrap(), 0);
    drop(lent);
}
