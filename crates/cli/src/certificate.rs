//! Certificates: read from files, or made on the spot. It decides for which names a self-signed one is good.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use trunkline::transport::tls::{ClientTls, ServerTls};

use crate::args::ServeArgs;
use crate::failure::Failure;

/// A certificate chain and its key, both PEM.
pub(crate) struct Identity {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl Identity {
    /// What the command line asks for; `None` means clear text.
    pub(crate) fn of(args: &ServeArgs) -> Result<Option<Self>, Failure> {
        if let (Some(certificate), Some(key)) = (&args.tls_cert, &args.tls_key) {
            return Ok(Some(Self { certificate: read_pem(certificate)?, key: read_pem(key)? }));
        }
        if !args.tls_self_signed {
            return Ok(None);
        }
        let identity = Self::self_signed()?;
        if let Some(path) = &args.tls_cert_out {
            std::fs::write(path, &identity.certificate).map_err(|error| {
                Failure::new(format!("cannot write the certificate to {}", path.display()))
                    .seen(error)
                    .advice("a file in a folder that exists and that you may write to")
            })?;
        }
        Ok(Some(identity))
    }

    /// A new certificate for this machine, signed by itself.
    pub(crate) fn self_signed() -> Result<Self, Failure> {
        let names = SELF_SIGNED_NAMES.map(str::to_owned);
        let made = rcgen::generate_simple_self_signed(names)
            .map_err(|error| Failure::new("cannot make a certificate").seen(error))?;
        Ok(Self {
            certificate: made.cert.pem().into_bytes(),
            key: made.signing_key.serialize_pem().into_bytes(),
        })
    }

    /// The server's side.
    pub(crate) fn server(&self) -> Result<ServerTls, Failure> {
        ServerTls::from_pem(&self.certificate, &self.key).map_err(|error| {
            Failure::new("cannot serve TLS with this certificate and key")
                .saying(error.message())
                .advice("a PEM certificate and the private key it was made for, or --tls-self-signed")
        })
    }

    /// A client that trusts exactly this certificate.
    pub(crate) fn client(&self) -> Result<ClientTls, Failure> {
        ClientTls::trusting_pem(&self.certificate)
            .map_err(|error| Failure::new("cannot trust this certificate").saying(error.message()))
    }
}

/// What a self-signed certificate is good for: the names of the machine that it is made on.
const SELF_SIGNED_NAMES: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// Largest PEM file that is read. Chains have some kilobytes; a file named by mistake may have gigabytes.
const PEM_BYTES_MAX: u64 = 1 << 20;

fn read_pem(path: &Path) -> Result<Vec<u8>, Failure> {
    let cannot = || Failure::new(format!("cannot read {}", path.display()));
    let advice = "the path of a PEM file, or --tls-self-signed";
    let bytes = read_at_most(path, PEM_BYTES_MAX).map_err(|error| cannot().seen(error).advice(advice))?;
    bytes.ok_or_else(|| cannot().saying(format!("more than {PEM_BYTES_MAX} bytes")).advice(advice))
}

/// The file's bytes; `None` when there are more than `limit`.
fn read_at_most(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

#[cfg(test)]
mod tests;
