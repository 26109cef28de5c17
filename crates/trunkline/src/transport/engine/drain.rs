//! The request of a call that HTTP/1.1 carries in the end: its cell, drained by whoever sends it.

use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::BytesMut;

use super::cell::{Cell, Ended};
use super::mailbox::Mailbox;
use crate::transport::{Chunk, Reset, ResetReason};

/// Reads what a call writes. Dropping it tells the call.
pub(crate) struct CellReader {
    cell: Arc<Cell>,
    mailbox: Arc<Mailbox>,
    body: BytesMut,
    end: Option<Ended>,
    buffer_bytes_max: usize,
}

impl CellReader {
    pub(super) fn new(cell: Arc<Cell>, buffer_bytes_max: usize) -> Self {
        let mailbox = Arc::default();
        cell.move_to(&mailbox);
        cell.attach(0, false);
        Self { cell, mailbox, body: BytesMut::new(), end: None, buffer_bytes_max }
    }

    fn fetch(&mut self) {
        let fetched = self.cell.fetch(&mut self.body);
        self.end = self.end.take().or(fetched.end);
    }

    /// The next chunk of the request's body.
    pub(crate) fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Chunk> {
        loop {
            // The mailbox first: what is written behind the fetch wakes this task.
            let news = self.mailbox.poll_take(cx, &mut Vec::new(), &mut Vec::new());
            self.fetch();
            match &mut self.end {
                Some(Ended::Cut(reset)) => return Poll::Ready(Chunk::Reset(reset.clone())),
                _ if !self.body.is_empty() => {
                    let data = self.body.split().freeze();
                    self.cell.sent(data.len(), self.buffer_bytes_max);
                    return Poll::Ready(Chunk::Data(data));
                }
                Some(Ended::Well(trailers)) => return Poll::Ready(Chunk::End(trailers.take())),
                None if news.is_pending() => return Poll::Pending,
                None => {}
            }
        }
    }

    /// Bytes still to come if the whole body is here and no trailers follow: what a content-length could say.
    pub(crate) fn bytes_left(&self) -> Option<usize> {
        match self.end {
            Some(Ended::Well(None)) => Some(self.body.len()),
            Some(_) => None,
            None => self.cell.bytes_left().map(|left| left + self.body.len()),
        }
    }
}

impl Drop for CellReader {
    fn drop(&mut self) {
        let text = "the peer does not read the rest of the body";
        self.cell.stop_sending(Reset::new(ResetReason::Canceled, text));
    }
}
