use super::*;

fn compressed(source: &[u8]) -> BytesMut {
    let mut target = BytesMut::new();
    Gzip::default().compress(source, &mut target);
    target
}

fn inflated(source: &[u8], bytes_max: usize) -> Result<Vec<u8>, InflateFault> {
    let mut target = BytesMut::from(&b"before"[..]);
    Gzip::default().inflate(source, bytes_max, &mut target)?;
    assert!(target.starts_with(b"before"), "inflating appends");
    Ok(target[b"before".len()..].to_vec())
}

#[test]
fn bytes_come_out_as_they_went_in() {
    for source in [vec![], b"short".to_vec(), vec![b'x'; 1_000_000]] {
        assert_eq!(inflated(&compressed(&source), source.len()).unwrap(), source);
    }
}

#[test]
fn one_byte_past_the_limit_is_too_large() {
    for size in [1, 1000, INFLATE_STEP_BYTES, INFLATE_STEP_BYTES + 1, 1_000_000] {
        let bomb = compressed(&vec![0; size]);
        assert_eq!(inflated(&bomb, size).unwrap().len(), size);
        assert_eq!(inflated(&bomb, size - 1), Err(InflateFault::TooLarge), "{size}");
    }
    assert_eq!(inflated(&compressed(b"x"), 0), Err(InflateFault::TooLarge));
    assert_eq!(inflated(&compressed(b""), 0).unwrap(), b"");
}

#[test]
fn bomb_costs_no_more_than_the_limit() {
    let bomb = compressed(&vec![0; 10 << 20]);
    let mut target = BytesMut::new();
    assert_eq!(Gzip::default().inflate(&bomb, 1 << 16, &mut target), Err(InflateFault::TooLarge));
    assert!(target.capacity() <= 1 << 18, "{}", target.capacity());
}

#[test]
fn cut_and_foreign_bytes_are_corrupt() {
    let whole = compressed(b"some text that is long enough to be cut");
    for end in 1..whole.len() {
        assert!(matches!(inflated(&whole[..end], 1000), Err(InflateFault::Corrupt(_))), "cut at {end}");
    }
    let garbage = [&whole[..], b"garbage behind the end"].concat();
    for bytes in [&b"no gzip"[..], b"\x1f\x8b", &garbage] {
        assert!(matches!(inflated(bytes, 1000), Err(InflateFault::Corrupt(_))), "{bytes:?}");
    }
}

#[test]
fn several_members_are_one_message() {
    let both = [&compressed(b"one ")[..], &compressed(b"two")].concat();
    assert_eq!(inflated(&both, 100).unwrap(), b"one two");
}

#[test]
fn level_is_bounded() {
    let mut target = BytesMut::new();
    Gzip::new(99).compress(b"x", &mut target);
    assert_eq!(inflated(&target, 1).unwrap(), b"x");
}
