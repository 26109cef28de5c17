use super::*;

fn made(name: &str) -> (String, String) {
    let made = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
    (made.cert.pem(), made.signing_key.serialize_pem())
}

#[test]
fn server_pem_is_judged() {
    let (certificate, key) = made("localhost");
    let (_, other_key) = made("localhost");
    let check = |certificate: &str, key: &str, expected: Option<&str>| match (
        ServerTls::from_pem(certificate.as_bytes(), key.as_bytes()),
        expected,
    ) {
        (Ok(tls), None) => assert_eq!(tls.config.alpn_protocols, [&b"h2"[..], b"http/1.1"]),
        (Err(error), Some(part)) => {
            assert_eq!(error.code(), crate::Code::InvalidArgument);
            assert!(error.message().contains(part), "{error}");
        }
        (seen, expected) => panic!("{seen:?}, expected {expected:?}"),
    };
    check(&certificate, &key, None);
    check(&format!("{certificate}{certificate}"), &key, None);
    check("", &key, Some("no certificate"));
    check("no PEM at all", &key, Some("no certificate"));
    check("-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n", &key, Some("not PEM"));
    check(&certificate, "", Some("not a PEM private key"));
    check(&certificate, &certificate, Some("not a PEM private key"));
    check(&certificate, &other_key, Some("does not belong"));
    let encrypted = key.replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY");
    check(&certificate, &encrypted, Some("is encrypted"));
    check(&key, &key, Some("no certificate"));
}

#[test]
fn trusted_pem_is_judged() {
    let (certificate, key) = made("localhost");
    assert!(ClientTls::trusting_pem(certificate.as_bytes()).is_ok());
    for wrong in ["", "no PEM", key.as_str()] {
        let error = ClientTls::trusting_pem(wrong.as_bytes()).unwrap_err();
        assert_eq!(error.code(), crate::Code::InvalidArgument, "{wrong}");
    }
}
