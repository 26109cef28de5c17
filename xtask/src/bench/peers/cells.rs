//! The loads, and what was promised for each.
//!
//! It must not know how a load is run.

/// One load: a shape of calls, and how many at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cell {
    kind: Kind,
    pub(crate) callers: u32,
    pub(crate) connections: u32,
}

/// A shape of calls, as the programs of the lab are told.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Kind {
    name: &'static str,
    shape: &'static str,
    mode: u32,
    packed: u32,
}

/// The most that ours may cost, as a share of what another stack costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bars {
    pub(crate) grpc_go: f64,
    /// None where tonic ends the connection.
    pub(crate) tonic: Option<f64>,
}

impl Cell {
    /// As it is called in tables and on the command line.
    pub(crate) fn name(self) -> String {
        format!("{}-{}/{}", self.kind.name, self.callers, self.connections)
    }

    pub(crate) fn shape(self) -> &'static str {
        self.kind.shape
    }

    /// Where a server takes the messages of a stream from.
    pub(crate) fn mode(self) -> u32 {
        self.kind.mode
    }

    /// Messages in a DATA frame.
    pub(crate) fn packed(self) -> u32 {
        self.kind.packed
    }

    /// Messages of a stream. A single ping-pong would take longer than a trial.
    pub(crate) fn count(self) -> u32 {
        if self.kind.shape == "ping" && self.callers == 1 { 100 } else { 1000 }
    }

    /// What the floor is called with: it knows no ping.
    pub(crate) fn floor_shape(self) -> &'static str {
        if self.kind.shape == "ping" { "bidi" } else { self.kind.shape }
    }

    /// What was promised of our server, or of our client.
    pub(crate) fn bars(self, is_client: bool) -> Option<Bars> {
        let table = if is_client { CLIENT_BARS } else { SERVER_BARS };
        let name = self.name();
        let (_, grpc_go, tonic) = table.iter().find(|(cell, ..)| *cell == name)?;
        Some(Bars { grpc_go: *grpc_go, tonic: *tonic })
    }
}

/// The loads on servers.
pub(crate) fn servers() -> Vec<Cell> {
    product(SERVERS)
}

/// The loads that clients make.
pub(crate) fn clients() -> Vec<Cell> {
    product(CLIENTS)
}

/// Connections on which nothing happens.
pub(crate) fn idle(connections: u32) -> Cell {
    Cell { kind: SERVERS[0], callers: 0, connections }
}

fn product(kinds: &[Kind]) -> Vec<Cell> {
    let grid = |kind: &Kind| GRID.map(|(callers, connections)| Cell { kind: *kind, callers, connections });
    kinds.iter().flat_map(grid).collect()
}

/// Callers in all, and connections that they share.
const GRID: [(u32, u32); 3] = [(1, 1), (50, 1), (50, 10)];

const fn kind(name: &'static str, shape: &'static str, mode: u32, packed: u32) -> Kind {
    Kind { name, shape, mode, packed }
}

const SERVERS: &[Kind] = &[
    kind("unary", "unary", 0, 1),
    kind("ping", "ping", 0, 1),
    kind("sstream", "sstream", 0, 1),
    kind("sstream-task", "sstream", 1, 1),
    kind("cstream", "cstream", 0, 1),
    kind("cstream-p10", "cstream", 0, 10),
    kind("bidi", "bidi", 0, 1),
];

const CLIENTS: &[Kind] = &[
    kind("unary", "unary", 0, 1),
    kind("sstream", "sstream", 0, 1),
    kind("cstream", "cstream", 0, 1),
    kind("bidi", "bidi", 0, 1),
];

const SERVER_BARS: &[(&str, f64, Option<f64>)] = &[
    ("unary-1/1", 0.72, Some(0.88)),
    ("unary-50/1", 0.25, Some(0.19)),
    ("unary-50/10", 0.33, Some(0.28)),
    ("ping-50/1", 0.38, Some(0.12)),
    ("sstream-task-50/1", 0.30, Some(0.25)),
    ("sstream-50/1", 0.25, Some(0.45)),
    ("sstream-50/10", 0.25, Some(0.45)),
    ("cstream-50/1", 0.30, None),
    ("cstream-50/10", 0.30, None),
    ("cstream-p10-50/1", 0.33, Some(0.95)),
    ("bidi-50/1", 0.20, Some(0.40)),
    ("bidi-50/10", 0.20, Some(0.40)),
];

const CLIENT_BARS: &[(&str, f64, Option<f64>)] = &[
    ("unary-50/1", 0.35, Some(0.30)),
    ("sstream-50/1", 0.45, Some(0.90)),
    ("cstream-50/1", 0.45, Some(0.90)),
    ("bidi-50/1", 0.45, Some(0.90)),
];
