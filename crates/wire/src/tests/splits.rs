//! Bodies that chance makes, in every kind of reader: what comes out does not depend on where chunks end, nor on whether the
//! reader is polled between them.

use crate::tests::feed::{Feed, called, served};
use crate::tests::machines::{KINDS, for_seeds};

#[test]
fn requests_any_split_gives_the_same() {
    let mut ends = 0;
    for_seeds(2000, |seed, chance| {
        let kind = *chance.one_of(&KINDS);
        let is_compressed = chance.once_in(2);
        let body = kind.body(chance);
        let read = |feed| served(kind.server(is_compressed).reader, kind.protocol(), &body, feed);
        let whole = read(Feed::Whole);
        ends += usize::from(whole.end.is_ok());
        for feed in Feed::others(seed) {
            assert_eq!(read(feed), whole, "seed {seed}, {kind:?}, {feed:?}: {}", body.escape_ascii());
        }
    });
    assert!((400..1600).contains(&ends), "both sides are tried: {ends} of 2000 end well");
}

#[test]
fn responses_any_split_gives_the_same() {
    let mut ends = 0;
    for_seeds(2000, |seed, chance| {
        let kind = *chance.one_of(&KINDS);
        let is_compressed = chance.once_in(2);
        let status = *chance.one_of(&[200, 200, 200, 200, 200, 200, 200, 503]);
        let (body, trailers) = (kind.body(chance), kind.trailers());
        let read = |feed| {
            let head = kind.head(status, is_compressed);
            called(kind.client(), kind.protocol(), head, trailers.as_ref(), (&body, feed))
        };
        let whole = read(Feed::Whole);
        ends += usize::from(whole.outcome.result.is_ok());
        for feed in Feed::others(seed) {
            assert_eq!(read(feed), whole, "seed {seed}, {kind:?}, {feed:?}: {}", body.escape_ascii());
        }
    });
    assert!((300..1600).contains(&ends), "both sides are tried: {ends} of 2000 end well");
}
