//! Tokens: who may connect to a port of ours.

use std::hint::black_box;

/// A new token that nobody guesses.
pub fn fresh() -> anyhow::Result<String> {
    let mut bytes = [0; 24];
    getrandom::fill(&mut bytes).map_err(|error| anyhow::anyhow!("no random numbers: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Whether two tokens are equal, in a time that depends on their lengths only.
pub fn equal(own: &str, other: &str) -> bool {
    let pairs = own.bytes().zip(other.bytes());
    let differs = pairs.fold(0, |differs, (a, b)| black_box(differs | (a ^ b)));
    own.len() == other.len() && differs == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_long_new_and_known_by_all_of_its_letters() {
        let (one, two) = (fresh().unwrap(), fresh().unwrap());
        assert_eq!(one.len(), 48);
        assert_ne!(one, two);
        for (other, expected) in
            [("three", true), ("thre", false), ("threee", false), ("", false), ("Three", false)]
        {
            assert_eq!(equal("three", other), expected, "{other}");
        }
    }
}
