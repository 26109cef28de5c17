use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Wake;

use http::StatusCode;

use super::*;

#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// One stream, seen from the call and from the connection.
struct Pair {
    cell: Arc<Cell>,
    mailbox: Arc<Mailbox>,
    incoming: CellIncoming,
    outgoing: CellOutgoing,
    body: BytesMut,
}

impl Pair {
    fn new(bytes_max: usize) -> Self {
        let mailbox = Arc::default();
        let cell = Cell::new(Arc::clone(&mailbox));
        cell.attach(7, false);
        let incoming = CellIncoming::new(Arc::clone(&cell));
        let outgoing = CellOutgoing::new(Arc::clone(&cell), bytes_max);
        Self { cell, mailbox, incoming, outgoing, body: BytesMut::new() }
    }

    /// Which streams the connection has been told of.
    fn noted(&self) -> Vec<u32> {
        let (mut noted, mut ended) = (Vec::new(), Vec::new());
        let _ = self.mailbox.poll_take(&mut Context::from_waker(Waker::noop()), &mut noted, &mut ended);
        noted
    }

    fn write(&mut self, bytes: &[u8]) {
        match self.outgoing.poll_reserve(&mut Context::from_waker(Waker::noop()), bytes.len()) {
            Poll::Ready(Ok(target)) => target.extend_from_slice(bytes),
            other => panic!("no credit: {other:?}"),
        }
    }

    /// What the call sees now.
    fn read(&mut self) -> String {
        match self.incoming.poll_chunk(&mut Context::from_waker(Waker::noop())) {
            Poll::Pending => "pending".to_owned(),
            Poll::Ready(Chunk::Data(data)) => format!("data {}", data.len()),
            Poll::Ready(Chunk::End(trailers)) => {
                format!("end {}", trailers.map_or(0, |trailers| trailers.len()))
            }
            Poll::Ready(Chunk::Reset(reset)) => format!("reset {:?}", reset.reason()),
        }
    }

    fn deliver(&self, bytes: usize, end: Option<Ended>) -> usize {
        self.cell.deliver(Bytes::from(vec![0; bytes]), end, false)
    }
}

fn head() -> ResponseHead {
    ResponseHead { status: StatusCode::OK, headers: HeaderMap::new() }
}

fn trailers() -> Ended {
    let mut trailers = HeaderMap::new();
    trailers.insert("a", http::HeaderValue::from_static("b"));
    Ended::Well(Some(trailers))
}

#[test]
fn connection_is_told_once_and_fetches_everything() {
    let mut pair = Pair::new(100);
    pair.outgoing.head(head());
    pair.write(b"abc");
    assert_eq!(pair.noted(), [0; 0], "nothing has been flushed");
    pair.outgoing.flush();
    pair.write(b"de");
    pair.outgoing.flush();
    pair.outgoing.finish(None);
    assert_eq!(pair.noted(), [7], "three times handed over, told once");
    let fetched = pair.cell.fetch(&mut pair.body);
    assert!(fetched.head.is_some());
    assert_eq!(&pair.body[..], b"abcde");
    assert!(matches!(fetched.end, Some(Ended::Well(None))));
    assert!(pair.cell.fetch(&mut pair.body).end.is_none(), "the end is told once");
}

#[test]
fn head_alone_is_flushed() {
    let mut pair = Pair::new(100);
    pair.outgoing.head(head());
    pair.outgoing.flush();
    assert_eq!(pair.noted(), [7]);
    assert!(pair.cell.fetch(&mut pair.body).head.is_some());
    pair.outgoing.flush();
    assert_eq!(pair.noted(), [0; 0], "there is nothing new");
}

#[test]
fn writer_waits_until_what_it_wrote_has_been_sent() {
    let count = Arc::new(Count::default());
    let waker = Waker::from(Arc::clone(&count));
    let mut cx = Context::from_waker(&waker);
    let mut pair = Pair::new(10);
    pair.write(&[0; 12]);
    assert!(pair.outgoing.poll_reserve(&mut cx, 1).is_pending(), "any credit admits one message of any size");
    let _ = pair.cell.fetch(&mut pair.body);
    assert!(pair.outgoing.poll_reserve(&mut cx, 1).is_pending(), "fetched is not sent");
    pair.cell.sent(2, 10);
    assert_eq!(count.0.load(Ordering::Relaxed), 0, "it is still full");
    pair.cell.sent(1, 10);
    assert_eq!(count.0.load(Ordering::Relaxed), 1);
    assert!(matches!(pair.outgoing.poll_reserve(&mut cx, 1), Poll::Ready(Ok(_))));
}

#[test]
fn small_pieces_are_joined_and_large_ones_keep_their_order() {
    let mut pair = Pair::new(100);
    for bytes in [10, 20, 5000, 30, 40] {
        pair.deliver(bytes, None);
    }
    pair.deliver(0, Some(trailers()));
    let seen: Vec<_> = (0..5).map(|_| pair.read()).collect();
    assert_eq!(seen, ["data 30", "data 5000", "data 70", "end 1", "end 0"]);
}

#[test]
fn piece_of_its_own_is_not_copied_until_it_must_wait() {
    let pair = Pair::new(100);
    let buffer = Bytes::from(vec![1; 100]);
    let piece = buffer.slice(10..20);
    pair.cell.deliver(piece.clone(), None, true);
    assert!(!buffer.is_unique());
    drop(piece);
    pair.cell.unpin();
    assert!(buffer.is_unique(), "the read buffer is free again");
}

#[test]
fn pieces_of_a_call_that_must_wait_keep_their_order() {
    let check = |pieces: &[usize]| {
        let mut pair = Pair::new(100);
        let mut sent = Vec::new();
        for (number, &bytes) in pieces.iter().enumerate() {
            let piece = vec![u8::try_from(number).unwrap(); bytes];
            sent.extend_from_slice(&piece);
            pair.cell.deliver(piece.into(), None, true);
        }
        pair.cell.unpin();
        let mut seen = Vec::new();
        let mut cx = Context::from_waker(Waker::noop());
        while let Poll::Ready(Chunk::Data(data)) = pair.incoming.poll_chunk(&mut cx) {
            seen.extend_from_slice(&data);
        }
        assert!(seen == sent, "{pieces:?}");
    };
    // The envelope's head in a frame of its own, then the message; with large pieces between small ones.
    check(&[5]);
    check(&[5, 100]);
    check(&[5, 100, 5, 100]);
    check(&[5, 5000, 5, 100]);
    check(&[5000, 5, 100]);
    check(&[5, 4000, 4000, 5000, 5]);
}

#[test]
fn taken_bytes_are_reported_with_the_next_piece_or_when_they_are_many() {
    let mut pair = Pair::new(100);
    assert_eq!(pair.deliver(10, None), 0);
    assert_eq!(pair.read(), "data 10");
    assert_eq!(pair.noted(), [0; 0]);
    assert_eq!(pair.deliver(TAKEN_BYTES_TOLD, None), 10);
    assert_eq!(pair.read(), format!("data {TAKEN_BYTES_TOLD}"));
    assert_eq!(pair.noted(), [7]);
    assert_eq!(pair.cell.fetch(&mut pair.body).taken, TAKEN_BYTES_TOLD);
}

#[test]
fn reader_that_leaves_gives_back_what_it_had_not_read() {
    let mut pair = Pair::new(100);
    pair.deliver(10, None);
    pair.incoming = CellIncoming::new(Cell::new(Arc::default()));
    assert_eq!(pair.noted(), [7]);
    let fetched = pair.cell.fetch(&mut pair.body);
    assert_eq!((fetched.taken, fetched.refused), (10, true));
    assert_eq!(pair.deliver(5, None), 5, "what comes later is nobody's");
}

#[test]
fn cut_stream_ends_both_sides_and_keeps_what_had_arrived() {
    let mut cx = Context::from_waker(Waker::noop());
    let mut pair = Pair::new(100);
    pair.deliver(10, None);
    pair.cell.cut(Reset::new(ResetReason::Canceled, "left"), false);
    assert_eq!([pair.read(), pair.read()], ["data 10", "reset Canceled"]);
    pair.outgoing.tail().extend_from_slice(&[0; 200]);
    let reserved = pair.outgoing.poll_reserve(&mut cx, 1);
    assert!(matches!(reserved, Poll::Ready(Err(reset)) if reset.reason() == ResetReason::Canceled));
}

#[test]
fn end_that_was_read_stays_when_the_stream_is_cut_behind_it() {
    let mut pair = Pair::new(100);
    pair.deliver(0, Some(trailers()));
    pair.cell.cut(Reset::new(ResetReason::Broken, "late"), false);
    assert_eq!([pair.read(), pair.read()], ["end 1", "end 0"]);
}

#[test]
fn writer_that_is_dropped_or_panics_cuts_the_body() {
    let mut pair = Pair::new(100);
    pair.write(b"abc");
    pair.outgoing = CellOutgoing::new(Cell::new(Arc::default()), 1);
    let cut = |end: Option<Ended>| match end {
        Some(Ended::Cut(reset)) => reset.reason(),
        other => panic!("{other:?}"),
    };
    assert_eq!(cut(pair.cell.fetch(&mut pair.body).end), ResetReason::Canceled);
    assert!(pair.body.is_empty(), "what was not flushed is gone");

    let Pair { cell, outgoing, mut body, .. } = Pair::new(100);
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
        let _outgoing = outgoing;
        std::panic::resume_unwind(Box::new("on purpose"));
    }));
    assert!(panicked.is_err());
    assert_eq!(cut(cell.fetch(&mut body).end), ResetReason::Broken);
}

#[test]
fn request_that_never_left_comes_back() {
    let pair = Pair::new(100);
    let head = RequestHead {
        method: http::Method::POST,
        uri: http::Uri::from_static("/a"),
        version: http::Version::HTTP_2,
        headers: HeaderMap::new(),
    };
    pair.cell.hand_back(Box::new(head));
    let begun = pair.cell.poll_head(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(begun, Poll::Ready(Begun::HandedBack(head)) if head.uri == "/a"));
    assert!(pair.cell.poll_head(&mut Context::from_waker(Waker::noop())).is_pending());
}

#[test]
fn writer_on_a_stream_that_has_ended_is_told_when_it_asks() {
    let mut cx = Context::from_waker(Waker::noop());
    let mut pair = Pair::new(10);
    pair.cell.close();
    pair.outgoing.tail().extend_from_slice(&[0; 20]);
    let reserved = pair.outgoing.poll_reserve(&mut cx, 1);
    assert!(matches!(reserved, Poll::Ready(Err(reset)) if reset.reason() == ResetReason::Canceled));
}
