use std::task::{Context, Waker};

use super::*;

fn waits(future: std::pin::Pin<&mut impl Future<Output = ()>>) -> bool {
    future.poll(&mut Context::from_waker(Waker::noop())).is_pending()
}

#[test]
fn gone_wakes_those_who_wait_and_those_who_come_later() {
    let gone = Gone::default();
    assert!(!gone.is_set());
    let mut early = std::pin::pin!(gone.wait());
    assert!(waits(early.as_mut()));
    gone.raise();
    assert!(gone.is_set());
    assert!(!waits(early.as_mut()));
    assert!(!waits(std::pin::pin!(gone.wait())));
    gone.raise();
    assert!(gone.is_set(), "raising twice is raising once");
}

fn context() -> CallContext {
    CallContext::new(Facts {
        spec: *crate::Procedure::<(), (), crate::codec::Raw>::unary("a.B", "C", "/a.B/C").spec(),
        protocol: Protocol::Grpc,
        format: Format::PROTO,
        timeout: None,
        deadline: None,
        peer: Peer::default(),
        gone: Gone::default(),
    })
}

#[test]
fn gone_is_raised_by_whatever_drops_the_guard() {
    let call = context();
    let guard = GoneOnDrop(call.clone());
    assert!(!call.is_canceled());
    drop(guard);
    assert!(call.is_canceled());
    let call = context();
    let guard = GoneOnDrop(call.clone());
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
        let _guard = guard;
        panic!("on purpose");
    }));
    assert!(panicked.is_err());
    assert!(call.is_canceled());
}
