//! Rows for the streams of a connection: found by number and by key, and how those have ended that are gone.

use super::*;

fn stream(id: u32) -> Stream {
    Stream {
        id,
        sent: Half::Head,
        received: Half::Body,
        send_window: SendWindow::new(0),
        receive_window: ReceiveWindow::new(0),
        length_left: None,
        waits: Waits::No,
        served: 0,
    }
}

#[test]
fn store_finds_open_streams_by_number_and_key() {
    let mut store = Store::default();
    let keys: Vec<StreamKey> = [1, 3, 5].map(|id| store.insert(stream(id))).into();
    for (key, id) in keys.iter().zip([1, 3, 5]) {
        assert_eq!((store.key(id), key.id()), (Some(*key), id));
        assert_eq!(store.open(*key).map(|stream| stream.id), Some(id));
        assert_eq!(store.open_mut(*key).map(|stream| stream.id), Some(id));
    }
    assert_eq!((store.key(7), store.len()), (None, 3));
    let mut all = store.keys();
    all.sort_by_key(|key| key.id());
    assert_eq!(all, keys);
    assert_eq!(store.iter_mut().map(|(key, _)| key).collect::<Vec<_>>(), keys);
}

/// A slot is used again, but never found by the key of whoever had it before.
#[test]
fn store_old_keys_name_nothing() {
    let mut store = Store::default();
    let old = store.insert(stream(1));
    store.remove(old, Closed::Over);
    let new = store.insert(stream(3));
    assert_eq!(old.index(), new.index());
    assert!(store.open(old).is_none() && store.open_mut(old).is_none() && store.key(1).is_none());
    store.remove(old, Closed::ResetByUs);
    assert_eq!((store.len(), store.closed(1)), (1, Some(Closed::Over)), "removed once");
    assert!(store.open(new).is_some());
}

#[test]
fn store_slots_are_no_more_than_were_open_at_once() {
    let mut store = Store::default();
    for round in 0..100 {
        let keys = [1, 3, 5].map(|id| store.insert(stream(round * 6 + id)));
        assert!(keys.iter().all(|key| key.index() < 3));
        keys.into_iter().for_each(|key| store.remove(key, Closed::Over));
    }
    assert_eq!(store.len(), 0);
}

#[test]
fn store_remembers_how_streams_ended() {
    let mut store = Store::default();
    let [over, reset] = [1, 3].map(|id| store.insert(stream(id)));
    assert_eq!(store.closed(1), None);
    store.remove(over, Closed::Over);
    store.remove(reset, Closed::ResetByUs);
    store.remember(5, Closed::ResetByUs);
    let seen = [1, 3, 5, 7].map(|id| store.closed(id));
    assert_eq!(seen, [Some(Closed::Over), Some(Closed::ResetByUs), Some(Closed::ResetByUs), None]);
}

/// What has been forgotten may have been reset by us, so it is not taken for an error of the peer.
#[test]
fn store_forgets_the_oldest_and_judges_them_mildly() {
    let mut store = Store::default();
    let count = u32::try_from(CLOSED_KEPT).unwrap();
    for id in 0..count {
        store.remember(2 * id + 101, Closed::Over);
    }
    assert_eq!((store.closed(101), store.closed(99)), (Some(Closed::Over), None));
    store.remember(2 * count + 101, Closed::Over);
    assert_eq!(store.closed.len(), CLOSED_KEPT);
    assert_eq!((store.closed(101), store.closed(99)), (Some(Closed::ResetByUs), Some(Closed::ResetByUs)));
    assert_eq!(store.closed(103), Some(Closed::Over));
}

#[test]
fn stream_is_closed_when_both_sides_have_ended_it() {
    for (sent, received, expected) in [
        (Half::Ended, Half::Ended, true),
        (Half::Body, Half::Ended, false),
        (Half::Ended, Half::Head, false),
        (Half::Ended, Half::Body, false),
        (Half::Head, Half::Ended, false),
    ] {
        assert_eq!(Stream { sent, received, ..stream(1) }.is_closed(), expected);
    }
}
