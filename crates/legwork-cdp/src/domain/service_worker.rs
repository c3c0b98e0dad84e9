//! `ServiceWorker`: service workers: their registrations, versions and errors.

use crate::id::TargetId;

protocol! { "ServiceWorker";
    command Enable = "enable" {}

    command StopAllWorkers = "stopAllWorkers" {}

    event WorkerRegistrationUpdated = "workerRegistrationUpdated" {
        registrations: Vec<ServiceWorkerRegistration>,
    }

    event WorkerVersionUpdated = "workerVersionUpdated" { versions: Vec<ServiceWorkerVersion> }

    type ServiceWorkerRegistration = "ServiceWorkerRegistration" {
        registration_id: String,
        scope_url as "scopeURL": String,
        is_deleted: bool,
    }

    type ServiceWorkerVersion = "ServiceWorkerVersion" {
        version_id: String,
        registration_id: String,
        script_url as "scriptURL": String,
        running_status: String,
        status: String,
        script_last_modified?: f64,
        script_response_time?: f64,
        controlled_clients?: Vec<TargetId>,
        target_id?: TargetId,
        router_rules?: String,
    }
}
