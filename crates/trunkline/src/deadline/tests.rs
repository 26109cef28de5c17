use super::*;
use crate::Code;

#[tokio::test(start_paused = true)]
async fn deadline_is_the_smaller_of_what_was_asked_and_the_limit() {
    let limits = Limits { timeout_max: Duration::from_secs(60), ..Limits::default() };
    let check = |asked: Option<u64>, expected: u64| {
        let at = deadline(asked.map(Duration::from_secs), &limits);
        assert_eq!(at - Instant::now(), Duration::from_secs(expected), "{asked:?}");
    };
    check(None, 60);
    check(Some(1), 1);
    check(Some(60), 60);
    check(Some(61), 60);
    check(Some(u64::MAX), 60);
    check(Some(0), 0);
}

#[tokio::test(start_paused = true)]
async fn work_ends_at_the_deadline_and_not_before() {
    let after = |seconds| async move {
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        Ok(seconds)
    };
    let at = |seconds| Some(Instant::now() + Duration::from_secs(seconds));
    assert_eq!(within(None, after(1000)).await.unwrap(), 1000);
    assert_eq!(within(at(10), after(9)).await.unwrap(), 9);
    let error = within(at(10), after(11)).await.unwrap_err();
    assert_eq!(error.code(), Code::DeadlineExceeded);
    let ready = within(at(0), async { Ok(1) }).await;
    assert_eq!(ready.unwrap(), 1, "what is ready beats a deadline that has passed");
}
