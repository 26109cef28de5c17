//! A socket that does not block, with one buffer for each direction, and the set of sockets that a thread waits for.
//!
//! It knows where a frame ends, because that decides how much of the buffer is used up. It must not know what frames mean.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, OwnedFd};

use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};

use crate::frame::{Frame, HEAD, number};

/// Enough for what the kernel hands over in one read.
const READ_BYTES: usize = 256 << 10;

/// How many sockets one wait reports.
const EVENTS: usize = 64;

/// The sockets that a thread waits for.
pub struct Poll {
    set: OwnedFd,
    events: Vec<epoll::Event>,
}

impl Poll {
    pub fn new() -> io::Result<Self> {
        let set = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        Ok(Self { set, events: Vec::with_capacity(EVENTS) })
    }

    /// Waits for `socket` to have something to read; it is called `token` from then on.
    pub fn add(&self, socket: impl AsFd, token: u64) -> io::Result<()> {
        Ok(epoll::add(&self.set, socket, epoll::EventData::new_u64(token), epoll::EventFlags::IN)?)
    }

    /// The sockets that are ready, by their tokens, and whether there is something to read.
    pub fn wait(&mut self, milliseconds: Option<i64>) -> io::Result<Vec<(u64, bool)>> {
        let timeout = milliseconds.map(|ms| Timespec { tv_sec: 0, tv_nsec: ms * 1_000_000 });
        self.events.clear();
        epoll::wait(&self.set, spare_capacity(&mut self.events), timeout.as_ref())?;
        let is_readable = |event: &epoll::Event| {
            let flags = event.flags;
            flags.intersects(epoll::EventFlags::IN | epoll::EventFlags::HUP | epoll::EventFlags::ERR)
        };
        Ok(self.events.iter().map(|event| (event.data.u64(), is_readable(event))).collect())
    }
}

/// One connection.
pub struct Socket {
    stream: TcpStream,
    token: u64,
    input: Vec<u8>,
    start: usize,
    end: usize,
    /// What has not been written yet, behind `written` bytes that have been.
    pub out: Vec<u8>,
    written: usize,
    is_full: bool,
}

impl Socket {
    pub fn new(stream: TcpStream, poll: &Poll, token: u64) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        poll.add(&stream, token)?;
        let out = Vec::with_capacity(READ_BYTES);
        let input = vec![0; READ_BYTES];
        Ok(Self { stream, token, input, start: 0, end: 0, out, written: 0, is_full: false })
    }

    /// One read.
    ///
    /// # Errors
    /// The peer has ended the connection.
    pub fn fill(&mut self) -> io::Result<()> {
        self.input.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        match self.stream.read(&mut self.input[self.end..]) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                self.end += count;
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Writes until everything is written or the socket is full; then the poll tells when there is room.
    ///
    /// # Errors
    /// The peer has ended the connection.
    pub fn flush(&mut self, poll: &Poll) -> io::Result<()> {
        while self.written < self.out.len() {
            match self.stream.write(&self.out[self.written..]) {
                Ok(count) => self.written += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        let is_full = self.written < self.out.len();
        if !is_full {
            self.out.clear();
            self.written = 0;
        }
        if is_full != self.is_full {
            self.is_full = is_full;
            let room = if is_full { epoll::EventFlags::OUT } else { epoll::EventFlags::empty() };
            let flags = epoll::EventFlags::IN | room;
            epoll::modify(&poll.set, &self.stream, epoll::EventData::new_u64(self.token), flags)?;
        }
        Ok(())
    }

    /// Takes `count` bytes that are no frame, if they are there.
    pub fn skip(&mut self, count: usize) -> bool {
        let is_there = self.end - self.start >= count;
        if is_there {
            self.start += count;
        }
        is_there
    }

    /// The next whole frame. Its payload stays where it is until `fill`.
    pub fn frame(&mut self) -> Option<Frame> {
        let bytes = &self.input[self.start..self.end];
        let length = number(bytes.get(..4)?) as usize >> 8;
        if bytes.len() < HEAD + length {
            return None;
        }
        let start = self.start + HEAD;
        self.start = start + length;
        let stream = number(&bytes[5..HEAD]) & 0x7fff_ffff;
        Some(Frame { kind: bytes[3], flags: bytes[4], stream, start, end: self.start })
    }

    pub fn payload(&self, frame: Frame) -> &[u8] {
        &self.input[frame.start..frame.end]
    }

    /// Writes what has been received into a frame of ours, without a copy in between.
    pub fn echo(&mut self, frame: Frame) {
        self.out.extend_from_slice(&self.input[frame.start..frame.end]);
    }

    /// How much waits to be written.
    pub fn queued(&self) -> usize {
        self.out.len() - self.written
    }

    /// Whether the kernel takes no more for now.
    pub fn is_full(&self) -> bool {
        self.is_full
    }
}
