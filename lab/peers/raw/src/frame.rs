//! Frames as bytes, RFC 9113 sections 4 and 6, and header fields without compression, RFC 7541 section 6.2.

/// What a client says first, RFC 9113 section 3.4.
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The length of what stands before each frame.
pub const HEAD: usize = 9;

pub const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const RST_STREAM: u8 = 3;
pub const SETTINGS: u8 = 4;
pub const PING: u8 = 6;
pub const GOAWAY: u8 = 7;
pub const WINDOW_UPDATE: u8 = 8;

pub const END_STREAM: u8 = 1;
pub const ACK: u8 = 1;
pub const END_HEADERS: u8 = 4;

pub const ENABLE_PUSH: u16 = 2;
pub const MAX_CONCURRENT_STREAMS: u16 = 3;
pub const INITIAL_WINDOW_SIZE: u16 = 4;

/// The window of a connection, and of a stream until the settings say otherwise, section 6.9.2.
pub const WINDOW: i64 = 65_535;

/// A frame in the read buffer of a socket: where its payload lies, not the payload.
#[derive(Clone, Copy)]
pub struct Frame {
    pub kind: u8,
    pub flags: u8,
    pub stream: u32,
    pub start: usize,
    pub end: usize,
}

impl Frame {
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    pub fn is_empty(&self) -> bool {
        self.end == self.start
    }

    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// The head of a frame.
pub fn head(out: &mut Vec<u8>, length: usize, kind: u8, flags: u8, stream: u32) {
    let [_, a, b, c] = (length as u32).to_be_bytes();
    let [d, e, f, g] = stream.to_be_bytes();
    out.extend_from_slice(&[a, b, c, kind, flags, d, e, f, g]);
}

/// A whole frame.
pub fn write(out: &mut Vec<u8>, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
    head(out, payload.len(), kind, flags, stream);
    out.extend_from_slice(payload);
}

pub fn window_update(out: &mut Vec<u8>, stream: u32, increment: u32) {
    write(out, WINDOW_UPDATE, 0, stream, &increment.to_be_bytes());
}

pub fn settings(out: &mut Vec<u8>, values: &[(u16, u32)]) {
    head(out, values.len() * 6, SETTINGS, 0, 0);
    for (name, value) in values {
        out.extend_from_slice(&name.to_be_bytes());
        out.extend_from_slice(&value.to_be_bytes());
    }
}

/// The initial window that a payload of SETTINGS asks for, if it does.
pub fn initial_window(payload: &[u8]) -> Option<i64> {
    let wanted = payload.chunks_exact(6).filter(|entry| entry[..2] == INITIAL_WINDOW_SIZE.to_be_bytes());
    wanted.last().map(|entry| i64::from(number(&entry[2..])))
}

/// A field with a new name, neither compressed nor longer than 126 bytes; `first` is 0x40 to have it indexed, or 0.
pub fn field(out: &mut Vec<u8>, first: u8, name: &str, value: &str) {
    out.push(first);
    for text in [name, value] {
        out.push(text.len() as u8);
        out.extend_from_slice(text.as_bytes());
    }
}

/// The four bytes at the start as a number.
pub fn number(bytes: &[u8]) -> u32 {
    u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}
