//! Certificates of clients: asked for or not, trusted or not, and what the handler sees of them.

use std::sync::Arc;

use bytes::Bytes;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use trunkline::codec::Raw;
use trunkline::server::{Routes, Service};
use trunkline::transport::tls::{ClientTls, ServerTls, rustls};
use trunkline::{
    Channel, Code, Error, HttpVersion, Limits, Procedure, Protocol, Request, Response, Result, Server,
};

use crate::support::{provider, within_bounds};

/// Answers with the certificates of the caller, one behind the other.
const WHO: Procedure<Bytes, Bytes, Raw> = Procedure::unary("test.v1.Door", "Who", "/test.v1.Door/Who");

struct Door;

impl Service for Door {
    fn name(&self) -> &'static str {
        "test.v1.Door"
    }

    fn register(self, routes: &mut Routes) {
        routes.unary(&WHO, &Arc::new(self), |_, request: Request<Bytes>| async move {
            let peer = request.context().expect("a served request has a context").peer();
            assert!(peer.tls);
            Ok::<_, Error>(Response::new(peer.certificates.concat().into()))
        });
    }
}

/// A certificate authority, or what it has signed.
struct Made {
    pem: String,
    der: Bytes,
    key: String,
}

/// An authority and the certificates that it signs.
struct Authority {
    made: Made,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut parameters = CertificateParams::new(Vec::new()).unwrap();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = parameters.self_signed(&key).unwrap();
        let made =
            Made { pem: certificate.pem(), der: certificate.der().to_vec().into(), key: key.serialize_pem() };
        Self { made, issuer: Issuer::new(parameters, key) }
    }

    fn sign(&self, name: &str) -> Made {
        let key = KeyPair::generate().unwrap();
        let parameters = CertificateParams::new([name.to_owned()]).unwrap();
        let certificate = parameters.signed_by(&key, &self.issuer).unwrap();
        Made { pem: certificate.pem(), der: certificate.der().to_vec().into(), key: key.serialize_pem() }
    }
}

const RSA: &[u8] = include_bytes!("data/rsa.pem");
const RSA_KEY: &[u8] = include_bytes!("data/rsa.key.pem");

/// Every protocol over every HTTP version that carries it.
const WAYS: [(Protocol, HttpVersion); 5] = [
    (Protocol::Connect, HttpVersion::Http1),
    (Protocol::Connect, HttpVersion::Http2),
    (Protocol::Grpc, HttpVersion::Http2),
    (Protocol::GrpcWeb, HttpVersion::Http1),
    (Protocol::GrpcWeb, HttpVersion::Http2),
];

/// Calls a server in every way; `expected` are the certificates that the handler sees, or the call fails.
async fn check(what: &str, server: ServerTls, client: &ClientTls, expected: Option<&[&Bytes]>) {
    let bound = Server::new().service(Door).tls(server).bind("127.0.0.1:0").await.unwrap();
    let target = format!("https://localhost:{}", bound.local_address().port());
    let mut serving = tokio::task::JoinSet::new();
    serving.spawn(bound.serve());
    for (protocol, http) in WAYS {
        let what = format!("{what}: {protocol} over {http:?}");
        let builder = Channel::builder(&target).protocol(protocol).http(http).tls(client.clone());
        let channel = builder.connect_lazy().unwrap();
        let outcome = within_bounds(&what, channel.unary(&WHO, Bytes::new())).await;
        match (outcome.map(Response::into_message), expected) {
            (Ok(seen), Some(expected)) => {
                let expected: Vec<u8> = expected.iter().flat_map(|der| der.to_vec()).collect();
                assert_eq!(seen, expected, "{what}");
            }
            (Err(error), None) => {
                assert_eq!(error.code(), Code::Unavailable, "{what}: {error}");
                assert!(!error.is_from_peer(), "{what}: {error}");
            }
            (outcome, _) => panic!("{what}: {outcome:?}"),
        }
    }
}

#[tokio::test]
async fn certificate_is_required_checked_and_seen() {
    let (ours, other) = (Authority::new(), Authority::new());
    let (server, client) = (ours.sign("localhost"), ours.sign("client"));
    let stranger = other.sign("client");
    let ours_pem = ours.made.pem.as_bytes();
    let serving = || ServerTls::from_pem(server.pem.as_bytes(), server.key.as_bytes()).unwrap();
    let requiring = || serving().require_client_certificates(ours_pem).unwrap();
    let accepting = || serving().accept_client_certificates(ours_pem).unwrap();
    let nobody = ClientTls::trusting_pem(ours_pem).unwrap();
    let with = |made: &Made| nobody.clone().with_identity(made.pem.as_bytes(), made.key.as_bytes()).unwrap();
    let chain = format!("{}{}", client.pem, ours.made.pem);
    let with_chain = nobody.clone().with_identity(chain.as_bytes(), client.key.as_bytes()).unwrap();

    check("not asked", serving(), &with(&client), Some(&[])).await;
    check("required, none", requiring(), &nobody, None).await;
    check("required, right", requiring(), &with(&client), Some(&[&client.der])).await;
    check("required, chain", requiring(), &with_chain, Some(&[&client.der, &ours.made.der])).await;
    check("required, of another authority", requiring(), &with(&stranger), None).await;
    check("accepted, none", accepting(), &nobody, Some(&[])).await;
    check("accepted, right", accepting(), &with(&client), Some(&[&client.der])).await;
    check("accepted, of another authority", accepting(), &with(&stranger), None).await;
    let again = requiring().accept_client_certificates(ours_pem).unwrap();
    check("the last word counts", again, &nobody, Some(&[])).await;
    let both = [ours_pem, other.made.pem.as_bytes()].concat();
    let both = serving().require_client_certificates(&both).unwrap();
    check("one of two authorities", both, &with(&stranger), Some(&[&stranger.der])).await;
}

#[tokio::test]
async fn certificate_that_signs_itself_and_a_pkcs1_key_will_do() {
    let server = ServerTls::from_pem(RSA, RSA_KEY).unwrap().require_client_certificates(RSA).unwrap();
    let trusting = ClientTls::trusting_pem(RSA).unwrap();
    let client = trusting.clone().with_identity(RSA, RSA_KEY).unwrap();
    let der = rustls::pki_types::pem::PemObject::from_pem_slice(RSA)
        .map(|der: rustls::pki_types::CertificateDer<'_>| Bytes::copy_from_slice(&der))
        .unwrap();
    check("RSA", server.clone(), &client, Some(&[&der])).await;
    check("RSA, none", server, &trusting, None).await;
}

#[tokio::test]
async fn server_goes_on_after_a_caller_without_a_certificate() {
    let ours = Authority::new();
    let (server, client) = (ours.sign("localhost"), ours.sign("client"));
    let ours_pem = ours.made.pem.as_bytes();
    let tls = ServerTls::from_pem(server.pem.as_bytes(), server.key.as_bytes()).unwrap();
    let mut limits = Limits::default();
    limits.connections_max = 1;
    let server = Server::new().service(Door).limits(limits);
    let bound =
        server.tls(tls.require_client_certificates(ours_pem).unwrap()).bind("127.0.0.1:0").await.unwrap();
    let target = format!("https://localhost:{}", bound.local_address().port());
    let mut serving = tokio::task::JoinSet::new();
    serving.spawn(bound.serve());
    let call = async |tls: &ClientTls| -> Result<Bytes> {
        let channel = Channel::builder(&target).tls(tls.clone()).connect_lazy().unwrap();
        channel.unary(&WHO, Bytes::new()).await.map(Response::into_message)
    };
    let nobody = ClientTls::trusting_pem(ours_pem).unwrap();
    let known = nobody.clone().with_identity(client.pem.as_bytes(), client.key.as_bytes()).unwrap();
    for _ in 0..5 {
        within_bounds("none", call(&nobody)).await.unwrap_err();
        assert_eq!(within_bounds("right", call(&known)).await.unwrap(), client.der);
    }
}

#[test]
fn what_cannot_be_used_is_refused_at_once() {
    let ours = Authority::new();
    let (one, two) = (ours.sign("one"), ours.sign("two"));
    let server = || ServerTls::from_pem(one.pem.as_bytes(), one.key.as_bytes()).unwrap();
    let client = || ClientTls::trusting_pem(ours.made.pem.as_bytes()).unwrap();
    let check = |outcome: Option<Error>, code: Code, part: &str| {
        let error = outcome.expect(part);
        assert!(error.code() == code && error.message().contains(part), "{error}, expected {part}");
    };
    for (pem, part) in
        [("", "no certificate"), ("no PEM", "no certificate"), (one.key.as_str(), "no certificate")]
    {
        let pem = pem.as_bytes();
        check(server().require_client_certificates(pem).err(), Code::InvalidArgument, part);
        check(server().accept_client_certificates(pem).err(), Code::InvalidArgument, part);
        check(client().with_identity(pem, one.key.as_bytes()).err(), Code::InvalidArgument, part);
    }
    let wrong = client().with_identity(one.pem.as_bytes(), two.key.as_bytes()).err();
    check(wrong, Code::InvalidArgument, "does not belong");
    let wrong = client().with_identity(one.pem.as_bytes(), one.pem.as_bytes()).err();
    check(wrong, Code::InvalidArgument, "not a PEM private key");
    let foreign = rustls::ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(rustls::server::ResolvesServerCertUsingSni::new()));
    let outcome = ServerTls::from_rustls(foreign).require_client_certificates(one.pem.as_bytes());
    check(outcome.err(), Code::FailedPrecondition, "rustls configuration");
}
