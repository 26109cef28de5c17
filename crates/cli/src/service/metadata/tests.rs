use super::*;

fn check(asked: &[(&str, &str)], headers: &[&str], trailers: &[&str]) {
    let mut metadata = Metadata::new();
    for (key, value) in asked {
        if key.ends_with("-bin") {
            metadata.append_bin(key, value.as_bytes()).unwrap();
        } else {
            metadata.append(key, value).unwrap();
        }
    }
    let texts = |metadata: &Metadata| metadata.values(ECHO_HEADER).map(str::to_owned).collect::<Vec<_>>();
    let bytes = |metadata: &Metadata| metadata.bins(ECHO_TRAILER).collect::<Vec<_>>();
    let response = Echoed::of(&metadata).unwrap().onto(());
    assert_eq!(texts(response.metadata()), headers);
    assert_eq!(bytes(response.trailers()), trailers);
    assert_eq!(response.metadata().len() + response.trailers().len(), headers.len() + trailers.len());
    let error = Echoed::of(&metadata).unwrap().onto_error(Error::aborted("x"));
    assert_eq!(bytes(error.metadata()), trailers);
}

#[test]
fn the_two_keys_come_back_and_no_other() {
    check(&[], &[], &[]);
    check(&[(ECHO_HEADER, "a")], &["a"], &[]);
    check(&[(ECHO_TRAILER, "b")], &[], &["b"]);
    check(&[(ECHO_HEADER, "a"), (ECHO_HEADER, "b"), (ECHO_TRAILER, "\0c")], &["a", "b"], &["\0c"]);
    check(&[("x-other", "a"), ("x-other-bin", "b")], &[], &[]);
}
