//! Rows for how many states wait.

use std::sync::Arc;

use super::*;

#[test]
fn no_more_states_wait_than_allowed() {
    for made in [0, 1, IDLE_STATES_MAX, IDLE_STATES_MAX + 1, 10 * IDLE_STATES_MAX] {
        let (pool, seen) = (Pool::new(), Arc::new(()));
        for _ in 0..made {
            pool.keep(Arc::clone(&seen));
        }
        let waiting = made.min(IDLE_STATES_MAX);
        assert_eq!(Arc::strong_count(&seen), 1 + waiting, "{made}");
        assert_eq!(std::iter::from_fn(|| pool.take()).count(), waiting, "{made}");
        assert!(pool.take().is_none());
    }
}

#[test]
fn state_that_comes_back_is_taken_again() {
    let pool = Pool::new();
    pool.keep("one");
    assert_eq!((pool.take(), pool.take()), (Some("one"), None));
}
