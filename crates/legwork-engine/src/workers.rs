//! Service workers as the browser reports them: registered, active, controlling.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

use legwork_cdp::{RawEvent, TargetId, service_worker as cdp};

/// One service worker version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceWorker {
    /// The part of the site it serves.
    pub scope: String,
    /// Its script.
    pub script: String,
    /// new, installing, installed, activating, activated or redundant.
    pub status: String,
    /// stopped, starting, running or stopping.
    pub running: String,
    /// How many pages it controls.
    pub controls: usize,
    controlled: Vec<TargetId>,
}

impl ServiceWorker {
    pub(crate) fn controls_target(&self, target: &TargetId) -> bool {
        self.controlled.contains(target)
    }
}

#[derive(Default)]
struct Inner {
    scopes: HashMap<String, String>,
    versions: HashMap<String, cdp::ServiceWorkerVersion>,
}

/// What is known of the browser's service workers.
#[derive(Default)]
pub(crate) struct Workers(Mutex<Inner>);

impl Workers {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub(crate) fn apply(&self, event: RawEvent<'_>) {
        match event.method {
            "ServiceWorker.workerRegistrationUpdated" => {
                let Some(update) = event.parse::<cdp::WorkerRegistrationUpdated>() else { return };
                let mut inner = self.inner();
                for registration in update.registrations {
                    if registration.is_deleted {
                        inner.scopes.remove(&registration.registration_id);
                    } else {
                        inner.scopes.insert(registration.registration_id, registration.scope_url);
                    }
                }
            }
            "ServiceWorker.workerVersionUpdated" => {
                let Some(update) = event.parse::<cdp::WorkerVersionUpdated>() else { return };
                let mut inner = self.inner();
                for version in update.versions {
                    inner.versions.insert(version.version_id.clone(), version);
                }
            }
            _ => {}
        }
    }

    /// The living versions of every registration under that origin.
    pub(crate) fn of_origin(&self, origin: &str) -> Vec<ServiceWorker> {
        let inner = self.inner();
        let mut found: Vec<ServiceWorker> = inner
            .versions
            .values()
            .filter(|version| version.status != "redundant")
            .filter_map(|version| {
                let scope = inner.scopes.get(&version.registration_id)?;
                let controlled = version.controlled_clients.clone().unwrap_or_default();
                scope.starts_with(origin).then(|| ServiceWorker {
                    scope: scope.clone(),
                    script: version.script_url.clone(),
                    status: version.status.clone(),
                    running: version.running_status.clone(),
                    controls: controlled.len(),
                    controlled,
                })
            })
            .collect();
        found.sort_by(|a, b| (&a.scope, &a.script).cmp(&(&b.scope, &b.script)));
        found
    }
}
