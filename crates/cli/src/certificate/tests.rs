use std::path::PathBuf;

use super::*;

/// A folder of one test, gone when the test is.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("trunkline-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn args(tls_cert: Option<PathBuf>, tls_key: Option<PathBuf>, tls_self_signed: bool) -> ServeArgs {
    ServeArgs { listen: "127.0.0.1:0".to_owned(), tls_cert, tls_key, tls_self_signed, tls_cert_out: None }
}

/// The first line of what went wrong; `None` for TLS that can be served.
fn complaint(args: &ServeArgs) -> Option<String> {
    let served = Identity::of(args).and_then(|identity| identity.expect("TLS was asked for").server());
    served.err().map(|failure| failure.to_string())
}

#[test]
fn files_are_served_or_refused_by_name() {
    let folder = Folder::new("files");
    let (one, other) = (Identity::self_signed().unwrap(), Identity::self_signed().unwrap());
    let certificate = folder.file("certificate.pem", &one.certificate.bytes);
    let key = folder.file("key.pem", &one.key.bytes);
    let check = |certificate: &PathBuf, key: &PathBuf, expected: &[&str]| {
        let seen = complaint(&args(Some(certificate.clone()), Some(key.clone()), false));
        match seen {
            None => assert!(expected.is_empty(), "served, although {expected:?}"),
            Some(text) => {
                assert!(!expected.is_empty(), "{text}");
                assert!(text.lines().count() <= 3, "{text}");
                assert!(expected.iter().all(|part| text.contains(part)), "{text}");
            }
        }
    };
    check(&certificate, &key, &[]);
    check(&folder.0.join("none.pem"), &key, &["cannot read", "none.pem", "try:"]);
    check(&certificate, &folder.0, &["cannot read", "try:"]);
    check(&certificate, &folder.file("text.pem", b"hello"), &["cannot use ", "text.pem as the TLS key\n"]);
    check(&folder.file("empty.pem", b""), &key, &["cannot use ", "empty.pem as the TLS certificate\n"]);
    check(
        &certificate,
        &folder.file("other.pem", &other.key.bytes),
        &["cannot use ", "other.pem as the TLS key\n"],
    );
    let huge = vec![b'-'; PEM_BYTES_MAX as usize + 1];
    check(&folder.file("huge.pem", &huge), &key, &["huge.pem", "more than 1 MiB"]);
}

#[test]
fn self_signed_certificate_is_written_out() {
    let folder = Folder::new("out");
    let wanted = args(None, None, true);
    assert!(complaint(&wanted).is_none());
    let identity = Identity::of(&wanted).unwrap().unwrap();
    let path = folder.0.join("certificate.pem");
    identity.write_certificate(&path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), identity.certificate.bytes);
    assert!(identity.client().is_ok());
    let failure = identity.write_certificate(&folder.0.join("no/such/folder.pem")).unwrap_err();
    assert!(failure.to_string().starts_with("error: cannot write the certificate to "));
}

#[test]
fn no_tls_is_asked_for_by_default() {
    assert!(Identity::of(&args(None, None, false)).unwrap().is_none());
}
