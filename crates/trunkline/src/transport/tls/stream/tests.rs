//! Rows for what is a fault of TLS.

use super::*;

#[test]
fn fault_of_tls_is_the_end_of_the_connection() {
    let tls = |error| io::Error::new(io::ErrorKind::InvalidData, error);
    let check = |error: io::Error, expected: io::ErrorKind| {
        let text = error.to_string();
        let seen = as_end(error);
        assert_eq!((seen.kind(), seen.to_string()), (expected, text));
    };
    let alert = rustls::Error::AlertReceived(rustls::AlertDescription::CertificateRequired);
    check(tls(alert), io::ErrorKind::ConnectionAborted);
    check(tls(rustls::Error::DecryptError), io::ErrorKind::ConnectionAborted);
    check(io::Error::new(io::ErrorKind::InvalidData, "of somebody else"), io::ErrorKind::InvalidData);
    check(io::ErrorKind::UnexpectedEof.into(), io::ErrorKind::UnexpectedEof);
}
