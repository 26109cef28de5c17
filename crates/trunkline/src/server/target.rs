//! What a client of the same machine calls a server by: decides between schemes and names, and knows no listener.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The target of a server that listens at `address`.
///
/// An address that stands for all of a machine is no address to connect to, so it becomes that of the loopback. Over TLS
/// the loopback is called `localhost`: certificates are seldom made out to addresses.
pub(super) fn target(address: SocketAddr, is_tls: bool) -> String {
    let ip = match address.ip() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    let port = address.port();
    match is_tls {
        true if ip.is_loopback() => format!("https://localhost:{port}"),
        true => format!("https://{}", SocketAddr::new(ip, port)),
        false => format!("http://{}", SocketAddr::new(ip, port)),
    }
}

#[cfg(test)]
mod tests;
