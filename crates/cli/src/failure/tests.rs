use std::io;

use super::*;

fn check(failure: &Failure, expected: &str) {
    assert_eq!(failure.to_string(), expected);
}

#[test]
fn failure_is_three_lines_at_most() {
    check(&Failure::new("cannot listen"), "error: cannot listen");
    check(&Failure::new("a").saying("b"), "error: a\n seen: b");
    check(&Failure::new("a").advice("c"), "error: a\n  try: c");
    check(&Failure::new("a").saying("b").advice("c"), "error: a\n seen: b\n  try: c");
    check(&Failure::new("a\nb").saying("c\r\n  d").advice("e\n\nf"), "error: a b\n seen: c d\n  try: e f");
}

#[test]
fn failure_shows_the_innermost_cause() {
    let cause = io::Error::new(io::ErrorKind::AddrInUse, "address in use");
    let error = trunkline::Error::unavailable("cannot listen on x").with_source(cause);
    check(&Failure::new("cannot listen").seen(error), "error: cannot listen\n seen: address in use");
    let bare = trunkline::Error::unavailable("gone");
    check(&Failure::new("cannot call").seen(bare), "error: cannot call\n seen: unavailable: gone");
}
