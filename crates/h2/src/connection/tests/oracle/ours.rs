//! Both roles of ours, driven over a pipe.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use bytes::BytesMut;
use http::{HeaderMap, Method, StatusCode, Uri};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

use super::{CODE, Cut, Half, Log, Plan, STREAMS_MAX, Side, hear};
use crate::tests::some_instant;
use crate::{Connection, Event, Limits, Reason, Sent, StreamKey};

/// A call that goes on.
struct Ongoing {
    key: StreamKey,
    /// What is left to send; `None` when the end was sent.
    body: Option<BytesMut>,
    half: Half,
    is_blocked: bool,
    /// What is received is over.
    has_ended: bool,
    /// It is to be reset when its body is sent.
    cut: bool,
}

/// A machine, its pipe, and its calls.
struct Driver {
    side: Side,
    machine: Connection,
    io: DuplexStream,
    input: BytesMut,
    now: Instant,
    plans: Arc<[Plan]>,
    log: Log,
    /// By number of the stream: the number of the call.
    calls: HashMap<u32, usize>,
    ongoing: HashMap<usize, Ongoing>,
    /// Calls to be made.
    due: VecDeque<usize>,
}

pub(super) async fn client(io: DuplexStream, limits: Limits, plans: Arc<[Plan]>, log: Log) {
    let mut driver = Driver::new(Side::Client, io, limits, plans, log);
    driver.open();
    while !driver.ongoing.is_empty() || !driver.due.is_empty() {
        driver.turn().await;
        driver.open();
    }
    assert_eq!(driver.machine.open_streams(), 0);
    driver.machine.shut_down(driver.now);
    assert!(driver.machine.is_over());
    driver.flush().await;
}

pub(super) async fn server(io: DuplexStream, limits: Limits, plans: Arc<[Plan]>, log: Log) {
    let mut driver = Driver::new(Side::Server, io, limits, plans, log);
    // The peer leaves when it has all it wants.
    while driver.turn().await {}
    assert_eq!(driver.machine.open_streams(), 0);
}

impl Driver {
    fn new(side: Side, io: DuplexStream, limits: Limits, plans: Arc<[Plan]>, log: Log) -> Self {
        let now = some_instant();
        let machine = match side {
            Side::Client => Connection::client(limits, now),
            Side::Server => Connection::server(limits, now),
        };
        let (calls, ongoing) = (HashMap::new(), HashMap::new());
        let due = (0..plans.len()).collect();
        Self { side, machine, io, input: BytesMut::new(), now, plans, log, calls, ongoing, due }
    }

    /// Opens as many calls as there is room for.
    fn open(&mut self) {
        // Until its settings are known, h2 refuses streams and takes trailers on those for an error, and never opens a
        // narrow window again that was overrun.
        while self.machine.streams_max() <= STREAMS_MAX
            && self.machine.has_room()
            && let Some(call) = self.due.pop_front()
        {
            let plan = &self.plans[call];
            let cut = plan.cut == Cut::ByClient;
            let bytes = if cut { plan.up.bytes / 2 } else { plan.up.bytes };
            let ended = bytes == 0 && !plan.up.trailers && !cut;
            let uri: Uri = format!("http://a.example/{call}").parse().unwrap();
            let key = self.machine.open(&Method::POST, &uri, &HeaderMap::new(), ended).unwrap();
            let body = BytesMut::from(&plan.up.body(call, Side::Client)[..bytes]);
            self.begin(
                call,
                Ongoing {
                    key,
                    body: (!ended).then_some(body),
                    half: plan.up.clone(),
                    is_blocked: false,
                    has_ended: false,
                    cut,
                },
            );
        }
    }

    fn begin(&mut self, call: usize, ongoing: Ongoing) {
        self.calls.insert(ongoing.key.id(), call);
        self.ongoing.insert(call, ongoing);
        self.push(call);
    }

    /// Sends what may be sent, then waits until bytes come or go. `false` when the peer has gone.
    async fn turn(&mut self) -> bool {
        let calls: Vec<usize> = self.ongoing.keys().copied().collect();
        calls.into_iter().for_each(|call| self.push(call));
        self.settle();
        if self.side == Side::Client && self.ongoing.is_empty() && self.machine.streams_max() <= STREAMS_MAX {
            return true;
        }
        let (mut read, mut write) = tokio::io::split(&mut self.io);
        let out = self.machine.poll_transmit();
        tokio::select! {
            length = read.read_buf(&mut self.input) => if length.unwrap() == 0 { return false },
            length = write.write(out), if !out.is_empty() => match length {
                Ok(length) => self.machine.transmitted(length),
                // The peer takes nothing more; what it said before is still to be heard.
                Err(_) => {
                    let length = out.len();
                    self.machine.transmitted(length);
                }
            },
        }
        while let Some(event) =
            self.machine.poll_event(&mut self.input, self.now).expect("h2 keeps to the rules")
        {
            self.hear(event);
        }
        true
    }

    async fn flush(&mut self) {
        while !self.machine.poll_transmit().is_empty() {
            let bytes = self.machine.poll_transmit().to_vec();
            // The peer may have left already.
            if self.io.write_all(&bytes).await.is_err() {
                return;
            }
            self.machine.transmitted(bytes.len());
        }
    }

    /// Sends more of one body.
    fn push(&mut self, call: usize) {
        let Some(ongoing) = self.ongoing.get_mut(&call).filter(|ongoing| !ongoing.is_blocked) else { return };
        let Some(body) = &mut ongoing.body else { return };
        let ends = !ongoing.half.trailers && !ongoing.cut;
        loop {
            match self.machine.send_data(ongoing.key, body, ends, ongoing.half.piece) {
                Ok(Sent::Share) => {}
                Ok(Sent::Blocked) => return ongoing.is_blocked = true,
                Ok(Sent::All) => break,
                // It was cut.
                Err(_) => return,
            }
        }
        ongoing.body = None;
        if ongoing.cut {
            self.machine.reset(ongoing.key, Reason(CODE));
        } else if let Some(trailers) = ongoing.half.trailers(call) {
            self.machine.send_trailers(ongoing.key, &trailers).unwrap();
        }
    }

    /// Forgets calls that are over.
    fn settle(&mut self) {
        let machine = &self.machine;
        self.ongoing.retain(|_, ongoing| {
            machine.is_open(ongoing.key) || ongoing.body.is_some() && !ongoing.has_ended
        });
    }

    fn hear(&mut self, event: Event) {
        let side = self.side;
        match event {
            Event::Request { stream, head, ended } => {
                self.serve(stream, head.uri.path()[1..].parse().unwrap(), ended);
            }
            Event::Response { stream, ended, .. } => self.end(stream, ended),
            Event::Data { stream, data, ended } => {
                let call = self.calls[&stream.id()];
                hear(&self.log, call, side, |heard| heard.body.extend_from_slice(&data));
                self.machine.release(stream, data.len(), self.now);
                self.end(stream, ended);
            }
            Event::Trailers { stream, fields } => {
                hear(&self.log, self.calls[&stream.id()], side, |heard| heard.trailers = Some(fields));
                self.end(stream, true);
            }
            Event::Reset { stream, reason, by_peer } => {
                assert!(by_peer, "h2 broke a rule: {reason}");
                let call = self.calls[&stream.id()];
                self.ongoing.remove(&call);
                hear(&self.log, call, side, |heard| heard.reset = Some(reason.0));
            }
            Event::Writable { stream } => {
                if let Some(ongoing) = self.ongoing.get_mut(&self.calls[&stream.id()]) {
                    ongoing.is_blocked = false;
                }
            }
            Event::GoingAway { reason, .. } => assert_eq!(reason, Reason::NO_ERROR),
            Event::Room => {}
        }
    }

    fn serve(&mut self, key: StreamKey, call: usize, ended: bool) {
        let plan = &self.plans[call];
        if plan.cut == Cut::ByServer {
            self.calls.insert(key.id(), call);
            return self.machine.reset(key, Reason(CODE));
        }
        let is_all = plan.down.bytes == 0 && !plan.down.trailers;
        self.machine.send_response(key, StatusCode::OK, &HeaderMap::new(), is_all).unwrap();
        let body = BytesMut::from(&plan.down.body(call, Side::Server)[..]);
        self.begin(
            call,
            Ongoing {
                key,
                body: (!is_all).then_some(body),
                half: plan.down.clone(),
                is_blocked: false,
                has_ended: ended,
                cut: false,
            },
        );
        self.end(key, ended);
    }

    fn end(&mut self, stream: StreamKey, ended: bool) {
        if !ended {
            return;
        }
        let call = self.calls[&stream.id()];
        hear(&self.log, call, self.side, |heard| heard.ended = true);
        if let Some(ongoing) = self.ongoing.get_mut(&call) {
            ongoing.has_ended = true;
        }
    }
}
