use super::*;
use crate::Code;

#[tokio::test]
async fn panic_becomes_internal_and_keeps_its_text_at_home() {
    let check = |result: Result<u8>, expected: Result<u8, Code>| {
        assert_eq!(result.map_err(|error| error.code()), expected);
    };
    check(caught(async { Ok(1) }).await, Ok(1));
    check(caught(async { Err(Error::aborted("x")) }).await, Err(Code::Aborted));
    check(caught(async { panic!("on purpose") }).await, Err(Code::Internal));
    let late = async {
        tokio::task::yield_now().await;
        panic!("a secret")
    };
    let error = caught::<u8, _>(late).await.unwrap_err();
    assert_eq!(error.code(), Code::Internal);
    assert!(!error.message().contains("secret"));
}
