//! Any bytes to one side of an HTTP/2 connection: however they are cut, the same is told and answered; nothing panics; no more streams
//! are kept and no more is answered than the limits allow.

use std::fs;
use std::path::Path;

use trunkline_h2::{Limits, Role};

use crate::h2_tests::cases::{Case, HELLO, PREFACE, Step, parse};
use crate::h2_tests::talk::{Feed, Talk};
use crate::input::Input;

/// Flags, where to cut, and the bytes.
pub(crate) fn check(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let (flags, cut) = (input.byte(), usize::from(input.byte()) * 16 + usize::from(input.byte()));
    let case = case(flags);
    if flags & ACTIVE != 0 {
        return active(&case, input);
    }
    let step = Step::Come(input.rest().to_vec());
    let whole = said(&case, &step, Feed::Whole);
    assert_eq!(said(&case, &step, Feed::Cut(cut)), whole, "cut at {cut}");
    assert_eq!(said(&case, &step, Feed::Bytes), whole, "byte by byte");
}

/// The frames of each case of the vectors, with the first words and without.
pub(crate) fn seeds(vectors: &Path) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for case in cases(vectors) {
        let frames: Vec<u8> = case.steps.iter().flat_map(bytes_of).copied().collect();
        // Floods say no more in a thousand frames than in a few.
        let frames = &frames[..frames.len().min(2000)];
        let side = if case.role == Role::Client { CLIENT } else { 0 };
        let raw = if case.raw { RAW } else { 0 };
        let first = [if side == 0 { PREFACE } else { b"" }, &HELLO].concat();
        seeds.push([&[side | raw, 0, 12], frames].concat());
        seeds.push([&[side | NARROW | raw, 0, 40], frames].concat());
        seeds.push([&[side | RAW, 1, 5], &*first, frames].concat());
        seeds.push([&[side | ACTIVE | raw, 0, 0], frames].concat());
    }
    seeds
}

/// All cases of `vectors/h2`.
pub(super) fn cases(vectors: &Path) -> Vec<Case> {
    let mut files: Vec<_> = fs::read_dir(vectors.join("h2")).into_iter().flatten().flatten().collect();
    files.sort_by_key(fs::DirEntry::path);
    let texts = files.iter().filter_map(|file| fs::read_to_string(file.path()).ok());
    texts.flat_map(|text| parse(&text, "vectors/h2")).collect()
}

fn bytes_of(step: &Step) -> &[u8] {
    match step {
        Step::Come(bytes) => bytes,
        Step::Do(_) => b"",
    }
}

fn case(flags: u8) -> Case {
    let role = if flags & CLIENT == 0 { Role::Server } else { Role::Client };
    let mut limits = Limits::default();
    if flags & NARROW != 0 {
        (limits.streams_max, limits.head_bytes_max, limits.continuations_max) = (2, 300, 3);
        (limits.stream_window_bytes, limits.connection_window_bytes) = (100, 65_535);
        (limits.unread_bytes_max, limits.resets_max, limits.idle_frames_max) = (1000, 5, 40);
    }
    Case { place: String::new(), role, raw: flags & RAW != 0, limits, steps: Vec::new() }
}

/// A machine; a client has made two calls.
fn begin(case: &Case) -> Talk {
    let mut talk = Talk::new(case);
    if case.role == Role::Client {
        for words in [vec!["open".to_owned()], vec!["open".to_owned(), "end".to_owned()]] {
            talk.run(&Step::Do(words), Feed::Whole);
        }
    }
    talk
}

fn said(case: &Case, step: &Step, feed: Feed) -> Vec<String> {
    let mut talk = begin(case);
    let said = talk.run(step, feed);
    judge(case, &talk, bytes_of(step).len(), &said);
    said
}

/// What the limits promise after `came` bytes.
fn judge(case: &Case, talk: &Talk, came: usize, said: &[String]) {
    let open = talk.machine.open_streams();
    assert!(open <= (case.limits.streams_max as usize).max(2), "{open} streams are open");
    // A frame has nine bytes at least, and says and makes little.
    assert!(said.len() <= 4 + came / 3, "{} things came of {came} bytes", said.len());
    if let Some(fault) = &talk.fault {
        assert!(
            said.last().is_some_and(|said| said.starts_with(">> GOAWAY")),
            "{fault}, which the peer is not told"
        );
    }
}

/// A side that answers and takes what comes, in pieces of the input's choice.
fn active(case: &Case, mut input: Input<'_>) {
    let mut talk = begin(case);
    while !input.rest().is_empty() && talk.fault.is_none() {
        let choice = input.byte();
        let piece = input.take(usize::from(choice) * 2 + 1);
        for said in talk.run(&Step::Come(piece.to_vec()), Feed::Whole) {
            let mut words = said.split([' ', ',']).skip(1);
            let (Some(what), Some(stream)) = (words.next(), words.next()) else { continue };
            let deeds: &[&str] = match (said.starts_with("=>"), what) {
                (true, "request") => {
                    [&["respond", "send 40"][..], &["respond end"], &["reset"]][usize::from(choice % 3)]
                }
                (true, "data") => {
                    [&["release 1"][..], &["release 4", "send 70000"], &[]][usize::from(choice % 3)]
                }
                (true, "writable") => &["send 100 end"],
                (true, "trailers") => &["trailers"],
                _ => &[],
            };
            for deed in deeds {
                let (verb, rest) = deed.split_once(' ').unwrap_or((deed, ""));
                let words = [verb, stream].into_iter().chain(rest.split(' ')).map(str::to_owned).collect();
                talk.run(&Step::Do(words), Feed::Whole);
            }
        }
    }
}

const CLIENT: u8 = 1;
const RAW: u8 = 2;
const NARROW: u8 = 4;
const ACTIVE: u8 = 8;
