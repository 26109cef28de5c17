//! The list of targets. A target is a file with two functions and a row here: `check` panics when what it says of all inputs is not
//! true of this one; `seeds` makes first inputs out of the vectors.

mod detect;
mod envelope;
mod error_json;
mod get;
mod h2_bytes;
mod h2_ops;
mod hpack;
mod metadata;
mod order;
mod timeout;
mod trailers;

use std::path::Path;
use std::{fs, io};

use http::{HeaderMap, HeaderValue};

use crate::server::ServerWriter;
use crate::tests::cases::{Case, files, parse};
use crate::tests::feed::{Called, Feed, called};
use crate::tests::machines::Kind;
use crate::{Status, client::Outcome};

/// One row of the list.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    /// Panics when a property does not hold.
    pub(crate) check: fn(&[u8]),
    /// First inputs out of the folder of the vectors.
    pub(crate) seeds: fn(&Path) -> Vec<Vec<u8>>,
}

pub(crate) const TARGETS: &[Target] = &[
    Target { name: "detect", check: detect::check, seeds: detect::seeds },
    Target { name: "envelope", check: envelope::check, seeds: envelope::seeds },
    Target { name: "error_json", check: error_json::check, seeds: error_json::seeds },
    Target { name: "get", check: get::check, seeds: get::seeds },
    Target { name: "h2_bytes", check: h2_bytes::check, seeds: h2_bytes::seeds },
    Target { name: "h2_ops", check: h2_ops::check, seeds: h2_ops::seeds },
    Target { name: "hpack", check: hpack::check, seeds: hpack::seeds },
    Target { name: "metadata", check: metadata::check, seeds: metadata::seeds },
    Target { name: "order", check: order::check, seeds: order::seeds },
    Target { name: "timeout", check: timeout::check, seeds: timeout::seeds },
    Target { name: "trailers", check: trailers::check, seeds: trailers::seeds },
];

/// Writes the seeds of every target into a folder of its name.
pub(crate) fn write_seeds(vectors: &Path, folder: &Path) -> io::Result<()> {
    for target in TARGETS {
        let folder = folder.join(target.name);
        fs::create_dir_all(&folder)?;
        for (index, seed) in (target.seeds)(vectors).iter().enumerate() {
            fs::write(folder.join(format!("seed-{index:04}")), seed)?;
        }
    }
    Ok(())
}

/// The cases of all vectors of the RPC protocols.
fn cases(vectors: &Path) -> Vec<Case> {
    files(vectors).iter().flat_map(|file| parse(file)).collect()
}

impl Case {
    /// The value of a field, or an empty one.
    fn field(&self, name: &str) -> &[u8] {
        self.headers.get(name).map_or(&[], |value| value.as_bytes())
    }

    fn is_server(&self) -> bool {
        self.side.first().is_some_and(|side| side == "server")
    }

    /// The kind of reader whose body this is, by its content type.
    fn kind(&self) -> Option<Kind> {
        Some(match str::from_utf8(self.field("content-type")).ok()?.split('+').next()? {
            "application/connect" => Kind::ConnectStream,
            "application/grpc" => Kind::Grpc,
            "application/grpc-web" => Kind::GrpcWeb,
            "application/grpc-web-text" => Kind::GrpcWebText,
            "application/proto" | "application/json" => Kind::ConnectUnary,
            _ => return None,
        })
    }
}

/// What a client reads when a server of ours says `outcome`.
fn told_again(kind: Kind, outcome: &Outcome) -> Called {
    let mut body = bytes::BytesMut::new();
    let mut writer: ServerWriter = kind.server(false).writer;
    let result = outcome.result.clone().map_err(|status| Status { metadata: HeaderMap::new(), ..status });
    let head = writer.head(HeaderMap::new());
    let finish = writer.finish(result, outcome.trailers.clone(), &mut body);
    let head = head.or(finish.head).expect("a response has a head");
    called(kind.client(), kind.protocol(), head, finish.trailers.as_ref(), (&body, Feed::Whole))
}

/// An outcome that was read says the same when it is written and read again. Names that no user may set are not written.
fn survives(kind: Kind, outcome: &Outcome) {
    let again = told_again(kind, outcome).outcome;
    assert!(again.from_peer, "{kind:?}: our own outcome is not understood: {again:?}");
    let mut expected = settable(&outcome.trailers);
    if kind == Kind::ConnectStream {
        // They become JSON, which is UTF-8.
        expected.values_mut().for_each(|value| {
            let text = String::from_utf8_lossy(value.as_bytes()).into_owned();
            *value = HeaderValue::try_from(text).expect("what was replaced is no control character");
        });
    }
    assert_eq!(again.trailers, expected, "{kind:?}: trailers");
    match (&outcome.result, &again.result) {
        (Ok(()), Ok(())) => {}
        (Err(before), Err(after)) => {
            assert_eq!(after.code, before.code, "{kind:?}");
            assert_eq!(after.message, sent(&before.message), "{kind:?}");
            assert_eq!(after.details, before.details, "{kind:?}");
        }
        (before, after) => panic!("{kind:?}: {before:?} became {after:?}"),
    }
}

/// The fields that a user may set.
fn settable(fields: &HeaderMap) -> HeaderMap {
    let mut kept = HeaderMap::new();
    for (name, value) in fields.iter().filter(|(name, _)| !trunkline_wire::metadata::is_reserved(name)) {
        kept.append(name.clone(), value.clone());
    }
    kept
}

/// A message as it is sent: 8 KiB of it.
fn sent(message: &str) -> &str {
    let mut length = message.len().min(8 * 1024);
    while !message.is_char_boundary(length) {
        length -= 1;
    }
    &message[..length]
}
