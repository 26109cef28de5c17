use std::error::Error as _;

use super::*;

#[test]
fn reset_in_place_of_a_head_is_the_status_of_its_code() {
    let rows = [
        (ResetReason::Canceled, 499),
        (ResetReason::Refused, 503),
        (ResetReason::ConnectionLost, 503),
        (ResetReason::Calm, 429),
        (ResetReason::Insecure, 403),
        (ResetReason::Broken, 500),
    ];
    for (reason, status) in rows {
        let head = head_for(reason);
        assert_eq!(head.status.as_u16(), status, "{reason:?}");
        assert!(head.headers.is_empty(), "{reason:?}");
    }
}

#[test]
fn reset_of_a_body_carries_the_code_for_hyper() {
    for reason in [ResetReason::Canceled, ResetReason::Calm, ResetReason::Broken] {
        let reset = with_code(&Reset::new(reason, "seen"));
        assert_eq!((reset.reason(), reset.to_string().as_str()), (reason, "seen"));
        let code = reset.source().and_then(|source| source.downcast_ref::<h2::Error>()).unwrap();
        assert_eq!(code.reason(), Some(fault::code_of(reason)));
    }
}

#[test]
fn service_is_what_axum_asks_for() {
    fn check<T: Clone + Send + Sync + 'static>(_: &T) {}
    let mounted = Server::new().into_service();
    check(&mounted);
    assert!(format!("{mounted:?}").starts_with("Mounted"));
}
