//! Command lines that work against a server at a given address: what `serve` prints, what its page shows.

use std::net::SocketAddr;

impl Hint {
    /// The command on lines that fit a terminal, as a shell reads it.
    pub(crate) fn folded(&self) -> String {
        // The message of grpcurl comes before what it is for, and ends with the only quote before a blank.
        if self.command.starts_with("grpcurl") {
            return self.command.replacen("' ", "' \\\n    ", 1);
        }
        let breaks = [" -H ", " --data-urlencode "];
        breaks.iter().fold(self.command.clone(), |folded, flag| {
            folded.replace(flag, &format!(" \\\n    {}", flag.trim_start()))
        })
    }
}

/// A server as seen by someone on the same machine.
pub(crate) struct Hints {
    address: SocketAddr,
    tls: bool,
}

/// One command and what it shows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Hint {
    pub(crate) about: &'static str,
    pub(crate) command: String,
}

const ECHO: &str = "trunkline.echo.v1.EchoService/Echo";
const EXPAND: &str = "trunkline.echo.v1.EchoService/Expand";
const MESSAGE_THRICE: &str = r#"{"message":"hello","count":3}"#;
const MESSAGE: &str = r#"{"message":"hello"}"#;

impl Hints {
    /// Hints for a server that listens on `address`.
    pub(crate) fn new(address: SocketAddr, tls: bool) -> Self {
        Self { address, tls }
    }

    /// Where the server listens, as a URL.
    pub(crate) fn listening(&self) -> String {
        format!("{}://{}", self.scheme(), self.address)
    }

    /// The simplest call: JSON over HTTP/1.1.
    pub(crate) fn simplest(&self) -> Hint {
        let (flags, url) = (self.curl_flags(), self.url());
        let command = format!("curl {flags}{url}/{ECHO} -H 'content-type: application/json' -d '{MESSAGE}'");
        Hint { about: "A call in JSON (Connect)", command }
    }

    /// A command for each way to call, the simplest first.
    pub(crate) fn all(&self) -> Vec<Hint> {
        let (flags, url, target) = (self.curl_flags(), self.url(), self.target());
        let http2 = if self.tls { "--http2" } else { "--http2-prior-knowledge" };
        let plain = if self.tls { "-insecure" } else { "-plaintext" };
        vec![
            self.simplest(),
            Hint {
                about: "The same over HTTP/2",
                command: format!(
                    "curl {http2} {flags}{url}/{ECHO} -H 'content-type: application/json' -d '{MESSAGE}'"
                ),
            },
            Hint {
                about: "The same as GET, which caches can answer",
                command: format!(
                    "curl {flags}-G {url}/{ECHO} -d encoding=json --data-urlencode 'message={MESSAGE}'"
                ),
            },
            Hint {
                about: "Whether the server is healthy",
                command: format!(
                    "curl {flags}{url}/grpc.health.v1.Health/Check -H 'content-type: application/json' -d '{{}}'"
                ),
            },
            Hint {
                about: "The services, by reflection (gRPC)",
                command: format!("grpcurl {plain} {target} list"),
            },
            Hint {
                about: "A call by reflection (gRPC)",
                command: format!("grpcurl {plain} -d '{MESSAGE}' {target} {ECHO}"),
            },
            Hint {
                about: "A stream of answers",
                command: format!("grpcurl {plain} -d '{MESSAGE_THRICE}' {target} {EXPAND}"),
            },
        ]
    }

    fn scheme(&self) -> &'static str {
        if self.tls { "https" } else { "http" }
    }

    /// A self-signed certificate is trusted by nobody yet.
    fn curl_flags(&self) -> &'static str {
        if self.tls { "-k " } else { "" }
    }

    /// Host and port to connect to: an address that stands for all of the machine's is none that one can call.
    fn target(&self) -> SocketAddr {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            let loopback: std::net::IpAddr = match address {
                SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
                SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
            };
            address.set_ip(loopback);
        }
        address
    }

    fn url(&self) -> String {
        format!("{}://{}", self.scheme(), self.target())
    }
}

#[cfg(test)]
mod tests;
