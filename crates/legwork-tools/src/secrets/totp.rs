//! One-time codes by the clock (RFC 6238), from a base32 seed or an `otpauth://` address.

use hmac::{Hmac, KeyInit as _, Mac as _};
use secrecy::SecretString;
use url::Url;
use zeroize::Zeroizing;

/// What codes are made of.
pub(super) struct Totp {
    key: Zeroizing<Vec<u8>>,
    hash: Hash,
    digits: u32,
    period: u64,
}

#[derive(Clone, Copy)]
enum Hash {
    Sha1,
    Sha256,
    Sha512,
}

impl Totp {
    pub(super) fn parse(seed: &str) -> Result<Totp, String> {
        let seed = seed.trim();
        if !seed.get(..10).is_some_and(|start| start.eq_ignore_ascii_case("otpauth://")) {
            let key = base32(seed)?;
            return Ok(Totp { key, hash: Hash::Sha1, digits: 6, period: 30 });
        }
        let url = Url::parse(seed).map_err(|error| format!("the otpauth address: {error}"))?;
        if !url.host_str().is_some_and(|kind| kind.eq_ignore_ascii_case("totp")) {
            return Err("only otpauth://totp is known".to_owned());
        }
        let given = |name: &str| {
            url.query_pairs()
                .find(|(key, _)| key == name)
                .map(|(_, value)| Zeroizing::new(value.into_owned()))
        };
        let hash = match given("algorithm").map(|name| name.to_ascii_uppercase()).as_deref() {
            None | Some("SHA1") => Hash::Sha1,
            Some("SHA256") => Hash::Sha256,
            Some("SHA512") => Hash::Sha512,
            Some(_) => return Err("the algorithm is not SHA1, SHA256 or SHA512".to_owned()),
        };
        let number = |name: &str, usual: u64, least: u64, most: u64| match given(name) {
            None => Ok(usual),
            Some(text) => text
                .parse()
                .ok()
                .filter(|number| (least..=most).contains(number))
                .ok_or_else(|| format!("{name} is not a number from {least} to {most}")),
        };
        let digits = number("digits", 6, 6, 10)? as u32;
        let period = number("period", 30, 1, 3600)?;
        let secret = given("secret").ok_or("the otpauth address has no secret")?;
        Ok(Totp { key: base32(&secret)?, hash, digits, period })
    }

    /// The code at a time, in seconds of Unix.
    pub(super) fn code(&self, unix: u64) -> SecretString {
        let moment = (unix / self.period).to_be_bytes();
        let digest = self.digest(&moment);
        let offset = usize::from(digest[digest.len() - 1] & 15);
        let bits = u32::from_be_bytes([
            digest[offset] & 0x7f,
            digest[offset + 1],
            digest[offset + 2],
            digest[offset + 3],
        ]);
        let (digits, code) = (self.digits as usize, u64::from(bits) % 10u64.pow(self.digits));
        format!("{code:0digits$}").into()
    }

    fn digest(&self, moment: &[u8]) -> Vec<u8> {
        macro_rules! digest {
            ($hash:ty) => {{
                let mut mac =
                    Hmac::<$hash>::new_from_slice(&self.key).expect("a key of any length");
                mac.update(moment);
                mac.finalize().into_bytes().to_vec()
            }};
        }
        match self.hash {
            Hash::Sha1 => digest!(sha1::Sha1),
            Hash::Sha256 => digest!(sha2::Sha256),
            Hash::Sha512 => digest!(sha2::Sha512),
        }
    }
}

/// RFC 4648, as people copy it: in any case, with spaces, with or without padding.
fn base32(text: &str) -> Result<Zeroizing<Vec<u8>>, String> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(text.len()));
    let (mut bits, mut held) = (0u32, 0);
    for letter in text.trim_end_matches('=').bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a',
            b'2'..=b'7' => letter - b'2' + 26,
            b' ' | b'-' => continue,
            _ => return Err("the seed is not base32: letters A to Z and digits 2 to 7".to_owned()),
        };
        bits = (bits << 5 | u32::from(value)) & 0xfff;
        held += 5;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    match bytes.len() {
        0..8 => Err("the seed is shorter than 8 bytes".to_owned()),
        _ => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret as _;

    /// Appendix B of RFC 6238: the key of each hash is as long as its digest.
    #[test]
    fn the_codes_are_those_of_the_standard() {
        let key = "1234567890".repeat(7);
        for (unix, sha1, sha256, sha512) in [
            (59, "94287082", "46119246", "90693936"),
            (1_111_111_109, "07081804", "68084774", "25091201"),
            (1_111_111_111, "14050471", "67062674", "99943326"),
            (1_234_567_890, "89005924", "91819424", "93441116"),
            (2_000_000_000, "69279037", "90698825", "38618901"),
            (20_000_000_000, "65353130", "77737706", "47863826"),
        ] {
            for (hash, length, expected) in
                [(Hash::Sha1, 20, sha1), (Hash::Sha256, 32, sha256), (Hash::Sha512, 64, sha512)]
            {
                let key = Zeroizing::new(key.as_bytes()[..length].to_vec());
                let totp = Totp { key, hash, digits: 8, period: 30 };
                assert_eq!(totp.code(unix).expose_secret(), expected, "{unix}");
            }
        }
    }

    #[test]
    fn seeds_are_read_as_people_copy_them() {
        let seed = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
        for spelling in [
            seed.to_owned(),
            seed.to_lowercase(),
            format!("{seed}===="),
            "gezd gnbv gy3t qojq gezd gnbv gy3t qojq".to_owned(),
            format!("otpauth://totp/Example:a@b.c?secret={seed}&issuer=Example"),
            format!("otpauth://TOTP/x?algorithm=SHA1&digits=6&period=30&secret={seed}"),
        ] {
            let totp = Totp::parse(&spelling).unwrap();
            assert_eq!(totp.code(59).expose_secret(), "287082", "{spelling}");
        }
        let long = format!("otpauth://totp/x?secret={seed}&digits=8&period=60&algorithm=SHA1");
        assert_eq!(Totp::parse(&long).unwrap().code(119).expose_secret(), "94287082");
    }

    #[test]
    fn what_is_no_seed_is_refused_without_telling_it() {
        for wrong in [
            "",
            "AAAA",
            "0189!",
            "otpauth://hotp/x?secret=GEZDGNBVGY3TQOJQ",
            "otpauth://totp/x",
            "otpauth://totp/x?secret=GEZDGNBVGY3TQOJQ&digits=99",
            "otpauth://totp/x?secret=GEZDGNBVGY3TQOJQ&period=0",
            "otpauth://totp/x?secret=GEZDGNBVGY3TQOJQ&algorithm=MD5",
        ] {
            let Err(reason) = Totp::parse(wrong) else { panic!("{wrong} was read") };
            assert!(!reason.contains("GEZD"), "{reason}");
        }
    }
}
