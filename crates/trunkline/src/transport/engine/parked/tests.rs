use super::*;

/// How many notes the mailbox has.
fn notes(mailbox: &Mailbox) -> usize {
    let (mut noted, mut ended) = (Vec::new(), Vec::new());
    let _ = mailbox.poll_take(&mut Context::from_waker(Waker::noop()), &mut noted, &mut ended);
    noted.len()
}

#[test]
fn bell_notes_once_between_two_polls() {
    let mailbox = Arc::<Mailbox>::default();
    let (sender, receiver) = tokio::sync::oneshot::channel::<()>();
    let waits = async move { drop(receiver.await) };
    let mut parked = Parked::new(Box::pin(waits), Arc::clone(&mailbox), 3);
    parked.waker.wake_by_ref();
    assert_eq!(notes(&mailbox), 0, "it will be polled in any case");
    assert!(parked.poll().is_pending());
    assert!(!parked.is_rung());
    drop(sender);
    parked.waker.wake_by_ref();
    assert!(parked.is_rung());
    assert_eq!(notes(&mailbox), 1);
    assert!(parked.poll().is_ready());
}

#[test]
fn call_that_panics_is_over() {
    let mut call: Call = Box::pin(async { panic!("on purpose") });
    assert!(poll_caught(&mut call, Waker::noop()).is_ready());
}

#[test]
fn pace_ends_with_the_polls_or_with_the_time() {
    let now = clock();
    assert!(!Pace::new(false, now).goes_on());
    let count = |mut pace: Pace| (0..2 * INLINE_CALLS_MAX).take_while(|_| pace.goes_on()).count();
    let late = count(Pace::new(true, now - INLINE_TIME_MAX * 2));
    assert_eq!(late, POLLS_A_LOOK as usize - 1);
    let long = count(Pace { until: now + Duration::from_secs(3600), ..Pace::new(true, now) });
    assert!((INLINE_CALLS_MAX as usize..2 * INLINE_CALLS_MAX as usize).contains(&long), "{long}");
}
