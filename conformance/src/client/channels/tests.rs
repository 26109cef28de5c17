use trunkline_conformance::proto::connectrpc::conformance::v1 as messages;

use self::messages::{ClientCompatRequest, Codec, Compression, HTTPVersion, TLSCreds};
use super::{CHANNELS_MAX, Channels, Key};

#[test]
fn channel_is_told_or_refused() {
    check(&asked(), Ok("http://127.0.0.1:8080"));
    check(&ClientCompatRequest { host: "::1".into(), ..asked() }, Ok("http://[::1]:8080"));
    let server_tls_cert = b"certificate".to_vec();
    check(&ClientCompatRequest { server_tls_cert, ..asked() }, Ok("https://127.0.0.1:8080"));
    let client_tls_creds = TLSCreds::default().into();
    check(&ClientCompatRequest { client_tls_creds, ..asked() }, Ok("http://127.0.0.1:8080"));
    check(
        &ClientCompatRequest { http_version: HTTPVersion::HTTP_VERSION_3.into(), ..asked() },
        Err("HTTP version"),
    );
    check(&ClientCompatRequest { http_version: 99.into(), ..asked() }, Err("HTTP version"));
    check(&ClientCompatRequest { protocol: 0.into(), ..asked() }, Err("protocol"));
    check(&ClientCompatRequest { codec: Codec::CODEC_TEXT.into(), ..asked() }, Err("codec"));
    check(&ClientCompatRequest { compression: 0.into(), ..asked() }, Err("compression"));
    check(&ClientCompatRequest { compression: 99.into(), ..asked() }, Err("compression"));
}

#[test]
fn each_compression_and_identity_is_another_channel() {
    let channels = Channels::default();
    let mut ways = 0;
    for compression in [
        Compression::COMPRESSION_IDENTITY,
        Compression::COMPRESSION_GZIP,
        Compression::COMPRESSION_BR,
        Compression::COMPRESSION_ZSTD,
        Compression::COMPRESSION_DEFLATE,
        Compression::COMPRESSION_SNAPPY,
    ] {
        channels.channel(&ClientCompatRequest { compression: compression.into(), ..asked() }).unwrap();
        ways += 1;
        assert_eq!(channels.known.lock().unwrap().len(), ways, "{compression:?}");
    }
}

#[test]
fn credentials_are_used_or_refused() {
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (cert, key) = (own.cert.pem().into_bytes(), own.signing_key.serialize_pem().into_bytes());
    let (channels, trusted) = (Channels::default(), cert.clone());
    let check = |cert: &[u8], key: &[u8], refused: Option<&str>| {
        let own = TLSCreds { cert: cert.to_vec(), key: key.to_vec(), ..TLSCreds::default() };
        let server_tls_cert = trusted.clone();
        let asked = ClientCompatRequest { server_tls_cert, client_tls_creds: own.into(), ..asked() };
        match (channels.channel(&asked).map(drop), refused) {
            (Ok(()), None) => {}
            (Err(fault), Some(why)) => assert!(fault.contains(why), "{fault}"),
            (outcome, _) => panic!("{outcome:?}, expected {refused:?}"),
        }
    };
    check(&cert, &key, None);
    check(&cert, b"nonsense", Some("private key"));
    check(b"nonsense", &key, Some("no certificate"));
}

#[tokio::test]
async fn channels_are_kept_within_a_limit() {
    let channels = Channels::default();
    for port in 1..=CHANNELS_MAX {
        let port = u32::try_from(port).unwrap();
        for use_get_http_method in [false, true, false] {
            channels.channel(&ClientCompatRequest { port, use_get_http_method, ..asked() }).unwrap();
        }
        assert!(channels.known.lock().unwrap().len() <= CHANNELS_MAX);
    }
    let nonsense = ClientCompatRequest { server_tls_cert: b"nonsense".to_vec(), ..asked() };
    assert!(channels.channel(&nonsense).unwrap_err().contains("certificate"));
}

fn check(asked: &ClientCompatRequest, expected: Result<&str, &str>) {
    match (Key::of(asked), expected) {
        (Ok(key), Ok(target)) => assert_eq!(key.target, target),
        (Err(refused), Err(why)) => assert!(refused.contains(why), "{refused}"),
        (key, _) => panic!("{key:?}, expected {expected:?}"),
    }
}

fn asked() -> ClientCompatRequest {
    ClientCompatRequest {
        host: "127.0.0.1".to_owned(),
        port: 8080,
        http_version: HTTPVersion::HTTP_VERSION_2.into(),
        protocol: messages::Protocol::PROTOCOL_CONNECT.into(),
        codec: Codec::CODEC_PROTO.into(),
        compression: Compression::COMPRESSION_GZIP.into(),
        ..ClientCompatRequest::default()
    }
}
