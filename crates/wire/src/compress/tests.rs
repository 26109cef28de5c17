//! Rows for the choice of a compression and for limits while inflating.

use std::sync::Arc;

use bytes::Bytes;

use super::{Compression, Compressions, InflateFault, compressed_bytes_max, inflated};
use crate::tests::testing::{Runs, compressions};

/// What is chosen when the request used `request` and the caller's list is `accept`.
fn check(request: Option<&str>, accept: Option<&str>, expected: Option<&str>) {
    let known = compressions();
    let request = request.map(|name| known.find(name).unwrap());
    let chosen = known.choose(request, accept);
    assert_eq!(chosen.map(|c| c.name()), expected, "accept {accept:?}");
}

#[test]
fn choice_follows_the_request_and_then_the_callers_list() {
    // Without a list only what the caller used itself is sure to be understood.
    check(None, None, None);
    check(Some("flip"), None, Some("flip"));
    // The request's own compression, wherever it stands in the list.
    check(Some("flip"), Some("runs,flip"), Some("flip"));
    check(Some("flip"), Some("runs"), Some("runs"));
    check(Some("flip"), Some("identity"), None);
    check(Some("flip"), Some(""), None);
    // The first of the caller's list, not of ours.
    check(None, Some("flip,runs"), Some("flip"));
    check(None, Some("br, zstd ,runs"), Some("runs"));
    check(None, Some("identity"), None);
    check(None, Some("br"), None);
}

#[test]
fn weights_of_zero_refuse_a_compression() {
    check(None, Some("runs;q=0, flip"), Some("flip"));
    check(None, Some("runs; Q=0.000"), None);
    check(None, Some("runs;q=0.1, flip;q=1"), Some("runs"));
    check(None, Some("runs;q=, flip"), Some("runs"));
    check(Some("runs"), Some("runs;q=0,flip"), Some("flip"));
}

#[test]
fn names_are_announced_in_order_of_preference() {
    let known = compressions();
    assert_eq!(known.announced().unwrap(), "runs,flip");
    assert_eq!(known.names().collect::<Vec<_>>(), ["runs", "flip"]);
    assert_eq!(format!("{known:?}"), r#"["runs", "flip"]"#);
    assert!(Compressions::none().announced().is_none());
    assert!(known.find("gzip").is_none());
}

#[test]
fn a_name_that_no_header_can_carry_is_not_announced() {
    struct Odd;
    impl Compression for Odd {
        fn name(&self) -> &'static str {
            "a\nb"
        }
        fn compress(&self, _: &[u8], _: &mut bytes::BytesMut) {}
        fn inflate(&self, _: &[u8], _: usize, _: &mut bytes::BytesMut) -> Result<(), InflateFault> {
            Ok(())
        }
    }
    let mut known = Compressions::none();
    known.push(Arc::new(Odd));
    assert!(known.announced().is_none());
}

#[test]
fn inflating_stops_at_the_limit() {
    let check = |payload: &'static [u8], bytes_max: usize, expected: Result<&[u8], InflateFault>| {
        let plain = inflated(&Runs, Bytes::from_static(payload), bytes_max);
        assert_eq!(plain.as_deref(), expected.as_ref().copied(), "{payload:?}");
    };
    check(b"\x03a", 3, Ok(b"aaa"));
    check(b"\x04a", 3, Err(InflateFault::TooLarge));
    check(b"\xffa\xffa\xffa", 3, Err(InflateFault::TooLarge));
    check(b"\x03", 3, Err(InflateFault::Corrupt("half a pair".into())));
}

#[test]
fn an_empty_payload_is_not_even_given_to_the_algorithm() {
    /// Refuses everything, as gzip refuses a stream without a header.
    struct Strict;
    impl Compression for Strict {
        fn name(&self) -> &'static str {
            "strict"
        }
        fn compress(&self, _: &[u8], _: &mut bytes::BytesMut) {}
        fn inflate(&self, _: &[u8], _: usize, _: &mut bytes::BytesMut) -> Result<(), InflateFault> {
            Err(InflateFault::Corrupt("no header".into()))
        }
    }
    assert_eq!(inflated(&Strict, Bytes::new(), 0), Ok(Bytes::new()));
    assert!(inflated(&Strict, Bytes::from_static(b"x"), 8).is_err());
}

#[test]
fn the_compressed_form_may_be_a_little_larger() {
    assert!(compressed_bytes_max(0) > 18, "an empty gzip stream has 20 bytes");
    assert!(compressed_bytes_max(4 << 20) < 5 << 20);
    assert_eq!(compressed_bytes_max(usize::MAX), usize::MAX);
}

#[test]
fn lists_of_any_shape_are_read_by_their_names() {
    let lists = [
        ("", None),
        (",", None),
        (" , ,, ", None),
        ("identity, identity", None),
        ("runs", Some("runs")),
        (" runs", Some("runs")),
        ("runs,", Some("runs")),
        (",,runs", Some("runs")),
        ("runs,runs,runs", Some("runs")),
        ("br,identity,flip,runs", Some("flip")),
        ("RUNS", None),
        ("runs flip", None),
        ("run", None),
        ("runsx, xruns", None),
        ("*", None),
        ("runs;", Some("runs")),
        ("runs;q", Some("runs")),
        ("runs;q=x", Some("runs")),
        ("runs ; q = 0", None),
        ("runs;q=0.001", Some("runs")),
        ("runs;q=-0", None),
        (";q=1", None),
        ("runs;level=0", Some("runs")),
        ("runs;q=0,runs", Some("runs")),
    ];
    for (list, expected) in lists {
        check(None, Some(list), expected);
    }
}
