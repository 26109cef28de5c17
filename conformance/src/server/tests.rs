use trunkline_conformance::proto::connectrpc::conformance::v1::{ServerCompatRequest, TLSCreds};

use super::server;

fn credentials() -> TLSCreds {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    TLSCreds {
        cert: made.cert.pem().into_bytes(),
        key: made.signing_key.serialize_pem().into_bytes(),
        ..TLSCreds::default()
    }
}

#[tokio::test]
async fn server_is_made_or_refused() {
    check(&ServerCompatRequest::default(), None);
    check(&ServerCompatRequest { message_receive_limit: 204_800, ..Default::default() }, None);
    let use_tls = ServerCompatRequest { use_tls: true, ..Default::default() };
    check(&use_tls, Some("without a certificate"));
    let nonsense = TLSCreds { cert: b"nonsense".to_vec(), key: b"nonsense".to_vec(), ..Default::default() };
    check(&ServerCompatRequest { server_creds: nonsense.into(), ..use_tls.clone() }, Some("certificate"));
    let certified = ServerCompatRequest { server_creds: credentials().into(), ..use_tls };
    check(&certified, None);
    let client_tls_cert = credentials().cert;
    check(&ServerCompatRequest { client_tls_cert, ..certified.clone() }, None);
    check(
        &ServerCompatRequest { client_tls_cert: b"nonsense".to_vec(), ..certified },
        Some("no certificate"),
    );
}

fn check(asked: &ServerCompatRequest, refused: Option<&str>) {
    match (server(asked), refused) {
        (Ok(_), None) => {}
        (Err(fault), Some(why)) => assert!(fault.to_string().contains(why), "{fault}"),
        (made, _) => {
            panic!("{asked:?}: {:?}, expected {refused:?}", made.err().map(|fault| fault.to_string()))
        }
    }
}
