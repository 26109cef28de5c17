use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Wake;

use super::*;

#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn news_wake_once_until_they_are_taken() {
    let mailbox = Mailbox::default();
    let count = Arc::new(Count::default());
    let waker = Waker::from(Arc::clone(&count));
    let mut cx = Context::from_waker(&waker);
    let (mut noted, mut ended) = (Vec::new(), Vec::new());
    let woken = || count.0.load(Ordering::Relaxed);

    mailbox.note(1);
    assert_eq!(woken(), 0, "nobody waits");
    assert!(mailbox.poll_take(&mut cx, &mut noted, &mut ended).is_ready());
    assert_eq!((&noted[..], ended.len()), (&[1][..], 0));
    noted.clear();

    assert!(mailbox.poll_take(&mut cx, &mut noted, &mut ended).is_pending());
    for index in [2, 3, 4] {
        mailbox.note(index);
    }
    assert_eq!(woken(), 1, "one wake for all of them");
    assert!(mailbox.poll_take(&mut cx, &mut noted, &mut ended).is_ready());
    assert_eq!(noted, [2, 3, 4]);
    noted.clear();

    assert!(mailbox.poll_take(&mut cx, &mut noted, &mut ended).is_pending());
    mailbox.wake();
    assert_eq!(woken(), 2, "it can be woken without news");
    assert!(mailbox.poll_take(&mut cx, &mut noted, &mut ended).is_pending());
}
