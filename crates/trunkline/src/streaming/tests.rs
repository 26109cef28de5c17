use std::task::Waker;

use super::*;

/// Reads what is there, to the end: messages by value, an error by its message.
async fn drain(mut stream: Streaming<u32>) -> Vec<Result<u32, String>> {
    let mut seen = Vec::new();
    loop {
        match stream.message().await {
            Ok(Some(message)) => seen.push(Ok(message)),
            Ok(None) => return seen,
            Err(error) => seen.push(Err(error.message().to_owned())),
        }
    }
}

#[tokio::test]
async fn every_constructor_gives_its_messages_and_an_end() {
    assert_eq!(drain(Streaming::from_iter([1, 2])).await, [Ok(1), Ok(2)]);
    assert_eq!(drain(Streaming::from_iter([])).await, []);
    assert_eq!(drain(Streaming::failed(Error::aborted("no"))).await, [Err("no".to_owned())]);
    assert_eq!(drain(Streaming::from_messages(Streaming::from_iter([1]).map_ok())).await, [Ok(1)]);
    assert_eq!(drain(Streaming::new(Streaming::from_iter([1, 2]))).await, [Ok(1), Ok(2)]);
    let down =
        Streaming::unfold(2, async |n| if n == 0 { Err(Error::aborted("0")) } else { Ok(Some((n, n - 1))) });
    assert_eq!(drain(down).await, [Ok(2), Ok(1), Err("0".to_owned())]);
}

impl Streaming<u32> {
    fn map_ok(self) -> impl Stream<Item = u32> {
        struct Unwrapped(Streaming<u32>);
        impl Stream for Unwrapped {
            type Item = u32;
            fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<u32>> {
                self.0.poll_message(cx).map(|next| next.map(Result::unwrap))
            }
        }
        Unwrapped(self)
    }
}

#[tokio::test]
async fn channel_waits_for_room_and_ends_with_its_sender() {
    let (sender, mut stream) = Streaming::channel(1);
    sender.send(1).await.unwrap();
    let mut second = Box::pin(sender.send(2));
    let mut cx = Context::from_waker(Waker::noop());
    assert!(second.as_mut().poll(&mut cx).is_pending(), "one message waits, so the second must");
    assert_eq!(stream.message().await.unwrap(), Some(1));
    second.await.unwrap();
    assert_eq!(stream.message().await.unwrap(), Some(2));
    drop(sender);
    assert_eq!(stream.message().await.unwrap(), None);
}

#[tokio::test]
async fn channel_tells_the_sender_that_nobody_reads() {
    let (sender, stream) = Streaming::channel(0);
    drop(stream);
    sender.closed().await;
    assert_eq!(sender.send(1).await.unwrap_err().code(), crate::Code::Canceled);
}

#[tokio::test]
async fn channel_fails_with_the_error_given() {
    let (sender, mut stream) = Streaming::<u32>::channel(1);
    sender.fail(Error::data_loss("gone")).await.unwrap();
    assert_eq!(stream.message().await.unwrap_err().message(), "gone");
    assert_eq!(stream.message().await.unwrap(), None);
}
