//! `Log`: what the browser itself has to say about a page.

use crate::id::RequestId;
use crate::runtime::{RemoteObject, StackTrace};

protocol! { "Log";
    command Enable = "enable" {}

    event EntryAdded = "entryAdded" { entry: LogEntry }

    type LogEntry = "LogEntry" {
        source: String,
        level: String,
        text: String,
        category?: String,
        timestamp: f64,
        url?: String,
        line_number?: i64,
        stack_trace?: StackTrace,
        network_request_id?: RequestId,
        worker_id?: String,
        args?: Vec<RemoteObject>,
    }
}
