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
    check(&ClientCompatRequest { client_tls_creds, ..asked() }, Err("client certificates"));
    check(
        &ClientCompatRequest { http_version: HTTPVersion::HTTP_VERSION_3.into(), ..asked() },
        Err("HTTP version"),
    );
    check(&ClientCompatRequest { http_version: 99.into(), ..asked() }, Err("HTTP version"));
    check(&ClientCompatRequest { protocol: 0.into(), ..asked() }, Err("protocol"));
    check(&ClientCompatRequest { codec: Codec::CODEC_TEXT.into(), ..asked() }, Err("codec"));
    check(
        &ClientCompatRequest { compression: Compression::COMPRESSION_BR.into(), ..asked() },
        Err("compression"),
    );
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
