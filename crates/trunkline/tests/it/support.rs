//! One service of raw bytes with every shape, and every way to call it: protocol × transport.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use trunkline::codec::Raw;
use trunkline::interceptor::{Interceptor, Next, Payload};
use trunkline::server::{Routes, Service};
use trunkline::transport::tls::{ClientTls, ServerTls, rustls};
use trunkline::{
    Channel, ChannelBuilder, Error, Http2, HttpVersion, Limits, Metadata, Procedure, Protocol, Request,
    Response, Result, Server, Streaming, testkit,
};

pub(crate) type Proc = Procedure<Bytes, Bytes, Raw>;

pub(crate) const ECHO: Proc =
    Procedure::unary("test.v1.Shapes", "Echo", "/test.v1.Shapes/Echo").no_side_effects();
pub(crate) const COUNT: Proc = Procedure::server_stream("test.v1.Shapes", "Count", "/test.v1.Shapes/Count");
pub(crate) const JOIN: Proc = Procedure::client_stream("test.v1.Shapes", "Join", "/test.v1.Shapes/Join");
pub(crate) const CHAT: Proc = Procedure::bidi("test.v1.Shapes", "Chat", "/test.v1.Shapes/Chat");
pub(crate) const HANG: Proc = Procedure::unary("test.v1.Shapes", "Hang", "/test.v1.Shapes/Hang");
pub(crate) const PANIC: Proc = Procedure::unary("test.v1.Shapes", "Panic", "/test.v1.Shapes/Panic");
pub(crate) const FLOOD: Proc = Procedure::server_stream("test.v1.Shapes", "Flood", "/test.v1.Shapes/Flood");
pub(crate) const FACTS: Proc =
    Procedure::unary("test.v1.Shapes", "Facts", "/test.v1.Shapes/Facts").idempotent();
pub(crate) const REFUSE: Proc = Procedure::unary("test.v1.Shapes", "Refuse", "/test.v1.Shapes/Refuse");
pub(crate) const MISSING: Proc = Procedure::unary("test.v1.Shapes", "Missing", "/test.v1.Shapes/Missing");

/// What a test may watch of the service.
#[derive(Default)]
pub(crate) struct Shapes {
    /// Told when a call of `Hang` is over for the caller.
    pub(crate) left: tokio::sync::Notify,
    /// Told when a call of `Hang` has begun.
    pub(crate) begun: tokio::sync::Notify,
    /// Messages that calls of `Flood` have made.
    pub(crate) made: std::sync::atomic::AtomicUsize,
}

/// The service, registered by hand: what generated code does.
pub(crate) struct ShapesServer(pub(crate) Arc<Shapes>);

impl Service for ShapesServer {
    fn name(&self) -> &'static str {
        "test.v1.Shapes"
    }

    fn register(self, routes: &mut Routes) {
        routes.unary(&ECHO, &self.0, |_, request| echo(request));
        routes.server_stream(&COUNT, &self.0, |_, request| count(request));
        routes.client_stream(&JOIN, &self.0, |_, request| join(request));
        routes.bidi(&CHAT, &self.0, |_, request| chat(request));
        routes.server_stream(&FLOOD, &self.0, flood);
        routes.unary(&HANG, &self.0, hang);
        routes.unary(&FACTS, &self.0, |_, request| facts(request));
        routes.unary(&REFUSE, &self.0, |_, _: Request<Bytes>| async {
            Err::<Response<Bytes>, _>(Refused("closed"))
        });
        routes.unary(&PANIC, &self.0, |_, request: Request<Bytes>| async move {
            if request.is_empty() {
                panic!("a handler that panics on purpose");
            }
            Ok::<_, Error>(Response::new(Bytes::new()))
        });
    }
}

/// Who calls, as an interceptor has found out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct User(pub(crate) String);

/// An error of a handler's own.
#[derive(Debug)]
pub(crate) struct Refused(pub(crate) &'static str);

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        Self::permission_denied(format!("refused: {}", refused.0))
    }
}

/// Answers what the call's context says, a word for each fact.
async fn facts(request: Request<Bytes>) -> Result<Response<Bytes>> {
    let context = request.context().expect("a served request has a context");
    let peer = context.peer();
    let left = context.deadline().map(|deadline| deadline.duration_since(tokio::time::Instant::now()));
    let mut facts = vec![
        context.spec().service.to_owned(),
        context.spec().method.to_owned(),
        context.spec().path.to_owned(),
        format!("{:?}", context.spec().shape),
        format!("{:?}", context.spec().idempotency),
        context.protocol().to_string(),
        context.format().to_string(),
        format!("tls:{}", peer.tls),
        format!("peer:{}", peer.address.map_or("none".to_owned(), |address| address.ip().to_string())),
        format!("local:{}", peer.local_address.map_or("none".to_owned(), |address| address.ip().to_string())),
        format!("asked:{:?}", context.timeout()),
        format!("within:{:?}", left.map(|left| left.as_secs().div_ceil(10) * 10)),
        format!("canceled:{}", context.is_canceled()),
    ];
    facts.extend(request.extensions().get().map(|User(name)| format!("user:{name}")));
    Ok(Response::new(facts.join(" ").into()))
}

/// Echoes the message. Metadata `echo` comes back as header `echoed` and trailer `echoed-trailer`, its bytes in `echo-bin`
/// as `echoed-bin`; metadata `fail` names an error to return with them, `compress` the compression to answer with.
async fn echo(request: Request<Bytes>) -> Result<Response<Bytes>> {
    let (headers, trailers) = echoed(request.metadata())?;
    if let Some(message) = request.metadata().value("fail") {
        let error = Error::failed_precondition(message)
            .with_detail("test.v1.Detail", Bytes::from_static(b"\x08\x01"));
        return Err(error.with_metadata(trailers));
    }
    let chosen = chosen_compression(request.metadata());
    let mut response = choose(Response::new(request.into_message()), chosen);
    *response.metadata_mut() = headers;
    *response.trailers_mut() = trailers;
    Ok(response)
}

/// The compression that the caller tells the handler to choose.
fn chosen_compression(metadata: &Metadata) -> Option<&'static str> {
    let asked = metadata.value("compress")?;
    ["identity", "gzip", "zstd", "br"].into_iter().find(|name| *name == asked)
}

fn choose<T>(response: Response<T>, chosen: Option<&'static str>) -> Response<T> {
    match chosen {
        Some("identity") => response.without_compression(),
        Some(name) => response.with_compression(name),
        None => response,
    }
}

fn echoed(metadata: &Metadata) -> Result<(Metadata, Metadata)> {
    let (mut headers, mut trailers) = (Metadata::new(), Metadata::new());
    for value in metadata.values("echo") {
        headers.append("echoed", value)?;
        trailers.append("echoed-trailer", value)?;
    }
    for value in metadata.bins("echo-bin") {
        headers.append_bin("echoed-bin", &value)?;
    }
    Ok((headers, trailers))
}

/// Answers the message as many times as its first byte says; then fails if there is metadata `fail`.
async fn count(request: Request<Bytes>) -> Result<Response<Streaming<Bytes>>> {
    let (headers, trailers) = echoed(request.metadata())?;
    let fail = request.metadata().value("fail").map(str::to_owned);
    let chosen = chosen_compression(request.metadata());
    let message = request.into_message();
    let times = message.first().copied().unwrap_or_default();
    let state = (times, message, fail);
    let stream = Streaming::unfold(state, async |(left, message, fail)| match (left, fail) {
        (0, Some(fail)) => Err(Error::data_loss(fail)),
        (0, None) => Ok(None),
        (left, fail) => Ok(Some((message.clone(), (left - 1, message, fail)))),
    });
    let mut response = choose(Response::new(stream), chosen);
    *response.metadata_mut() = headers;
    *response.trailers_mut() = trailers;
    Ok(response)
}

/// Answers all messages joined by a comma; metadata `echo` and `fail` as for `echo`.
async fn join(request: Request<Streaming<Bytes>>) -> Result<Response<Bytes>> {
    let (headers, trailers) = echoed(request.metadata())?;
    let fail = request.metadata().value("fail").map(str::to_owned);
    let mut messages = request.into_message();
    let mut joined = Vec::new();
    while let Some(message) = messages.message().await? {
        if !joined.is_empty() {
            joined.push(b',');
        }
        joined.extend_from_slice(&message);
    }
    if let Some(message) = fail {
        return Err(Error::failed_precondition(message).with_metadata(trailers));
    }
    let mut response = Response::new(Bytes::from(joined));
    *response.metadata_mut() = headers;
    *response.trailers_mut() = trailers;
    Ok(response)
}

/// Answers each message as it comes. A message `fail` ends the call with an error.
async fn chat(request: Request<Streaming<Bytes>>) -> Result<Response<Streaming<Bytes>>> {
    let (headers, _) = echoed(request.metadata())?;
    let stream =
        Streaming::unfold(request.into_message(), async |mut messages| match messages.message().await? {
            Some(message) if message == "fail" => Err(Error::aborted("as asked")),
            Some(message) => Ok(Some((message, messages))),
            None => Ok(None),
        });
    let mut response = Response::new(stream);
    *response.metadata_mut() = headers;
    Ok(response)
}

/// Answers the message again and again, and tells when the caller has left.
async fn flood(shapes: Arc<Shapes>, request: Request<Bytes>) -> Result<Response<Streaming<Bytes>>> {
    let context = request.context().cloned().expect("a served request has a context");
    let watcher = Arc::clone(&shapes);
    tokio::spawn(async move {
        context.canceled().await;
        watcher.left.notify_one();
    });
    let state = (request.into_message(), shapes);
    let stream = Streaming::unfold(state, async |(message, shapes)| {
        shapes.made.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Ok(Some((message.clone(), (message, shapes))))
    });
    Ok(Response::new(stream))
}

/// Never answers, and tells when the caller has left.
async fn hang(shapes: Arc<Shapes>, request: Request<Bytes>) -> Result<Response<Bytes>> {
    let context = request.context().cloned().expect("a served request has a context");
    let watcher = Arc::clone(&shapes);
    tokio::spawn(async move {
        context.canceled().await;
        watcher.left.notify_one();
    });
    shapes.begun.notify_one();
    std::future::pending().await
}

/// How bytes travel in a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Over {
    Memory,
    Http1,
    /// Over our own engine.
    Http2,
    /// HTTP/2 over hyper, on both sides.
    Hyper,
    Tls,
}

/// One way to call the service.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case {
    pub(crate) protocol: Protocol,
    pub(crate) text: bool,
    pub(crate) over: Over,
}

impl Case {
    pub(crate) fn builder(&self, target: &str) -> ChannelBuilder {
        let http = if self.over == Over::Http1 { HttpVersion::Http1 } else { HttpVersion::Http2 };
        let builder = Channel::builder(target).protocol(self.protocol).grpc_web_text(self.text);
        builder.http(http).http2(self.http2())
    }

    /// Who speaks HTTP/2.
    pub(crate) fn http2(&self) -> Http2 {
        if self.over == Over::Hyper { Http2::Hyper } else { Http2::Engine }
    }

    /// HTTP/1.1 carries one direction at a time.
    pub(crate) fn is_full_duplex(&self) -> bool {
        self.over != Over::Http1
    }
}

/// Every protocol over every transport that can carry it.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for over in [Over::Memory, Over::Http1, Over::Http2, Over::Hyper, Over::Tls] {
        for (protocol, text) in [
            (Protocol::Connect, false),
            (Protocol::Grpc, false),
            (Protocol::GrpcWeb, false),
            (Protocol::GrpcWeb, true),
        ] {
            if protocol != Protocol::Grpc || over != Over::Http1 {
                cases.push(Case { protocol, text, over });
            }
        }
    }
    cases
}

/// The service behind one server for each transport, all ended when dropped.
pub(crate) struct World {
    pub(crate) shapes: Arc<Shapes>,
    limits: Limits,
    plain: String,
    hyper: String,
    secure: String,
    tls: ClientTls,
    _servers: tokio::task::JoinSet<()>,
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::with_limits(Limits::default()).await
    }

    pub(crate) async fn with_limits(limits: Limits) -> Self {
        let shapes = Arc::new(Shapes::default());
        let (server_tls, tls) = certificates();
        let mut servers = tokio::task::JoinSet::new();
        let plain = server(&shapes, &limits).bind("127.0.0.1:0").await.unwrap();
        let secure = server(&shapes, &limits).tls(server_tls).bind("127.0.0.1:0").await.unwrap();
        let hyper = server(&shapes, &limits).http2(Http2::Hyper).bind("127.0.0.1:0").await.unwrap();
        let (plain_port, secure_port) = (plain.local_address().port(), secure.local_address().port());
        let hyper_target = hyper.target();
        servers.spawn(plain.serve());
        servers.spawn(hyper.serve());
        servers.spawn(secure.serve());
        Self {
            shapes,
            limits,
            plain: format!("http://127.0.0.1:{plain_port}"),
            hyper: hyper_target,
            secure: format!("https://localhost:{secure_port}"),
            tls,
            _servers: servers,
        }
    }

    pub(crate) fn channel(&self, case: &Case) -> Channel {
        self.channel_with(case, |builder| builder)
    }

    pub(crate) fn channel_with(
        &self,
        case: &Case,
        change: impl FnOnce(ChannelBuilder) -> ChannelBuilder,
    ) -> Channel {
        let target = match case.over {
            Over::Tls => &self.secure,
            Over::Hyper => &self.hyper,
            _ => &self.plain,
        };
        let builder = change(case.builder(target).tls(self.tls.clone()));
        match case.over {
            Over::Memory => testkit::pair_with(server(&self.shapes, &self.limits), builder),
            _ => builder.connect_lazy().unwrap(),
        }
    }

    /// `host:port` of the server in clear text.
    pub(crate) fn plain_address(&self) -> &str {
        self.plain.trim_start_matches("http://")
    }
}

pub(crate) fn server(shapes: &Arc<Shapes>, limits: &Limits) -> Server {
    Server::new().service(ShapesServer(Arc::clone(shapes))).limits(limits.clone())
}

/// A server and a channel of a test's own, as the case wants them; the server ends when what comes second is dropped.
pub(crate) async fn between(
    case: &Case,
    serve: impl FnOnce(Server) -> Server,
    call: impl FnOnce(ChannelBuilder) -> ChannelBuilder,
) -> (Channel, tokio::task::JoinSet<()>) {
    let server = serve(server(&Arc::default(), &Limits::default()).http2(case.http2()));
    let mut serving = tokio::task::JoinSet::new();
    if case.over == Over::Memory {
        return (testkit::pair_with(server, call(case.builder("memory"))), serving);
    }
    let (server_tls, client_tls) = certificates();
    let server = if case.over == Over::Tls { server.tls(server_tls) } else { server };
    let bound = server.bind("127.0.0.1:0").await.unwrap();
    let builder = call(case.builder(&bound.target()).tls(client_tls));
    serving.spawn(bound.serve());
    (builder.connect_lazy().unwrap(), serving)
}

/// A certificate for localhost and a client that trusts it.
pub(crate) fn certificates() -> (ServerTls, ClientTls) {
    let (certificate, server) = certificate();
    (server, ClientTls::trusting_pem(certificate.as_bytes()).unwrap())
}

/// A certificate for localhost as PEM, and the server that shows it.
pub(crate) fn certificate() -> (String, ServerTls) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
    let (certificate, key) = (made.cert.pem(), made.signing_key.serialize_pem());
    let server = ServerTls::from_pem(certificate.as_bytes(), key.as_bytes()).unwrap();
    (certificate, server)
}

/// The provider that is compiled in, for configurations of a test's own; either does.
pub(crate) fn provider() -> Arc<rustls::crypto::CryptoProvider> {
    #[cfg(not(feature = "tls-ring"))]
    use rustls::crypto::aws_lc_rs as chosen;
    #[cfg(feature = "tls-ring")]
    use rustls::crypto::ring as chosen;
    Arc::new(chosen::default_provider())
}

/// A test that hangs is a failure, not a wait.
pub(crate) async fn within_bounds<T>(what: impl std::fmt::Debug, work: impl Future<Output = T>) -> T {
    match tokio::time::timeout(Duration::from_secs(20), work).await {
        Ok(value) => value,
        Err(_) => panic!("{what:?} did not end"),
    }
}

/// Lets every call through: it only sends calls the intercepted way.
pub(crate) struct Through;

impl Interceptor for Through {
    async fn intercept(
        &self,
        request: Request<Streaming<Payload>>,
        next: Next<'_>,
    ) -> Result<Response<Streaming<Payload>>> {
        next.run(request).await
    }
}
