//! Whose process a connection on this machine comes from.

use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};

/// Whether the other end belongs to a user other than ours. Linux tells; where nobody does, it is not
/// known to be a stranger's.
pub(crate) fn is_stranger(peer: SocketAddr, local: SocketAddr) -> bool {
    let Ok(table) = std::fs::read_to_string("/proc/net/tcp") else { return false };
    let ours = rustix::process::geteuid().as_raw();
    owner(&table, peer, local) != Some(ours)
}

/// The user whose socket goes from the one address to the other, in Linux's own table.
fn owner(table: &str, from: SocketAddr, to: SocketAddr) -> Option<u32> {
    table.lines().skip(1).find_map(|line| {
        let mut fields = line.split_whitespace().skip(1);
        let ends = (address(fields.next()?)?, address(fields.next()?)?);
        // Between them and the user are state, queues, timer and retransmissions.
        let user = fields.nth(4)?;
        (ends == (from, to)).then(|| user.parse().ok()).flatten()
    })
}

/// `0100007F:1F90`: the address as the processor keeps it, the port in hexadecimal.
fn address(text: &str) -> Option<SocketAddr> {
    let (address, port) = text.split_once(':')?;
    let address = Ipv4Addr::from(u32::from_str_radix(address, 16).ok()?.to_ne_bytes());
    let port = u16::from_str_radix(port, 16).ok()?;
    Some(SocketAddr::V4(SocketAddrV4::new(address, port)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_connection_of_our_own_is_no_strangers() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let local = listener.local_addr().unwrap();
        let (ours, accepted) =
            tokio::join!(tokio::net::TcpStream::connect(local), listener.accept());
        let (peer, _ours) = (accepted.unwrap().1, ours.unwrap());
        assert!(!is_stranger(peer, local));
    }

    #[cfg(target_endian = "little")]
    #[test]
    fn the_owner_of_a_socket_is_read_from_the_table() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n\
            0: 0100007F:0050 0100007F:C000 01 00000000:00000000 00:00000000 00000000     0        0 1\n\
            1: 0100007F:C000 0100007F:0050 01 00000000:00000000 00:00000000 00000000  1001        0 2\n";
        let (client, server) =
            ("127.0.0.1:49152".parse().unwrap(), "127.0.0.1:80".parse().unwrap());
        assert_eq!(owner(table, client, server), Some(1001));
        assert_eq!(owner(table, server, client), Some(0));
        assert_eq!(owner(table, server, server), None);
    }
}
