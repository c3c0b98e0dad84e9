//! What kind of network an address belongs to. An address that carries another inside, as IPv6 does in
//! half a dozen ways, is judged by both.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A part of the network that rules speak of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Zone {
    /// Everybody's network.
    Public,
    /// This machine, its neighbours, and whatever else the public network does not lead to.
    Private,
    /// Where clouds hand out a machine's credentials.
    Metadata,
}

impl Zone {
    /// The zone of an address: the most delicate of those that its forms belong to.
    pub(super) fn of(address: IpAddr) -> Zone {
        forms(address).into_iter().map(plain).max().unwrap_or(Zone::Private)
    }

    /// The zone that a name belongs to by what it is called. What it stands for is looked at again when
    /// it is known.
    pub(super) fn of_name(name: &str) -> Zone {
        if METADATA_NAMES.contains(&name) {
            return Zone::Metadata;
        }
        let last = name.rsplit('.').next().unwrap_or(name);
        let home = name == "home.arpa" || name.ends_with(".home.arpa");
        match home || last == name || PRIVATE_ENDINGS.contains(&last) {
            true => Zone::Private,
            false => Zone::Public,
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Zone::Public => "public",
            Zone::Private => "private",
            Zone::Metadata => "metadata",
        }
    }
}

/// Endings that the public name system never answers for.
const PRIVATE_ENDINGS: &[&str] = &["localhost", "local", "internal", "test"];

const METADATA_NAMES: &[&str] = &[
    "metadata",
    "metadata.google.internal",
    "metadata.goog",
    "instance-data",
    "instance-data.ec2.internal",
];

const METADATA: &[IpAddr] = &[
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(192, 0, 0, 192)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23)),
    IpAddr::V6(Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)),
    IpAddr::V6(Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0xa9fe, 0xa9fe)),
];

/// An address and those that it carries inside.
pub(super) fn forms(address: IpAddr) -> Vec<IpAddr> {
    let address = address.to_canonical();
    let mut all = vec![address];
    if let IpAddr::V6(address) = address {
        all.extend(carried(address).into_iter().map(IpAddr::V4));
    }
    all
}

/// The IPv4 addresses that gateways would read out of an IPv6 one.
fn carried(address: Ipv6Addr) -> Vec<Ipv4Addr> {
    let parts = address.segments();
    let four = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    let last = four(parts[6], parts[7]);
    match parts {
        // Compatible addresses, long out of use.
        [0, 0, 0, 0, 0, 0, high, _] if high != 0 => vec![last],
        // NAT64, the common prefix.
        [0x64, 0xff9b, 0, 0, 0, 0, ..] => vec![last],
        // 6to4.
        [0x2002, high, low, ..] => vec![four(high, low)],
        // Teredo: the server, and the client with its bits turned.
        [0x2001, 0, high, low, ..] => vec![four(high, low), four(!parts[6], !parts[7])],
        // ISATAP.
        [_, _, _, _, 0 | 0x200, 0x5efe, ..] => vec![last],
        _ => Vec::new(),
    }
}

fn plain(address: IpAddr) -> Zone {
    // Clouds take whichever of the link-local addresses they like.
    let link_local = matches!(address, IpAddr::V4(address) if address.is_link_local());
    if link_local || METADATA.contains(&address) {
        return Zone::Metadata;
    }
    let public = match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    };
    if public { Zone::Public } else { Zone::Private }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = matches!(
        (a, b, c),
        (0 | 240.., ..) | (100, 64..=127, _) | (192, 0, 0) | (192, 88, 99) | (198, 18 | 19, _)
    );
    let private = address.is_loopback() || address.is_private() || address.is_link_local();
    !(special || private || address.is_multicast() || address.is_documentation())
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    match address.segments() {
        // What these lead to is judged by the address inside.
        [0x64, 0xff9b, 0, 0, 0, 0, ..] | [0x2002, ..] => true,
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false,
        [first, ..] => (0x2000..=0x3fff).contains(&first),
    }
}

/// A range of addresses: `10.0.0.0/8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    base: IpAddr,
    prefix: u32,
}

impl Range {
    /// Reads `10.0.0.0/8` or `fd00::/8`; none if it is neither.
    pub(super) fn parse(text: &str) -> Option<Range> {
        let (base, prefix) = text.split_once('/')?;
        let base: IpAddr = base.parse().ok()?;
        let prefix: u32 = prefix.parse().ok()?;
        let longest = if base.is_ipv4() { 32 } else { 128 };
        (prefix <= longest).then_some(Range { base, prefix })
    }

    /// Whether an address is in it. Families do not mix.
    pub(super) fn contains(&self, address: IpAddr) -> bool {
        let (base, address, width) = match (self.base, address) {
            (IpAddr::V4(base), IpAddr::V4(address)) => {
                (u128::from(u32::from(base)), u128::from(u32::from(address)), 32)
            }
            (IpAddr::V6(base), IpAddr::V6(address)) => (u128::from(base), u128::from(address), 128),
            _ => return false,
        };
        let rest = width - self.prefix;
        rest == 128 || (base >> rest) == (address >> rest)
    }

    /// The zone of what is in it, going by where it begins.
    pub(super) fn zone(&self) -> Zone {
        Zone::of(self.base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_belongs_to_its_zone() {
        for (zone, addresses) in [
            (
                Zone::Public,
                "1.1.1.1 93.184.216.34 100.63.0.1 100.128.0.1 172.32.0.1 198.20.0.1 2606:4700::1111 \
                 2a00:1450::1 64:ff9b::101:101 2002:101:101::1 ::ffff:8.8.8.8",
            ),
            (
                Zone::Private,
                "127.0.0.1 127.255.255.254 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 0.0.0.0 0.1.2.3 \
                 100.64.0.1 100.127.255.255 192.0.0.1 192.0.2.1 198.18.0.1 198.51.100.1 \
                 203.0.113.1 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255 :: ::1 fc00::1 fd12::1 \
                 fe80::1 fec0::1 ff02::1 2001:db8::1 3fff::1 100::1 ::ffff:127.0.0.1 ::ffff:10.1.2.3 \
                 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b::a00:1 64:ff9b:1::1 2002:7f00:1::1 \
                 2002:c0a8:101::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 fe80::5efe:a00:1 \
                 2606:4700::5efe:a00:1",
            ),
            (
                Zone::Metadata,
                "169.254.169.254 ::ffff:169.254.169.254 64:ff9b::a9fe:a9fe 2002:a9fe:a9fe::1 \
                 fd00:ec2::254 168.63.129.16 100.100.100.200 169.254.170.2 169.254.1.1",
            ),
        ] {
            for address in addresses.split_whitespace() {
                assert_eq!(Zone::of(address.parse().unwrap()), zone, "{address}");
            }
        }
    }

    #[test]
    fn names_that_the_public_system_does_not_know_are_private() {
        for (name, zone) in [
            ("example.com", Zone::Public),
            ("localhost.example.com", Zone::Public),
            ("localhost", Zone::Private),
            ("a.b.localhost", Zone::Private),
            ("printer.local", Zone::Private),
            ("intranet", Zone::Private),
            ("nas.home.arpa", Zone::Private),
            ("notlocal", Zone::Private),
            ("app.test", Zone::Private),
            ("metadata.google.internal", Zone::Metadata),
        ] {
            assert_eq!(Zone::of_name(name), zone, "{name}");
        }
    }

    #[test]
    fn a_range_contains_what_its_prefix_says() {
        for (range, address, inside) in [
            ("10.0.0.0/8", "10.255.0.1", true),
            ("10.0.0.0/8", "11.0.0.1", false),
            ("10.1.2.3/32", "10.1.2.3", true),
            ("10.1.2.3/32", "10.1.2.4", false),
            ("0.0.0.0/0", "8.8.8.8", true),
            ("0.0.0.0/0", "::1", false),
            ("fd00::/8", "fdff::1", true),
            ("::/0", "2606::1", true),
        ] {
            let range = Range::parse(range).unwrap();
            assert_eq!(range.contains(address.parse().unwrap()), inside, "{range:?} {address}");
        }
        for wrong in ["10.0.0.0", "10.0.0.0/33", "fd00::/129", "example.com/8", "10.0.0.0/x"] {
            assert_eq!(Range::parse(wrong), None, "{wrong}");
        }
    }
}
