//! What those can do who set an agent to work: change the rules, keep sessions side by side, show a person
//! what is going on. Agents are handed a [`ToolHost`](legwork_protocol::ToolHost), which has none of it.

use std::sync::Arc;

use futures_util::future::join_all;
use legwork_engine::{Guarded, Session};
use legwork_protocol::{Blocked, Boxed, Code, ToolError, Warden};
use sha2::{Digest as _, Sha256};
use tokio::sync::RwLockWriteGuard;

use crate::audit::{Ending, Entry, Record};
use crate::desk::Desk;
use crate::host::Host;
use crate::in_force::Law;

impl Warden for Host {
    fn govern<'a>(&'a self, policy: &'a str) -> Boxed<'a, Result<(), ToolError>> {
        let (host, policy) = (self.clone(), policy.to_owned());
        Box::pin(async move {
            // Seen through to its end, also if the caller does not wait for it: half a change is none.
            let change = tokio::spawn(async move { host.recorded_change(&policy).await });
            change.await.map_err(|error| ToolError::new(Code::Internal, error.to_string()))?
        })
    }

    fn beside<'a>(&'a self, session: &'a str, of: &'a str) -> Boxed<'a, Result<(), ToolError>> {
        Box::pin(async move {
            let _phase = self.phase().read().await;
            match self.desk_beside(session, of).filter(|_| session != of) {
                Some(_) => Ok(()),
                None => Err(ToolError::invalid(format!(
                    "there is a session {session:?} already, and it is not one beside {of:?}"
                ))),
            }
        })
    }

    fn banner<'a>(&'a self, session: &'a str, text: &'a str) -> Boxed<'a, Result<(), ToolError>> {
        Box::pin(async move {
            let desk = self.desk(session);
            // It is for a person's eyes, and yet no place for a secret.
            desk.banner(&self.redactor().mask(text)).await;
            Ok(())
        })
    }

    fn blocked(&self) -> Vec<Blocked> {
        let told = |one: legwork_engine::Blocked| Blocked {
            host: one.host,
            url: one.url,
            kind: one.kind,
            page: one.page,
            rule: one.rule,
        };
        self.take_blocked().into_iter().map(told).collect()
    }
}

impl Host {
    /// Changes the law, and records that it was.
    async fn recorded_change(&self, policy: &str) -> Result<(), ToolError> {
        let (session, door, tool) = ("*".to_owned(), "warden".to_owned(), "govern".to_owned());
        let record = Record::open(self.audit(), Entry { session, door, client: None, tool })?;
        let law = match Law::read(policy, self.redactor()) {
            Ok(law) => law,
            Err(error) => {
                let error = self.redactor().error(error);
                record.close(Ending::Failed(error.code), &error.told());
                return Err(error);
            }
        };
        let told = told(&law);
        self.change(law).await;
        record.close(Ending::Answered, &told);
        Ok(())
    }

    async fn change(&self, law: Law) {
        let _alone = self.alone().await;
        let desks = self.all_desks();
        self.close_unguarded(&desks).await;
        // What a page opens and nobody is known to have opened is the first session's: it is left last.
        let is_beside = |desk: &&Arc<Desk>| desk.open_session().is_some_and(|one| one.is_beside());
        let (beside, first): (Vec<_>, Vec<_>) = desks.iter().partition(is_beside);
        join_all(beside.iter().map(|desk| desk.leave_pages())).await;
        join_all(first.iter().map(|desk| desk.leave_pages())).await;
        let terms = law.terms();
        self.law().exchange(law);
        let open: Vec<Session> = desks.iter().filter_map(|desk| desk.open_session()).collect();
        join_all(open.iter().map(|session| session.comply(terms.clone()))).await;
    }

    /// Waits until no call runs; those that do are stopped. New ones wait.
    async fn alone(&self) -> RwLockWriteGuard<'_, ()> {
        let stop = async {
            // Whoever asks for the phase from here on waits behind us, so that none is missed.
            self.stop(None);
            std::future::pending::<RwLockWriteGuard<'_, ()>>().await
        };
        tokio::select! {
            biased;
            alone = self.phase().write() => alone,
            never = stop => never,
        }
    }

    /// Ends the sessions that were begun when nobody was to change the law: they are not guarded for
    /// whatever it will say.
    async fn close_unguarded(&self, desks: &[Arc<Desk>]) {
        let whole = [Guarded::ProxyAndInterception, Guarded::Interception];
        let open = desks.iter().filter_map(|desk| desk.open_session());
        let unguarded: Vec<_> =
            open.filter(|session| !whole.contains(&session.guarded())).collect();
        self.law().will_change();
        for session in unguarded {
            self.close_session(&session).await;
        }
    }
}

/// What the record says of a law: enough to tell whether a policy at hand is the one, and nothing that a
/// policy may hold in confidence.
fn told(law: &Law) -> String {
    let text = law.rules.text();
    let digest: String =
        Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    let (preset, secrets) = (law.rules.starts_from().name, law.rules.secrets());
    let secrets: Vec<&str> = secrets.keys().map(String::as_str).collect();
    format!("in force: preset {preset}, sha256 {digest}, secrets [{}]", secrets.join(", "))
}
