//! Attacks, each against the limit that stops it, and how much the attacker gets before that.

use std::time::Duration;

use super::cases::{Case, HELLO, parse};
use super::talk::Talk;
use super::{Event, Limits, Reason, Role, StreamKey};

/// A peer that sends whatever the row says, to a machine with these limits.
fn talk(role: Role, limits: Limits) -> Talk {
    Talk::new(&Case { place: String::new(), role, raw: false, limits, steps: Vec::new() })
}

/// The bytes of the frames in these lines.
fn frames(lines: &str) -> Vec<u8> {
    let text: String = lines.lines().map(|line| format!("<< {}\n", line.trim())).collect();
    match parse(&format!("case\n{text}"), "").remove(0).steps.remove(0) {
        super::cases::Step::Come(bytes) => bytes,
        super::cases::Step::Do(_) => panic!("frames come"),
    }
}

/// Sends the same again and again in one instant, until the connection ends. Gives how often, and the reason.
fn until_end(talk: &mut Talk, bytes: &[u8], times_max: usize) -> Option<(usize, Reason)> {
    for times in 1..=times_max {
        talk.feed(bytes);
        talk.take_said();
        if let Some(fault) = &talk.fault {
            return Some((times, fault.reason));
        }
    }
    None
}

/// A flood of one frame ends at the budget, and one that keeps to the rate goes on.
fn flood(role: Role, first: &str, frame: &str, cost: u32) {
    let mut limits = Limits::default();
    (limits.idle_frames_max, limits.idle_frames_per_second) = (1000, 100);
    let bytes = frames(frame);
    let mut fast = talk(role, limits.clone());
    fast.feed(&frames(first));
    let times = 1000 / cost as usize + 1;
    assert_eq!(until_end(&mut fast, &bytes, 2000), Some((times, Reason::ENHANCE_YOUR_CALM)), "{frame}");

    let mut slow = talk(role, limits);
    slow.feed(&frames(first));
    for _ in 0..2000 {
        slow.now += Duration::from_millis(10 * u64::from(cost));
        assert_eq!(until_end(&mut slow, &bytes, 1), None, "{frame}, slowly");
    }
}

const OPEN: &str = "HEADERS 1 END_HEADERS POST";

#[test]
fn floods_of_frames_that_carry_nothing_end_the_connection() {
    let reset = "HEADERS 1 END_HEADERS POST\nHEADERS 1 END_HEADERS POST";
    for (first, frame, cost) in [
        (OPEN, "PING 0 - fill:8", 1),
        (OPEN, "PING 0 ACK fill:8", 1),
        (OPEN, "SETTINGS 0 -", 16),
        (OPEN, "SETTINGS 0 - INITIAL_WINDOW_SIZE=1", 16),
        (OPEN, "SETTINGS 0 ACK", 1),
        (OPEN, "WINDOW_UPDATE 0 - #1", 1),
        (OPEN, "WINDOW_UPDATE 1 - #1", 1),
        (OPEN, "PRIORITY 1 - 0000000510", 1),
        (OPEN, "PRIORITY 77 - 0000000510", 1),
        (OPEN, "0x63 0 - \"anything\"", 1),
        (OPEN, "GOAWAY 0 - #0 #0 \"bye\"", 1),
        (OPEN, "DATA 1 - \"\"", 1),
        (OPEN, "DATA 1 PADDED 04 fill:4", 1),
        (reset, "DATA 1 - \"\"", 1),
        (reset, "RST_STREAM 1 - #8", 1),
        (reset, "WINDOW_UPDATE 1 - #1", 1),
        (reset, "HEADERS 1 END_STREAM+END_HEADERS a=b", 1),
    ] {
        flood(Role::Server, first, frame, cost);
    }
}

#[test]
fn floods_of_a_server_end_the_connection_too() {
    let mut limits = Limits::default();
    (limits.idle_frames_max, limits.idle_frames_per_second) = (1000, 100);
    for frame in ["PING 0 - fill:8", "HEADERS 1 END_HEADERS :status=100", "GOAWAY 0 - #1 #0"] {
        let mut talk = talk(Role::Client, limits.clone());
        talk.run(&super::cases::Step::Do(vec!["open".into()]), super::talk::Feed::Whole);
        let seen = until_end(&mut talk, &frames(frame), 2000);
        assert_eq!(seen, Some((1001, Reason::ENHANCE_YOUR_CALM)), "{frame}");
    }
}

/// One SETTINGS frame may carry thousands of settings, each of which touches every stream.
#[test]
fn flood_of_settings_in_one_frame_costs_what_it_makes() {
    let many =
        format!("SETTINGS 0 - {}", "INITIAL_WINDOW_SIZE=1 INITIAL_WINDOW_SIZE=2 ".repeat(1000).trim_end());
    let mut talk = talk(Role::Server, Limits::default());
    let seen = until_end(&mut talk, &frames(&many), 100);
    assert_eq!(seen, Some((6, Reason::ENHANCE_YOUR_CALM)));
}

/// Opens streams and breaks them off with `then`, in one instant. Gives how many requests were told.
fn broken_off(talk: &mut Talk, then: &str, times: u32) -> usize {
    let mut told = 0;
    for id in (1..).step_by(2).take(times as usize) {
        talk.feed(&frames(&format!("HEADERS {id} END_HEADERS POST\n{}", then.replace('@', &id.to_string()))));
        told += talk.take_said().iter().filter(|said| said.starts_with("=> request")).count();
    }
    told
}

/// Rapid reset (CVE-2023-44487), and rules broken so that we reset (MadeYouReset, CVE-2025-8671).
#[test]
fn streams_broken_off_are_no_more_than_the_budget() {
    let mut limits = Limits::default();
    (limits.resets_max, limits.resets_per_second) = (100, 10);
    (limits.idle_frames_max, limits.idle_frames_per_second) = (1000, 10);
    for then in [
        "RST_STREAM @ - #8",
        "WINDOW_UPDATE @ - #0",
        "WINDOW_UPDATE @ - #2147483647",
        "HEADERS @ END_HEADERS a=b",
        "HEADERS @ END_HEADERS+END_STREAM Upper=case",
        "PRIORITY @ - 00000000",
        "DATA @ END_STREAM \"\"\nDATA @ - \"x\"",
        "DATA @ END_STREAM \"\"\nHEADERS @ END_STREAM+END_HEADERS a=b",
    ] {
        let mut fast = talk(Role::Server, limits.clone());
        assert_eq!(broken_off(&mut fast, then, 500), 101, "{then}");
        assert!(fast.machine.is_leaving() && fast.machine.open_streams() == 0, "{then}");
        assert_eq!(broken_off(&mut fast, then, 5000), 0, "{then}");
        assert!(fast.fault.is_some(), "{then}: nobody may go on for ever");

        let mut slow = talk(Role::Server, limits.clone());
        for id in (1..4001).step_by(2) {
            slow.now += Duration::from_millis(100);
            slow.feed(&frames(&format!(
                "HEADERS {id} END_HEADERS POST\n{}",
                then.replace('@', &id.to_string())
            )));
            slow.take_said();
        }
        assert!(!slow.machine.is_leaving(), "{then}, slowly");
    }
}

/// Requests that are wrong from the first byte cost the same.
#[test]
fn requests_that_are_refused_are_no_more_than_the_budget() {
    let mut limits = Limits::default();
    (limits.resets_max, limits.resets_per_second, limits.head_bytes_max) = (100, 10, 200);
    for head in ["8386", "POST a=fill:200", "POST content-length=x", "POST connection=close"] {
        let mut talk = talk(Role::Server, limits.clone());
        let mut answered = 0;
        for id in (1..1001).step_by(2) {
            talk.feed(&frames(&format!("HEADERS {id} END_STREAM+END_HEADERS {head}")));
            answered += talk.take_said().iter().filter(|said| !said.contains("GOAWAY")).count();
        }
        assert_eq!(answered, 101, "{head}");
        assert!(talk.machine.is_leaving(), "{head}");
    }
}

/// Streams above the limit cost no state: they are refused in front of everything else.
#[test]
fn streams_above_the_limit_are_not_kept() {
    let mut limits = Limits::default();
    (limits.streams_max, limits.resets_max) = (10, 1_000_000);
    let mut talk = talk(Role::Server, limits);
    for id in (1..20_001).step_by(2) {
        talk.feed(&frames(&format!("HEADERS {id} END_HEADERS POST")));
        let said = talk.take_said();
        match id {
            ..20 => assert!(said[0].starts_with("=> request"), "{said:?}"),
            _ => assert_eq!(said, [format!(">> RST_STREAM {id} REFUSED_STREAM")]),
        }
    }
    assert_eq!((talk.machine.open_streams(), talk.machine.streams.slots()), (10, 10));
}

/// A handler counts until it has ended, though its stream was reset.
#[test]
fn handlers_that_linger_count_as_streams() {
    let limits = Limits { streams_max: 2, ..Limits::default() };
    let mut talk = talk(Role::Server, limits);
    talk.feed(&frames(
        "HEADERS 1 END_HEADERS POST\nRST_STREAM 1 - #8\nHEADERS 3 END_HEADERS POST\nRST_STREAM 3 - #8",
    ));
    talk.machine.lingers();
    talk.machine.lingers();
    talk.take_said();
    talk.feed(&frames("HEADERS 5 END_HEADERS POST"));
    assert_eq!(talk.take_said(), [">> RST_STREAM 5 REFUSED_STREAM"]);
    talk.machine.ended_late();
    talk.feed(&frames("HEADERS 7 END_HEADERS POST"));
    assert_eq!(talk.take_said(), ["=> request 7 POST http://a.example/"]);
}

#[test]
fn flood_of_continuations_ends_the_connection() {
    let mut empty = talk(Role::Server, Limits::default());
    empty.feed(&frames("HEADERS 1 END_STREAM 83"));
    assert_eq!(
        until_end(&mut empty, &frames("CONTINUATION 1 -"), 100),
        Some((33, Reason::ENHANCE_YOUR_CALM))
    );
    let mut full = talk(Role::Server, Limits::default());
    full.feed(&frames("HEADERS 1 END_STREAM POST"));
    let large = frames("CONTINUATION 1 - a=fill:16000");
    assert_eq!(until_end(&mut full, &large, 100), Some((17, Reason::ENHANCE_YOUR_CALM)));
}

/// A block of a few bytes that stands for a list of many: what is above the limit is not kept.
#[test]
fn hpack_bomb_is_answered_and_not_kept() {
    let mut talk = talk(Role::Server, Limits::default());
    let name = "40 01 61 7f d01e";
    let first = format!("HEADERS 1 END_STREAM+END_HEADERS POST {name} \"{}\"", "x".repeat(0x7f + 0x0f50));
    talk.feed(&frames(&first));
    assert_eq!(talk.take_said(), ["=> request 1 POST http://a.example/, a: 4047 bytes, end"]);
    let bomb = format!("HEADERS 3 END_STREAM+END_HEADERS POST {}", "be".repeat(16_000));
    talk.feed(&frames(&bomb));
    assert_eq!(talk.take_said(), [">> HEADERS 3 END_STREAM+END_HEADERS 431"]);
}

/// Time that a head, or the first word, may take.
#[test]
fn slow_heads_end_the_connection() {
    let check = |lines: &str, raw: bool, expected: Option<&str>| {
        let limits = Limits::default();
        let case = Case { place: String::new(), role: Role::Server, raw, limits, steps: Vec::new() };
        let mut talk = Talk::new(&case);
        for line in lines.lines() {
            talk.feed(&frames(line));
            talk.now += Duration::from_secs(3);
            talk.machine.on_timeout(talk.now);
            talk.feed(b"");
        }
        let seen = talk.fault.map(|fault| fault.to_string());
        assert_eq!(seen.as_deref(), expected, "{lines}");
    };
    let head = "ENHANCE_YOUR_CALM: a head did not come whole within head_timeout (10s)";
    let first = "ENHANCE_YOUR_CALM: the first SETTINGS did not come whole within head_timeout (10s)";
    let drip = "CONTINUATION 1 - 84\n";
    check(&format!("HEADERS 1 - 8386\n{}", drip.repeat(3)), false, Some(head));
    check(&format!("HEADERS 1 - 8386\n{}CONTINUATION 1 END_HEADERS\n", drip.repeat(2)), false, None);
    check(&format!("HEADERS 1 END_HEADERS POST\n{}", "PING 0 - fill:8\n".repeat(9)), false, None);
    check(
        &"BYTES 50\n".repeat(4),
        true,
        Some("PROTOCOL_ERROR: the connection does not begin with HTTP/2's preface"),
    );
    check("BYTES 50\nBYTES 52\nBYTES 49\nBYTES 20\n", true, Some(first));
}

/// The instant at which a slow head ends it is the one that `timeout` names.
#[test]
fn timeout_names_the_instant_at_which_something_is_due() {
    let mut talk = talk(Role::Server, Limits::default());
    assert_eq!(talk.machine.timeout(), Some(talk.now + Duration::from_secs(60)), "a ping");
    talk.feed(&frames("HEADERS 1 - 8386"));
    let due = talk.now + Duration::from_secs(10);
    assert_eq!(talk.machine.timeout(), Some(due), "a head");
    talk.now += Duration::from_secs(5);
    talk.feed(&frames("CONTINUATION 1 -"));
    assert_eq!(talk.machine.timeout(), Some(due), "more of it does not buy time");
    talk.machine.on_timeout(due - Duration::from_nanos(1));
    talk.feed(b"");
    assert_eq!(talk.fault, None);
    talk.machine.on_timeout(due);
    talk.feed(b"");
    assert_eq!(talk.fault.as_ref().map(|fault| fault.reason), Some(Reason::ENHANCE_YOUR_CALM));
}

/// Each frame is a sign of life.
#[test]
fn silence_begins_with_the_last_frame() {
    let mut talk = talk(Role::Server, Limits::default());
    talk.now += Duration::from_secs(59);
    talk.feed(&frames("WINDOW_UPDATE 0 - #1"));
    assert_eq!(talk.machine.timeout(), Some(talk.now + Duration::from_secs(60)));
}

#[test]
fn silence_is_asked_and_then_ends_the_connection() {
    let check = |answer: bool| {
        let mut talk = talk(Role::Server, Limits::default());
        talk.now += Duration::from_secs(60);
        talk.machine.on_timeout(talk.now);
        assert_eq!(talk.take_said(), [">> PING 0 \"trunklin\""]);
        talk.machine.on_timeout(talk.now);
        assert!(talk.take_said().is_empty(), "asked once");
        talk.now += Duration::from_secs(20);
        if answer {
            talk.feed(&frames("PING 0 ACK \"trunklin\""));
            assert_eq!(talk.machine.rtt(), Some(Duration::from_secs(20)));
        }
        talk.machine.on_timeout(talk.now);
        talk.feed(b"");
        assert_eq!(talk.fault.is_some(), !answer);
    };
    check(true);
    check(false);
    let limits = Limits { ping_interval: None, ..Limits::default() };
    assert_eq!(talk(Role::Server, limits).machine.timeout(), None);
}

/// Bytes that nobody takes close the window of the connection: what is held is at most the limit and one window.
#[test]
fn unread_bytes_are_bounded() {
    let mut limits = Limits::default();
    (limits.connection_window_bytes, limits.stream_window_bytes) = (1 << 20, 1 << 20);
    (limits.window_bytes_max, limits.unread_bytes_max) = (1 << 20, 2 << 20);
    let mut talk = talk(Role::Server, limits);
    let piece = "DATA @ - fill:16384";
    let (mut held, mut window) = (0_usize, 1_usize << 20);
    'full: for id in (1..).step_by(2) {
        talk.feed(&frames(&format!("HEADERS {id} END_HEADERS POST")));
        for _ in 0..(1 << 20) / 16384 {
            if window < 16384 {
                break 'full;
            }
            talk.feed(&frames(&piece.replace('@', &id.to_string())));
            (held, window) = (held + 16384, window - 16384);
            for said in talk.take_said() {
                let granted =
                    said.strip_prefix(">> WINDOW_UPDATE 0 by ").map(|by| by.parse::<usize>().unwrap());
                window += granted.unwrap_or(0);
            }
        }
    }
    assert!((2 << 20..=3 << 20).contains(&held), "{held} bytes are held");
    let first = StreamKey { slot: 0, id: 1 };
    let now = talk.now;
    talk.machine.release(first, 2 << 20, now);
    let said = talk.take_said();
    assert!(said.iter().any(|said| said.starts_with(">> WINDOW_UPDATE 0")), "{said:?}");
}

/// Padding is read by nobody, and makes nothing look read that is not.
#[test]
fn padding_is_not_unread_and_hides_nothing() {
    let mut talk = talk(Role::Server, Limits::default());
    talk.feed(&frames("HEADERS 1 END_HEADERS POST\nDATA 1 - fill:100\nDATA 1 PADDED 50 fill:90"));
    assert_eq!(talk.machine.unread, 110, "100 and the ten bytes that are no padding");
}

/// Streams that wait for the connection's window and are then reset leave nothing behind.
#[test]
fn tiny_windows_leave_nothing_behind() {
    let mut talk = talk(Role::Server, Limits::default());
    talk.feed(&frames("HEADERS 1 END_STREAM+END_HEADERS POST\nWINDOW_UPDATE 1 - #100000"));
    let act = |talk: &mut Talk, words: &str| {
        talk.run(
            &super::cases::Step::Do(words.split(' ').map(str::to_owned).collect()),
            super::talk::Feed::Whole,
        )
    };
    act(&mut talk, "respond 1");
    act(&mut talk, "send 1 65535");
    for id in (3..2003).step_by(2) {
        talk.feed(&frames(&format!("HEADERS {id} END_STREAM+END_HEADERS POST")));
        act(&mut talk, &format!("respond {id}"));
        assert_eq!(act(&mut talk, &format!("send {id} 10")), ["=> sent Blocked"]);
        talk.feed(&frames(&format!("RST_STREAM {id} - #8")));
        talk.take_said();
    }
    assert_eq!((talk.machine.waiting.len(), talk.machine.open_streams()), (0, 1));
}

/// Bodies that wait for the connection's window get it in turns, however little comes.
#[test]
fn tiny_windows_are_shared() {
    let mut talk = talk(Role::Server, Limits::default());
    let act = |talk: &mut Talk, words: String| {
        talk.run(
            &super::cases::Step::Do(words.split(' ').map(str::to_owned).collect()),
            super::talk::Feed::Whole,
        )
    };
    for id in [1, 3, 5, 7] {
        talk.feed(&frames(&format!(
            "HEADERS {id} END_STREAM+END_HEADERS POST\nWINDOW_UPDATE {id} - #100000"
        )));
        act(&mut talk, format!("respond {id}"));
    }
    act(&mut talk, "send 1 65535".to_owned());
    let mut sent = [0; 3];
    [3, 5, 7].iter().for_each(|id| drop(act(&mut talk, format!("send {id} 1000"))));
    for _ in 0..30 {
        talk.feed(&frames("WINDOW_UPDATE 0 - #10"));
        for said in talk.take_said() {
            let Some(id) = said.strip_prefix("=> writable ") else { continue };
            let frames = act(&mut talk, format!("send {id} 1000"));
            let place = (id.parse::<usize>().unwrap() - 3) / 2;
            sent[place] += frames.iter().filter(|said| said.starts_with(">> DATA")).count();
        }
    }
    assert_eq!(sent, [10, 10, 10]);
}

/// A peer whose first words never end.
#[test]
fn first_words_are_acknowledged_once_for_all() {
    let mut talk = talk(Role::Client, Limits::default());
    assert_eq!(until_end(&mut talk, &HELLO, 2000).map(|(_, reason)| reason), Some(Reason::ENHANCE_YOUR_CALM));
}

/// Events wait for nobody: a flood of updates that each wake many bodies is told once.
#[test]
fn wake_ups_are_told_once() {
    let mut talk = talk(Role::Server, Limits::default());
    talk.feed(&frames("SETTINGS 0 - INITIAL_WINDOW_SIZE=0\nHEADERS 1 END_STREAM+END_HEADERS POST"));
    talk.take_said();
    for words in ["respond 1", "send 1 10"] {
        let words = words.split(' ').map(str::to_owned).collect();
        talk.run(&super::cases::Step::Do(words), super::talk::Feed::Whole);
    }
    talk.feed(&frames("100 x WINDOW_UPDATE 1 - #1"));
    assert_eq!(talk.take_said(), ["=> writable 1"]);
    let mut input = bytes::BytesMut::new();
    assert!(matches!(talk.machine.poll_event(&mut input, talk.now), Ok(None::<Event>)));
}
