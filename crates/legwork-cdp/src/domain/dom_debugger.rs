//! `DOMDebugger`: the event listeners of an object.

use crate::id::{BackendNodeId, ObjectId, ScriptId};
use crate::runtime::RemoteObject;

protocol! { "DOMDebugger";
    command GetEventListeners = "getEventListeners" {
        object_id: ObjectId,
        depth?: i64,
        pierce?: bool,
    }
        -> GetEventListenersReply { listeners: Vec<EventListener> }

    type EventListener = "EventListener" {
        kind as "type": String,
        use_capture: bool,
        passive: bool,
        once: bool,
        script_id: ScriptId,
        line_number: i64,
        column_number: i64,
        handler?: RemoteObject,
        original_handler?: RemoteObject,
        backend_node_id?: BackendNodeId,
    }
}
