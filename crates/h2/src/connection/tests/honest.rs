//! Traffic that looks like an attack and is none: nobody is punished for it.

use std::time::{Duration, Instant};

use super::{
    BytesMut, Connection, Event, HeaderMap, Limits, Method, Reason, StatusCode, StreamKey, Uri, some_instant,
};

/// A client and a server of ours, and what came of the last exchange.
struct Pair {
    client: Connection,
    server: Connection,
    now: Instant,
    to_client: BytesMut,
    to_server: BytesMut,
}

impl Pair {
    fn new() -> Self {
        Self::with(Limits::default())
    }

    fn with(limits: Limits) -> Self {
        let now = some_instant();
        let (client, server) = (Connection::client(limits.clone(), now), Connection::server(limits, now));
        let mut pair = Self { client, server, now, to_client: BytesMut::new(), to_server: BytesMut::new() };
        pair.exchange();
        pair
    }

    /// Brings everything to the other side until nobody has anything to say, and gives what each side was told. Bodies are
    /// taken at once.
    fn exchange(&mut self) -> (Vec<Event>, Vec<Event>) {
        let (mut of_client, mut of_server) = (Vec::new(), Vec::new());
        loop {
            let to_server = carry(&mut self.client, &mut self.to_server);
            told(&mut self.server, &mut self.to_server, self.now, &mut of_server);
            let to_client = carry(&mut self.server, &mut self.to_client);
            told(&mut self.client, &mut self.to_client, self.now, &mut of_client);
            if to_server + to_client == 0 {
                return (of_client, of_server);
            }
        }
    }

    fn open(&mut self, ended: bool) -> StreamKey {
        self.client.open(&Method::POST, &uri(), &HeaderMap::new(), ended).unwrap()
    }

    /// A call from head to end.
    fn call(&mut self) {
        self.open(true);
        let (_, told) = self.exchange();
        let stream = request_of(&told);
        self.server.send_response(stream, StatusCode::OK, &HeaderMap::new(), true).unwrap();
        self.exchange();
    }
}

fn uri() -> Uri {
    Uri::from_static("http://a.example/p.S/M")
}

fn request_of(told: &[Event]) -> StreamKey {
    let mut requests = told.iter().filter_map(|event| match event {
        Event::Request { stream, .. } => Some(*stream),
        _ => None,
    });
    requests.next().expect("a request was told")
}

fn carry(from: &mut Connection, wire: &mut BytesMut) -> usize {
    let bytes = from.transmit_bytes();
    while !from.poll_transmit().is_empty() {
        wire.extend_from_slice(from.poll_transmit());
        let length = from.poll_transmit().len();
        from.transmitted(length);
    }
    bytes
}

fn told(side: &mut Connection, wire: &mut BytesMut, now: Instant, told: &mut Vec<Event>) {
    while let Some(event) = side.poll_event(wire, now).expect("nobody breaks a rule") {
        if let Event::Data { stream, data, .. } = &event {
            side.release(*stream, data.len(), now);
        }
        told.push(event);
    }
}

/// A client of ours that cancels ten thousand calls, each beside one that ends well.
#[test]
fn cancels_paced_by_calls_that_end_well_are_free() {
    let mut pair = Pair::new();
    for _ in 0..10_000 {
        let stream = pair.open(false);
        pair.exchange();
        pair.client.reset(stream, Reason::CANCEL);
        pair.call();
    }
    assert!(!pair.client.is_leaving() && !pair.server.is_leaving());
    assert_eq!((pair.client.open_streams(), pair.server.open_streams()), (0, 0));
}

/// Calls that are cancelled while their responses stream: the frames on their way are nobody's fault.
#[test]
fn cancels_of_streams_full_of_small_frames_are_free() {
    let mut pair = Pair::new();
    for _ in 0..60 {
        let stream = pair.open(true);
        let (_, told) = pair.exchange();
        let serving = request_of(&told);
        pair.server.send_response(serving, StatusCode::OK, &HeaderMap::new(), false).unwrap();
        for _ in 0..1000 {
            let mut message = BytesMut::zeroed(105);
            pair.server.send_data(serving, &mut message, false, usize::MAX).unwrap();
        }
        pair.client.reset(stream, Reason::CANCEL);
        pair.exchange();
    }
    pair.call();
    assert_eq!((pair.client.open_streams(), pair.server.open_streams()), (0, 0));
}

/// The same for uploads that a server ends early.
#[test]
fn uploads_that_a_server_ends_early_are_free() {
    let mut pair = Pair::new();
    for _ in 0..300 {
        let stream = pair.open(false);
        let (_, told) = pair.exchange();
        let serving = request_of(&told);
        for _ in 0..100 {
            let mut message = BytesMut::zeroed(105);
            pair.client.send_data(stream, &mut message, false, usize::MAX).unwrap();
        }
        pair.client.send_trailers(stream, &HeaderMap::new()).unwrap();
        pair.server.send_response(serving, StatusCode::OK, &HeaderMap::new(), true).unwrap();
        pair.server.reset(serving, Reason::NO_ERROR);
        pair.exchange();
        pair.call();
    }
    assert!(!pair.server.is_leaving());
}

/// Late frames for streams that ended longer ago than is remembered.
#[test]
fn late_trailers_for_a_forgotten_stream_are_no_fault() {
    let mut pair = Pair::new();
    let stream = pair.open(false);
    let (_, told) = pair.exchange();
    pair.server.reset(request_of(&told), Reason::CANCEL);
    // The reset is on its way for a long time.
    let mut late = BytesMut::new();
    carry(&mut pair.server, &mut late);
    for _ in 0..1000 {
        pair.call();
    }
    let mut message = BytesMut::zeroed(105);
    pair.client.send_data(stream, &mut message, false, usize::MAX).unwrap();
    pair.client.send_trailers(stream, &HeaderMap::new()).unwrap();
    pair.to_client.unsplit(late);
    pair.exchange();
    pair.call();
    assert!(!pair.server.is_leaving());
}

/// A thousand messages of a hundred bytes on each of fifty streams at once, a frame each, both ways.
#[test]
fn small_messages_in_frames_of_their_own_are_free() {
    let mut pair = Pair::new();
    let opened: Vec<StreamKey> = (0..50).map(|_| pair.open(false)).collect();
    let (_, told) = pair.exchange();
    let served = told.iter().filter_map(|event| match event {
        Event::Request { stream, .. } => Some(*stream),
        _ => None,
    });
    let served: Vec<StreamKey> = served.collect();
    for stream in &served {
        pair.server.send_response(*stream, StatusCode::OK, &HeaderMap::new(), false).unwrap();
    }
    let mut bytes = 0;
    for round in 0..1000 {
        for (stream, serving) in opened.iter().zip(&served) {
            let ended = round == 999;
            pair.client.send_data(*stream, &mut BytesMut::zeroed(105), ended, usize::MAX).unwrap();
            pair.server.send_data(*serving, &mut BytesMut::zeroed(105), ended, usize::MAX).unwrap();
        }
        if round % 100 == 99 {
            let (of_client, of_server) = pair.exchange();
            bytes += of_client
                .iter()
                .chain(&of_server)
                .map(|event| match event {
                    Event::Data { data, .. } => data.len(),
                    _ => 0,
                })
                .sum::<usize>();
        }
    }
    assert_eq!(bytes, 2 * 50 * 1000 * 105);
    assert_eq!((pair.client.open_streams(), pair.server.open_streams()), (0, 0));
}

/// As grpc-go measures bandwidth: a PING for each 16 KiB of data; and a WINDOW_UPDATE of both kinds for each frame.
#[test]
fn pings_and_updates_paced_by_data_are_free() {
    let mut pair = Pair::new();
    let stream = pair.open(false);
    let (_, told) = pair.exchange();
    let serving = request_of(&told);
    pair.server.send_response(serving, StatusCode::OK, &HeaderMap::new(), false).unwrap();
    for _ in 0..40_000 {
        pair.server.send_data(serving, &mut BytesMut::zeroed(105), false, usize::MAX).unwrap();
        pair.exchange();
        for id in [0, stream.id()] {
            pair.to_server.extend_from_slice(&[0, 0, 4, 8, 0, 0, 0, 0, id as u8, 0, 0, 0, 105]);
        }
    }
    for _ in 0..20_000 {
        pair.client.send_data(stream, &mut BytesMut::zeroed(16 << 10), false, usize::MAX).unwrap();
        pair.to_server.extend_from_slice(&[0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
        let waiting = carry(&mut pair.client, &mut pair.to_server);
        assert!(waiting > 16 << 10);
        told_and_answered(&mut pair);
    }
    assert!(!pair.server.is_leaving());
}

/// The server takes its input and its answers to PINGs are thrown away, for the client did not send those.
fn told_and_answered(pair: &mut Pair) {
    told(&mut pair.server, &mut pair.to_server, pair.now, &mut Vec::new());
    let mut answers = BytesMut::new();
    carry(&mut pair.server, &mut answers);
    // Frames of the server that matter to the client are its WINDOW_UPDATEs, of thirteen bytes.
    while answers.len() >= 13 {
        let length = 9 + usize::from(answers[2]);
        let frame = answers.split_to(length);
        if frame[3] == 8 {
            pair.to_client.extend_from_slice(&frame);
        }
    }
    told(&mut pair.client, &mut pair.to_client, pair.now, &mut Vec::new());
}

/// A client that asks whether we are there, every ten seconds for a month.
#[test]
fn pings_in_silence_are_free() {
    let mut pair = Pair::new();
    for _ in 0..260_000 {
        pair.now += Duration::from_secs(10);
        pair.to_server.extend_from_slice(&[0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
        told(&mut pair.server, &mut pair.to_server, pair.now, &mut Vec::new());
        pair.server.transmitted(17);
    }
    pair.call();
}

/// Streams opened before the peer's first settings are known.
#[test]
fn streams_opened_before_the_settings_are_served() {
    let now = some_instant();
    for window in [1, 100, 65_535, 1 << 20] {
        let limits = Limits { stream_window_bytes: window, ..Limits::default() };
        let (client, server) = (Connection::client(limits.clone(), now), Connection::server(limits, now));
        let mut pair = Pair { client, server, now, to_client: BytesMut::new(), to_server: BytesMut::new() };
        let stream = pair.open(false);
        let mut body = BytesMut::zeroed(200_000);
        pair.client.send_data(stream, &mut body, true, usize::MAX).unwrap();
        let mut received = 0;
        for _ in 0..400_000 {
            let (of_client, of_server) = pair.exchange();
            received += of_server
                .iter()
                .map(|event| match event {
                    Event::Data { data, .. } => data.len(),
                    _ => 0,
                })
                .sum::<usize>();
            if !of_client.iter().any(|event| matches!(event, Event::Writable { .. })) {
                break;
            }
            pair.client.send_data(stream, &mut body, true, usize::MAX).unwrap();
        }
        assert_eq!((received, body.len()), (200_000, 0), "a window of {window}");
    }
}
