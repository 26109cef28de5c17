//! Calls in memory: a client's transport that is a server's call room. No socket, no HTTP, the same protocols.
//!
//! A call is two pipes, one for each direction, and a task that answers it. Dropping the response ends the task.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::task::{JoinError, JoinHandle};
use trunkline_wire::RequestHead;

use super::pipe::{PipeReader, pipe};
use super::{Answer, Chunk, Driving, Incoming, Opened, Transport};
use crate::context::Peer;

/// A transport whose calls are answered in this process.
pub(crate) struct MemoryTransport {
    answer: Arc<dyn Answer>,
    stream_buffer_bytes_max: usize,
}

impl MemoryTransport {
    pub(crate) fn new(answer: Arc<dyn Answer>, stream_buffer_bytes_max: usize) -> Self {
        Self { answer, stream_buffer_bytes_max }
    }
}

impl Transport for MemoryTransport {
    fn version(&self) -> http::Version {
        http::Version::HTTP_2
    }

    fn open(&self, head: RequestHead, _: Driving) -> Opened {
        let (request_writer, request_reader) = pipe(self.stream_buffer_bytes_max);
        let (response_writer, mut response_reader) = pipe(self.stream_buffer_bytes_max);
        let answer =
            self.answer.answer(head, &Peer::default(), Box::new(request_reader), Box::new(response_writer));
        // The task ends with the call: it is aborted when the caller drops the response.
        let task = AbortOnDrop(tokio::spawn(answer));
        let response = async move {
            let head = std::future::poll_fn(|cx| response_reader.poll_head(cx)).await?;
            let body: Box<dyn Incoming> = Box::new(MemoryIncoming { reader: response_reader, _task: task });
            Ok((head, body))
        };
        Opened { outgoing: Box::new(request_writer), response: Box::pin(response) }
    }
}

struct MemoryIncoming {
    reader: PipeReader,
    _task: AbortOnDrop,
}

impl Incoming for MemoryIncoming {
    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Chunk> {
        self.reader.poll_chunk(cx)
    }
}

/// A task that must not outlive the one who waits for it. As a future it is the task's end.
pub(crate) struct AbortOnDrop<T = ()>(pub(crate) JoinHandle<T>);

impl<T> Future for AbortOnDrop<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(cx)
    }
}

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
