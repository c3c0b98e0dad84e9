//! What holds in a host at this moment: rules, secrets, files. All of it is exchanged at once, and whoever
//! asks, asks for what holds now: the path of a call, and the guard of browsers that live through the change.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use legwork_engine::{Guard, Refused, SessionOptions, Terms, Wanted};
use legwork_protocol::ToolError;

use crate::files::Jail;
use crate::policy::Rules;
use crate::redact::Redactor;
use crate::secrets::Vault;

/// Rules, and what goes with them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Law {
    pub(crate) rules: Arc<Rules>,
    pub(crate) vault: Arc<Vault>,
    pub(crate) jail: Arc<Jail>,
}

impl Law {
    /// The law by the text of a policy. Values that were ever read stay masked, whatever it says.
    pub(crate) fn read(policy: &str, redactor: &Redactor) -> Result<Law, ToolError> {
        let rules = Rules::parse(policy).map_err(|error| unusable(&error))?;
        if rules.downloads().folder.is_some() {
            return Err(unusable(&"a running browser cannot be told where downloads go"));
        }
        let vault = Vault::masking(rules.secrets().clone(), redactor.clone())
            .map_err(|reason| unusable(&reason))?;
        let jail = Jail::from(rules.uploads());
        Ok(Law { rules: Arc::new(rules), vault: Arc::new(vault), jail: Arc::new(jail) })
    }

    /// What its rules say of downloads and permissions.
    pub(crate) fn terms(&self) -> Terms {
        let keeping = self.rules.downloads().keeping();
        Terms { keeping, permissions: self.rules.permissions() }
    }

    /// Options of a session that has to keep to these terms.
    pub(crate) fn bind(&self, options: SessionOptions) -> SessionOptions {
        let Terms { keeping, permissions } = self.terms();
        SessionOptions { keeping, permissions, ..options }
    }
}

/// The law in force. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct InForce {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    law: RwLock<Arc<Law>>,
    /// It was exchanged, and may be again.
    changes: AtomicBool,
}

impl InForce {
    pub(crate) fn new(law: Law) -> InForce {
        let law = RwLock::new(Arc::new(law));
        InForce { inner: Arc::new(Inner { law, changes: AtomicBool::new(false) }) }
    }

    pub(crate) fn now(&self) -> Arc<Law> {
        self.inner.law.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// From here on the law may be exchanged, so that sessions have to be guarded for whatever it will say.
    pub(crate) fn will_change(&self) {
        self.inner.changes.store(true, Ordering::SeqCst);
    }

    pub(crate) fn exchange(&self, law: Law) {
        *self.inner.law.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(law);
    }

    /// What guards sessions by it; none where nothing is restricted and nothing will be.
    pub(crate) fn guard(&self) -> Option<Arc<dyn Guard>> {
        let guarded = self.changes() || self.now().rules.guard().is_some();
        guarded.then(|| Arc::new(self.clone()) as Arc<dyn Guard>)
    }

    fn changes(&self) -> bool {
        self.inner.changes.load(Ordering::SeqCst)
    }

    fn ask(&self, what: impl FnOnce(&dyn Guard) -> Result<(), Refused>) -> Result<(), Refused> {
        match self.now().rules.guard() {
            Some(guard) => what(&*guard),
            None => Ok(()),
        }
    }
}

impl Guard for InForce {
    fn host(&self, host: &str, port: u16) -> Result<(), Refused> {
        self.ask(|guard| guard.host(host, port))
    }

    fn address(&self, host: &str, address: IpAddr, port: u16) -> Result<(), Refused> {
        self.ask(|guard| guard.address(host, address, port))
    }

    fn request(&self, request: &Wanted<'_>) -> Result<(), Refused> {
        self.ask(|guard| guard.request(request))
    }

    fn reads_addresses(&self) -> bool {
        self.changes() || self.now().rules.guard().is_some_and(|guard| guard.reads_addresses())
    }
}

fn unusable(reason: &dyn std::fmt::Display) -> ToolError {
    ToolError::invalid(format!("the policy cannot be used: {reason}"))
        .with_hint("the one before it stays in force")
}
