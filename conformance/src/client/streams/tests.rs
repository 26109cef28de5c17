use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::{Instant, timeout};

use super::{Progress, paced};

const PAUSE: Duration = Duration::from_millis(10);

#[tokio::test(start_paused = true)]
async fn paced_messages_come_with_their_pauses() {
    for count in [0_u32, 1, 3] {
        let (mut messages, Progress { taken, mut ended }) = paced((0..count).collect(), PAUSE, false);
        let start = Instant::now();
        for index in 0..count {
            assert!(ended.try_recv().is_err(), "the end is told after the last message");
            assert_eq!(messages.message().await.unwrap(), Some(index));
            assert_eq!(taken.load(Ordering::Relaxed), index as usize + 1);
        }
        assert_eq!(start.elapsed(), PAUSE * count);
        assert_eq!(messages.message().await.unwrap(), None);
        assert!(ended.try_recv().is_ok());
    }
}

#[tokio::test(start_paused = true)]
async fn held_messages_never_end() {
    let (mut messages, Progress { mut ended, .. }) = paced(vec![1], PAUSE, true);
    assert_eq!(messages.message().await.unwrap(), Some(1));
    assert!(timeout(Duration::from_secs(60), messages.message()).await.is_err());
    assert!(ended.try_recv().is_ok());
}

#[tokio::test(start_paused = true)]
async fn dropped_messages_tell_no_end() {
    let (messages, Progress { taken, mut ended }) = paced(vec![1, 2], PAUSE, false);
    drop(messages);
    assert_eq!(taken.load(Ordering::Relaxed), 0);
    assert!(matches!(ended.try_recv(), Err(tokio::sync::oneshot::error::TryRecvError::Closed)));
}
