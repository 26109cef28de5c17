//! From a request head to a handler: finds the procedure, lets the protocol judge the head, fixes the deadline.
//!
//! The order is: procedure by path; else a page, for requests without a content type; else the fallback, for what is no
//! call; else the refusal that the protocol of the content type wants. The formats that a procedure's codec knows are part of judging the head, so that an unknown
//! one is refused with the list of those that would do.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Poll, ready};
use std::time::Duration;

use http::header::{ALLOW, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use trunkline_wire::server::{Accepted, Config, Reject, Route, ServerCall, accept, is_call};
use trunkline_wire::{RequestHead, ResponseHead};

use super::routes::Entry;
use super::{Page, Routes, Server};
use crate::Limits;
use crate::call::Call;
use crate::codec::Format;
use crate::context::{CallContext, Facts, Gone, Peer};
use crate::deadline::deadline;
use crate::procedure::Idempotency;
use crate::transport::{Answer, Chunk, Incoming, Outgoing};

/// All that a server knows when a request arrives.
pub(crate) struct Dispatch {
    routes: Routes,
    pages: BTreeMap<String, Page>,
    limits: Limits,
    /// Where requests go that are for nobody here.
    fallback: Option<Arc<dyn Answer>>,
    /// Calls of unknown procedures go there too.
    takes_calls: bool,
    /// One for each set of formats in use, the usual set first.
    configs: Vec<(&'static [Format], Config)>,
}

type Answering = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The formats that a refusal names when the path leads nowhere.
const USUAL_FORMATS: &[Format] = &[Format::PROTO, Format::JSON];

impl Dispatch {
    pub(crate) fn new(mut server: Server) -> Self {
        let outer = std::mem::take(&mut server.chain);
        server.routes.change_chains(|own| outer.and_then(own));
        let config = |formats: &'static [Format]| Config {
            codecs: formats.iter().map(|format| format.name()).collect(),
            compressions: Arc::clone(&server.compressions),
            message_bytes_max: server.limits.message_bytes_max,
            compress_bytes_min: server.limits.compress_bytes_min,
            require_connect_version: server.require_connect_version,
        };
        let mut configs = vec![(USUAL_FORMATS, config(USUAL_FORMATS))];
        for formats in server.routes.formats() {
            if configs.iter().all(|(known, _)| *known != formats) {
                configs.push((formats, config(formats)));
            }
        }
        Self {
            routes: server.routes,
            pages: server.pages,
            limits: server.limits,
            fallback: server.fallback,
            takes_calls: server.takes_calls,
            configs,
        }
    }

    /// Tells the services that a shutdown has begun.
    pub(crate) fn drain(&self) {
        self.routes.drain();
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    fn config(&self, formats: &'static [Format]) -> &Config {
        let found = self.configs.iter().find(|(known, _)| *known == formats);
        &found.unwrap_or(&self.configs[0]).1
    }

    fn begin(
        &self,
        entry: &Entry,
        call: ServerCall,
        peer: &Peer,
        incoming: Box<dyn Incoming>,
        outgoing: Box<dyn Outgoing>,
    ) -> Answering {
        let named = entry.formats.iter().find(|format| format.name() == call.start.codec);
        let context = CallContext::new(Facts {
            spec: entry.spec,
            protocol: call.start.protocol,
            format: named.copied().unwrap_or(Format::PROTO),
            timeout: call.start.timeout,
            deadline: Some(deadline(call.start.timeout, &self.limits)),
            peer: peer.clone(),
            gone: Gone::default(),
        });
        (entry.handler)(Call::new(call, context, Arc::clone(&entry.chain), incoming, outgoing))
    }
}

impl Answer for Dispatch {
    fn answer(
        &self,
        head: RequestHead,
        peer: &Peer,
        incoming: Box<dyn Incoming>,
        outgoing: Box<dyn Outgoing>,
    ) -> Answering {
        let entry = self.routes.find(head.uri.path());
        if entry.is_none()
            && let Some(page) = self.pages.get(head.uri.path())
            && !head.headers.contains_key(CONTENT_TYPE)
        {
            let response = page_response(&head.method, page);
            return Box::pin(answer_behind(incoming, self.limits.head_timeout, outgoing, response));
        }
        // A call of one of the protocols is refused by us, so that its client reads the refusal of its own protocol.
        if let (None, Some(fallback)) = (entry, &self.fallback)
            && (self.takes_calls || !is_call(&head))
        {
            return fallback.answer(head, peer, incoming, outgoing);
        }
        let route = entry.map(|entry| Route {
            shape: entry.spec.shape,
            no_side_effects: entry.spec.idempotency == Idempotency::NoSideEffects,
        });
        let config = self.config(entry.map_or(USUAL_FORMATS, |entry| entry.formats));
        match (accept(head, route, config), entry) {
            (Accepted::Call(call), Some(entry)) => self.begin(entry, *call, peer, incoming, outgoing),
            (Accepted::Call(_), None) => {
                // `accept` refuses what has no route; should it not, this still is no panic.
                let head = ResponseHead { status: StatusCode::NOT_FOUND, headers: HeaderMap::new() };
                refuse(outgoing, Reject { head, body: bytes::Bytes::new() });
                Box::pin(std::future::ready(()))
            }
            (Accepted::Reject(reject), _) => {
                refuse(outgoing, reject);
                Box::pin(std::future::ready(()))
            }
        }
    }
}

/// Sends a whole response and lets go of the request.
fn refuse(mut outgoing: Box<dyn Outgoing>, reject: Reject) {
    outgoing.head(reject.head);
    outgoing.tail().extend_from_slice(&reject.body);
    outgoing.finish(None);
}

/// Answers when the request has ended, as one of a page soon does: an answer before that would have to cut the rest of the
/// request (RFC 9113, 8.1), and a fault in it could not be told any more. A body means nothing here (RFC 9110, 9.3.1) and is
/// let go; one that is long or late is not waited for.
async fn answer_behind(
    mut incoming: Box<dyn Incoming>,
    patience: Duration,
    outgoing: Box<dyn Outgoing>,
    response: Reject,
) {
    let mut left = PAGE_REQUEST_BYTES_MAX;
    let ended = std::future::poll_fn(|cx| {
        loop {
            match ready!(incoming.poll_chunk(cx)) {
                Chunk::Data(data) if data.len() < left => left -= data.len(),
                Chunk::Data(_) | Chunk::End(_) => return Poll::Ready(true),
                Chunk::Reset(_) => return Poll::Ready(false),
            }
        }
    });
    // Who was late is answered all the same.
    if tokio::time::timeout(patience, ended).await.unwrap_or(true) {
        refuse(outgoing, response);
    }
}

/// Bytes in the body of a request for a page that are read and let go before it is answered.
const PAGE_REQUEST_BYTES_MAX: usize = 64 * 1024;

fn page_response(method: &Method, page: &Page) -> Reject {
    let mut headers = HeaderMap::new();
    if method != Method::GET && method != Method::HEAD {
        headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        let head = ResponseHead { status: StatusCode::METHOD_NOT_ALLOWED, headers };
        return Reject { head, body: bytes::Bytes::new() };
    }
    if let Ok(content_type) = HeaderValue::from_str(&page.content_type) {
        headers.insert(CONTENT_TYPE, content_type);
    }
    headers.insert(CONTENT_LENGTH, HeaderValue::from(page.body.len()));
    let body = if method == Method::HEAD { bytes::Bytes::new() } else { page.body.clone() };
    Reject { head: ResponseHead { status: StatusCode::OK, headers }, body }
}
