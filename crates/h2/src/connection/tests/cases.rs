//! Cases of `vectors/h2`: what a peer sends and what this side does, as text. The words are those of `vectors/README.md`.
//!
//! It knows how frames are laid out and nothing of what they mean to a connection.

use super::{Limits, Role};

/// One case.
pub(crate) struct Case {
    /// File, line and name.
    pub(crate) place: String,
    pub(crate) role: Role,
    /// Whether the first words of the peer are part of the case.
    pub(crate) raw: bool,
    pub(crate) limits: Limits,
    pub(crate) steps: Vec<Step>,
}

/// What happens.
pub(crate) enum Step {
    /// Frames come.
    Come(Vec<u8>),
    /// This side does something: a verb and its words.
    Do(Vec<String>),
}

/// The first words of a peer: its SETTINGS, all left as they are, and that it has taken ours.
pub(crate) const HELLO: [u8; 18] = [0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0];

/// The preface of a client.
pub(crate) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Names of frame types, by number.
pub(crate) const KINDS: [&str; 10] = [
    "DATA",
    "HEADERS",
    "PRIORITY",
    "RST_STREAM",
    "SETTINGS",
    "PUSH_PROMISE",
    "PING",
    "GOAWAY",
    "WINDOW_UPDATE",
    "CONTINUATION",
];

/// Names of settings, by number minus one.
pub(crate) const SETTINGS: [&str; 9] = [
    "HEADER_TABLE_SIZE",
    "ENABLE_PUSH",
    "MAX_CONCURRENT_STREAMS",
    "INITIAL_WINDOW_SIZE",
    "MAX_FRAME_SIZE",
    "MAX_HEADER_LIST_SIZE",
    "7",
    "ENABLE_CONNECT_PROTOCOL",
    "NO_RFC7540_PRIORITIES",
];

/// Flags and their bits.
pub(crate) const FLAGS: [(&str, u8); 5] =
    [("ACK", 1), ("END_STREAM", 1), ("END_HEADERS", 4), ("PADDED", 8), ("PRIORITY", 0x20)];

/// All cases of a file. Frames on lines that follow each other are one step.
pub(crate) fn parse(text: &str, file: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut goes_on = false;
    for (number, line) in text.lines().enumerate() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if word == "case" {
            cases.push(Case {
                place: format!("{file}:{}: {rest}", number + 1),
                role: Role::Server,
                raw: false,
                limits: Limits::default(),
                steps: Vec::new(),
            });
        }
        let Some(case) = cases.last_mut() else { continue };
        match word {
            "client" => case.role = Role::Client,
            "raw" => case.raw = true,
            "limit" => limit(&mut case.limits, rest),
            "<<" => match case.steps.last_mut() {
                Some(Step::Come(bytes)) if goes_on => bytes.extend(frames(rest)),
                _ => case.steps.push(Step::Come(frames(rest))),
            },
            "do" => case.steps.push(Step::Do(rest.split(' ').map(str::to_owned).collect())),
            "" | "#" | "case" | "server" | "=>" | ">>" => {}
            _ => panic!("{}: unknown line {line:?}", case.place),
        }
        goes_on = word == "<<";
    }
    cases
}

fn limit(limits: &mut Limits, line: &str) {
    let (name, number) = line.split_once(' ').expect("a name and a number");
    let number: u32 = number.parse().expect("a number");
    match name {
        "streams_max" => limits.streams_max = number,
        "head_bytes_max" => limits.head_bytes_max = number,
        "continuations_max" => limits.continuations_max = number,
        "stream_window_bytes" => limits.stream_window_bytes = number,
        "connection_window_bytes" => limits.connection_window_bytes = number,
        "unread_bytes_max" => limits.unread_bytes_max = number as usize,
        "frame_bytes_max" => limits.frame_bytes_max = number,
        "resets_max" => limits.resets_max = number,
        "idle_frames_max" => limits.idle_frames_max = number,
        _ => panic!("no such limit: {name}"),
    }
}

/// The bytes of a `<<` line: `[TIMES x] KIND STREAM FLAGS PAYLOAD`, or `BYTES PAYLOAD` for no frame at all.
fn frames(line: &str) -> Vec<u8> {
    let (times, line) = match line.split_once(" x ") {
        Some((times, line)) => (times.parse().expect("a number of times"), line),
        None => (1, line),
    };
    let words = words(line);
    let frame = match &words[..] {
        [first, payload @ ..] if first == "BYTES" => payload_of("", payload),
        [kind, stream, flags, payload @ ..] => {
            let payload = payload_of(kind, payload);
            let stream: u32 = stream.parse().expect("the number of a stream");
            let head =
                [(payload.len() as u32).to_be_bytes()[1..].to_vec(), vec![kind_of(kind), flags_of(flags)]];
            [head.concat(), stream.to_be_bytes().to_vec(), payload].concat()
        }
        _ => panic!("no frame: {line:?}"),
    };
    frame.repeat(times)
}

/// Cuts a line at spaces that do not stand between quotation marks.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for letter in line.chars() {
        is_quoted ^= letter == '"';
        let word = words.last_mut().expect("there is always one");
        match letter {
            ' ' if !is_quoted => words.push(String::new()),
            _ => word.push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn kind_of(word: &str) -> u8 {
    let number = KINDS.iter().position(|name| *name == word).map(|number| number as u8);
    number.unwrap_or_else(|| number_of(word))
}

fn flags_of(word: &str) -> u8 {
    let bit = |name: &str| FLAGS.iter().find(|(other, _)| *other == name).map(|(_, bit)| *bit);
    let bits = word.split('+').map(|name| bit(name).unwrap_or_else(|| number_of(name)));
    bits.fold(0, |all, bit| all | bit)
}

fn number_of(word: &str) -> u8 {
    match word.strip_prefix("0x") {
        Some(digits) => u8::from_str_radix(digits, 16).expect("two hex digits"),
        None => {
            if word == "-" {
                0
            } else {
                word.parse().expect("a number")
            }
        }
    }
}

fn payload_of(kind: &str, words: &[String]) -> Vec<u8> {
    words.iter().flat_map(|word| bytes_of(kind, word)).collect()
}

/// One word of a payload.
fn bytes_of(kind: &str, word: &str) -> Vec<u8> {
    if let Some(text) = word.strip_prefix('"') {
        let text = text.strip_suffix('"').expect("a text ends");
        return text.replace("\\r", "\r").replace("\\n", "\n").into_bytes();
    }
    if let Some(number) = word.strip_prefix('#') {
        return number.parse::<u32>().expect("32 bits").to_be_bytes().to_vec();
    }
    if let Some(count) = word.strip_prefix("fill:") {
        return vec![0; count.parse().expect("how many zeros")];
    }
    match (word, word.rsplit_once('=')) {
        ("POST", _) => [&[0x83, 0x86, 0x84, 1][..], &string("a.example")].concat(),
        ("OK", _) => vec![0x88],
        (_, Some((name, value))) if kind == "SETTINGS" => {
            let known = SETTINGS.iter().position(|known| *known == name).map(|place| place as u16 + 1);
            let name = known.unwrap_or_else(|| name.parse().expect("a setting"));
            let value: u32 = value.parse().expect("32 bits");
            [&name.to_be_bytes()[..], &value.to_be_bytes()].concat()
        }
        (_, Some((name, value))) => {
            let value = value.replace("%20", " ");
            let value =
                value.strip_prefix("fill:").map_or(value.clone(), |count| "x".repeat(count.parse().unwrap()));
            [vec![0], string(name), string(&value)].concat()
        }
        _ => hex(word),
    }
}

/// A string of HPACK as it stands, of any length (RFC 7541, 5.1 and 5.2).
fn string(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    match u8::try_from(text.len()) {
        Ok(length @ 0..127) => bytes.push(length),
        _ => {
            bytes.push(127);
            let mut rest = text.len() - 127;
            while rest > 127 {
                bytes.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            bytes.push(rest as u8);
        }
    }
    bytes.extend(text.bytes());
    bytes
}

fn hex(word: &str) -> Vec<u8> {
    assert!(word.len().is_multiple_of(2), "half a byte: {word:?}");
    let byte = |place| u8::from_str_radix(&word[place..place + 2], 16).expect("hex digits");
    (0..word.len()).step_by(2).map(byte).collect()
}
