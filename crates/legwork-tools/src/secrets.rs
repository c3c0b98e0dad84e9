//! Secrets are names: a call carries `{{secret:NAME}}`, and the value is read here and entered at the last
//! moment, in documents of the origins it is bound to and nowhere else.
//!
//! - `rule` is what the policy says of a secret; `source` reads its value, `totp` makes codes of a seed.
//! - `place` finds the names in a call, and refuses them where no field is filled.
//! - `enter` is how executors type them.

mod enter;
mod place;
mod rule;
mod source;
mod totp;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use legwork_protocol::{Code, ToolError};
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use crate::redact::{Redactor, is_too_short};

pub(crate) use enter::{enter, for_dialog};
pub(crate) use place::{has_secret, names};
pub use rule::{SecretRule, SecretSource};
use source::{is_slow, read, read_now};
use totp::Totp;

/// How long a value is kept that a program or the keyring was asked for.
const KEPT: Duration = Duration::from_secs(300);

/// The secrets there are, by name.
#[derive(Default)]
pub struct Vault {
    rules: BTreeMap<String, SecretRule>,
    redactor: Redactor,
    kept: Mutex<HashMap<String, (Instant, SecretString)>>,
}

impl Vault {
    /// The secrets of a policy; a rule that cannot be kept is refused. What can be read without asking
    /// anybody is masked from the beginning, other values once they were used.
    pub fn new(rules: BTreeMap<String, SecretRule>) -> Result<Vault, String> {
        Vault::masking(rules, Redactor::default())
    }

    /// The same, where values of other secrets are masked already and go on being so.
    pub(crate) fn masking(
        rules: BTreeMap<String, SecretRule>,
        redactor: Redactor,
    ) -> Result<Vault, String> {
        if let Some(wrong) = rules.keys().find(|name| !place::is_name(name)) {
            return Err(format!(
                "secrets.{wrong}: a name has letters, digits, - _ and . only, at most 64 of them"
            ));
        }
        let vault = Vault { rules, redactor, kept: Mutex::default() };
        for (name, rule) in &vault.rules {
            let value = read_now(&rule.from).ok();
            let value = value.filter(|value| !is_too_short(value.expose_secret()));
            value.inspect(|value| vault.redactor.learn(name, value.expose_secret(), false));
        }
        Ok(vault)
    }

    /// The names, and what is said of them.
    pub fn rules(&self) -> &BTreeMap<String, SecretRule> {
        &self.rules
    }

    /// What masks the values that were read.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// Reads a secret and says how it went, never what it is.
    pub async fn check(&self, name: &str) -> Result<String, ToolError> {
        let rule = self.rule(name)?;
        let value = self.value(name).await?;
        let kind = match rule.totp {
            true => format!("a seed of {}-digit codes", value.expose_secret().len()),
            false => "a value that can be used".to_owned(),
        };
        let (from, origins) = (&rule.from, rule.origins().join(", "));
        Ok(format!("{name}: {kind}, from {from}, for {origins}"))
    }

    /// The secrets a text names; none if they are not all known.
    pub fn named(&self, text: &str) -> Result<Vec<String>, ToolError> {
        let names = place::names_in(text)?;
        names.iter().try_for_each(|name| self.rule(name).map(|_| ()))?;
        Ok(names)
    }

    /// Whether documents of an origin may have all of them.
    pub(crate) fn may_enter(&self, names: &[String], origin: &str) -> bool {
        let Ok(origin) = Url::parse(origin) else { return false };
        let may = |name: &String| self.rules.get(name).is_some_and(|rule| rule.may_enter(&origin));
        !names.is_empty() && names.iter().all(may)
    }

    /// Fills the values in.
    pub(crate) async fn fill(
        &self,
        text: &str,
        names: &[String],
    ) -> Result<SecretString, ToolError> {
        let mut filled = text.to_owned();
        for name in names {
            let value = self.value(name).await?;
            let next = filled.replace(&crate::redact::mark(name), value.expose_secret());
            drop(SecretString::from(std::mem::replace(&mut filled, next)));
        }
        Ok(filled.into())
    }

    fn rule(&self, name: &str) -> Result<&SecretRule, ToolError> {
        self.rules.get(name).ok_or_else(|| {
            let known = self.rules.keys().cloned().collect::<Vec<_>>().join(", ");
            let error = ToolError::new(Code::NotFound, format!("there is no secret {name:?}"));
            error.with_hint(match known.is_empty() {
                true => "the policy has no [secrets.NAME]; a person has to add it".to_owned(),
                false => format!("there are: {known}"),
            })
        })
    }

    /// What is entered for a name: the value, or the code of this moment. Whatever is read is masked
    /// from now on.
    async fn value(&self, name: &str) -> Result<SecretString, ToolError> {
        let rule = self.rule(name)?;
        let failed = |reason: String| {
            ToolError::new(Code::FileError, format!("the secret {name:?} cannot be read: {reason}"))
        };
        let value = match self.kept(name) {
            Some(value) => value,
            None => read(&rule.from).await.map_err(failed)?,
        };
        if is_too_short(value.expose_secret()) {
            let reason = "it is shorter than 4 characters, which could not be masked";
            return Err(failed(reason.to_owned()));
        }
        self.redactor.learn(name, value.expose_secret(), false);
        if is_slow(&rule.from) {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.entry(name.to_owned()).or_insert_with(|| (Instant::now(), value.clone()));
        }
        if !rule.totp {
            return Ok(value);
        }
        let totp = Totp::parse(value.expose_secret()).map_err(failed)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let code = totp.code(now.as_secs());
        self.redactor.learn(name, code.expose_secret(), true);
        Ok(code)
    }

    fn kept(&self, name: &str) -> Option<SecretString> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|_, (since, _)| since.elapsed() < KEPT);
        kept.get(name).map(|(_, value)| value.clone())
    }
}

impl fmt::Debug for Vault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Vault").field(&self.rules).finish()
    }
}

#[cfg(test)]
mod tests;
