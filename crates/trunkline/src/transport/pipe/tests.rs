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

fn write(writer: &mut PipeWriter, bytes: &[u8]) {
    let mut cx = Context::from_waker(Waker::noop());
    let Poll::Ready(Ok(target)) = writer.poll_reserve(&mut cx, bytes.len()) else { panic!("no credit") };
    target.extend_from_slice(bytes);
}

/// What the reader sees now.
fn read(reader: &mut PipeReader) -> String {
    match reader.poll_chunk(&mut Context::from_waker(Waker::noop())) {
        Poll::Pending => "pending".to_owned(),
        Poll::Ready(Chunk::Data(data)) => format!("data {}", data.len()),
        Poll::Ready(Chunk::End(trailers)) => format!("end {}", trailers.map_or(0, |trailers| trailers.len())),
        Poll::Ready(Chunk::Reset(reset)) => format!("reset {:?}", reset.reason()),
    }
}

fn head() -> ResponseHead {
    ResponseHead { status: StatusCode::OK, headers: HeaderMap::new() }
}

#[test]
fn bytes_travel_when_flushed_and_merge_when_the_reader_is_slow() {
    let (mut writer, mut reader) = pipe(100);
    write(&mut writer, b"abc");
    assert_eq!(read(&mut reader), "pending");
    writer.flush();
    write(&mut writer, b"de");
    writer.flush();
    assert_eq!(read(&mut reader), "data 5");
    assert_eq!(read(&mut reader), "pending");
}

#[test]
fn finish_flushes_and_carries_trailers_and_the_end_repeats() {
    let (mut writer, mut reader) = pipe(100);
    write(&mut writer, b"abc");
    let mut trailers = HeaderMap::new();
    trailers.insert("a", http::HeaderValue::from_static("b"));
    writer.finish(Some(trailers));
    assert_eq!(reader.bytes_left(), None, "trailers follow, so there is no content-length");
    assert_eq!([read(&mut reader), read(&mut reader), read(&mut reader)], ["data 3", "end 1", "end 0"]);
}

#[test]
fn whole_body_without_trailers_tells_its_length() {
    let (mut writer, reader) = pipe(100);
    assert_eq!(reader.bytes_left(), None);
    write(&mut writer, b"abc");
    writer.finish(None);
    assert_eq!(reader.bytes_left(), Some(3));
}

#[test]
fn writer_waits_when_the_buffer_is_full_and_is_woken_once_it_is_read() {
    let (mut writer, mut reader) = pipe(4);
    write(&mut writer, b"0123456789");
    let count = Arc::new(Count::default());
    let waker = Waker::from(Arc::clone(&count));
    assert!(writer.poll_reserve(&mut Context::from_waker(&waker), 1).is_pending());
    assert_eq!(read(&mut reader), "data 10", "waiting for credit flushes");
    assert_eq!(count.0.load(Ordering::Relaxed), 1);
    write(&mut writer, b"x");
}

#[test]
fn reader_is_woken_only_when_it_waits() {
    let (mut writer, mut reader) = pipe(100);
    let count = Arc::new(Count::default());
    let waker = Waker::from(Arc::clone(&count));
    assert!(reader.poll_chunk(&mut Context::from_waker(&waker)).is_pending());
    for _ in 0..3 {
        write(&mut writer, b"x");
        writer.flush();
    }
    assert_eq!(count.0.load(Ordering::Relaxed), 1);
}

#[test]
fn much_written_travels_unasked() {
    let (mut writer, mut reader) = pipe(1 << 20);
    write(&mut writer, &vec![0; AUTO_FLUSH_BYTES]);
    write(&mut writer, b"more");
    assert_eq!(read(&mut reader), format!("data {AUTO_FLUSH_BYTES}"));
}

#[test]
fn tail_needs_no_credit() {
    let (mut writer, mut reader) = pipe(1);
    write(&mut writer, b"full");
    assert!(writer.poll_reserve(&mut Context::from_waker(Waker::noop()), 1).is_pending());
    writer.tail().extend_from_slice(b"end");
    writer.finish(None);
    assert_eq!([read(&mut reader), read(&mut reader)], ["data 7", "end 0"]);
}

#[test]
fn held_back_answers_wait_as_any_other_once_the_request_is_over() {
    let over = Arc::new(Gone::default());
    let (mut writer, mut reader) = held_pipe(4, 10, Arc::clone(&over));
    write(&mut writer, b"0123456789");
    over.raise();
    // The reader has not been released yet; the writer waits for it and is not refused.
    let mut cx = Context::from_waker(Waker::noop());
    assert!(writer.poll_reserve(&mut cx, 1).is_pending());
    assert_eq!(read(&mut reader), "data 10");
    write(&mut writer, b"x");
}

#[test]
fn held_back_answers_wait_and_too_many_are_refused() {
    let (mut writer, mut reader) = held_pipe(4, 10, Arc::default());
    let mut cx = Context::from_waker(Waker::noop());
    write(&mut writer, b"01234");
    write(&mut writer, b"56789");
    let refused = writer.poll_reserve(&mut cx, 1);
    assert!(matches!(refused, Poll::Ready(Err(reset)) if reset.reason() == ResetReason::Calm));
    reader.release();
    assert!(writer.poll_reserve(&mut cx, 1).is_pending(), "released, the usual bound counts");
    assert_eq!(read(&mut reader), "data 10");
    write(&mut writer, b"x");
}

#[test]
fn end_can_be_waited_for_without_reading() {
    let mut cx = Context::from_waker(Waker::noop());
    let (mut writer, mut reader) = pipe(100);
    write(&mut writer, b"abc");
    writer.flush();
    assert!(reader.poll_ended(&mut cx).is_pending());
    writer.finish(None);
    assert!(reader.poll_ended(&mut cx).is_ready());
    assert_eq!([read(&mut reader), read(&mut reader)], ["data 3", "end 0"]);
    let (writer, mut reader) = pipe(100);
    drop(writer);
    assert!(reader.poll_ended(&mut cx).is_ready());
}

#[test]
fn dropping_the_writer_unfinished_resets() {
    let (mut writer, mut reader) = pipe(100);
    write(&mut writer, b"half");
    writer.flush();
    drop(writer);
    assert_eq!([read(&mut reader), read(&mut reader)], ["reset Canceled", "reset Canceled"]);
}

#[test]
fn dropping_the_reader_refuses_the_rest() {
    let (mut writer, reader) = pipe(4);
    write(&mut writer, b"lost");
    drop(reader);
    writer.flush();
    let mut cx = Context::from_waker(Waker::noop());
    assert!(
        matches!(writer.poll_reserve(&mut cx, 1), Poll::Ready(Err(reset)) if reset.reason() == ResetReason::Canceled)
    );
    writer.finish(None);
}

#[test]
fn head_comes_before_the_body_or_the_end_says_why_not() {
    let mut cx = Context::from_waker(Waker::noop());
    let (mut writer, mut reader) = pipe(100);
    assert!(reader.poll_head(&mut cx).is_pending());
    writer.head(head());
    assert!(matches!(reader.poll_head(&mut cx), Poll::Ready(Ok(_))));
    let (mut writer, mut reader) = pipe(100);
    writer.reset(ResetReason::Refused);
    assert!(
        matches!(reader.poll_head(&mut cx), Poll::Ready(Err(reset)) if reset.reason() == ResetReason::Refused)
    );
    let (mut writer, mut reader) = pipe(100);
    writer.finish(None);
    assert!(
        matches!(reader.poll_head(&mut cx), Poll::Ready(Err(reset)) if reset.reason() == ResetReason::Broken)
    );
}
