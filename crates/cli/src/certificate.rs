//! Certificates: read from files, or made on the spot. It decides for which names a self-signed one is good.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use trunkline::transport::tls::{ClientTls, ServerTls};

use crate::args::ServeArgs;
use crate::failure::Failure;

/// A certificate chain and its key.
pub(crate) struct Identity {
    certificate: Pem,
    key: Pem,
}

/// What is in a PEM file, or would be in one.
struct Pem {
    bytes: Vec<u8>,
    /// Where it was read, for complaints.
    source: String,
}

impl Identity {
    /// What the command line asks for; `None` means clear text.
    pub(crate) fn of(args: &ServeArgs) -> Result<Option<Self>, Failure> {
        if let (Some(certificate), Some(key)) = (&args.tls_cert, &args.tls_key) {
            return Ok(Some(Self { certificate: read_pem(certificate)?, key: read_pem(key)? }));
        }
        args.tls_self_signed.then(Self::self_signed).transpose()
    }

    /// A new certificate for this machine, signed by itself.
    pub(crate) fn self_signed() -> Result<Self, Failure> {
        let names = SELF_SIGNED_NAMES.map(str::to_owned);
        let made = rcgen::generate_simple_self_signed(names)
            .map_err(|error| Failure::new("cannot make a certificate").seen(error))?;
        let pem = |text: String| Pem { bytes: text.into_bytes(), source: "what was made now".to_owned() };
        Ok(Self { certificate: pem(made.cert.pem()), key: pem(made.signing_key.serialize_pem()) })
    }

    /// Writes the certificate, not the key. Called once the server is sure to start: a server that does not must leave
    /// alone what clients of another one trust.
    pub(crate) fn write_certificate(&self, path: &Path) -> Result<(), Failure> {
        std::fs::write(path, &self.certificate.bytes).map_err(|error| {
            Failure::new(format!("cannot write the certificate to {}", path.display()))
                .seen(error)
                .advice("a file in a folder that exists and that you may write to")
        })
    }

    /// The server's side.
    pub(crate) fn server(&self) -> Result<ServerTls, Failure> {
        ServerTls::from_pem(&self.certificate.bytes, &self.key.bytes).map_err(|error| {
            // What a client could trust is a certificate; so it is the key that is none, or belongs to another.
            let what = match ClientTls::trusting_pem(&self.certificate.bytes) {
                Err(_) => format!("cannot use {} as the TLS certificate", self.certificate.source),
                Ok(_) => format!("cannot use {} as the TLS key", self.key.source),
            };
            Failure::new(what)
                .saying(error.message())
                .advice("a PEM certificate and the private key it was made for, or --tls-self-signed")
        })
    }

    /// A client that trusts exactly this certificate.
    pub(crate) fn client(&self) -> Result<ClientTls, Failure> {
        ClientTls::trusting_pem(&self.certificate.bytes)
            .map_err(|error| Failure::new("cannot trust this certificate").saying(error.message()))
    }
}

/// What a self-signed certificate is good for: the names of the machine that it is made on.
const SELF_SIGNED_NAMES: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// Largest PEM file that is read. Chains have some kilobytes; a file named by mistake may have gigabytes.
const PEM_BYTES_MAX: u64 = PEM_MEBIBYTES_MAX << 20;
const PEM_MEBIBYTES_MAX: u64 = 1;

fn read_pem(path: &Path) -> Result<Pem, Failure> {
    let cannot = || Failure::new(format!("cannot read {}", path.display()));
    let advice = "the path of a PEM file, or --tls-self-signed";
    let bytes = read_at_most(path, PEM_BYTES_MAX).map_err(|error| cannot().seen(error).advice(advice))?;
    let too_large = || cannot().saying(format!("more than {PEM_MEBIBYTES_MAX} MiB")).advice(advice);
    Ok(Pem { bytes: bytes.ok_or_else(too_large)?, source: path.display().to_string() })
}

/// The file's bytes; `None` when there are more than `limit`.
fn read_at_most(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

#[cfg(test)]
mod tests;
