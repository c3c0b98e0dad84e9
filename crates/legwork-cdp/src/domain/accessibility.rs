//! `Accessibility`: Chrome's own accessibility tree.

use serde_json::value::RawValue;

use crate::id::{BackendNodeId, FrameId};

protocol! { "Accessibility";
    command Enable = "enable" {}

    command Disable = "disable" {}

    command GetFullAxTree = "getFullAXTree" { depth?: i64, frame_id?: FrameId }
        -> GetFullAxTreeReply { nodes: Vec<AxNode> }

    type AxNode = "AXNode" {
        node_id: String,
        ignored: bool,
        ignored_reasons?: Vec<AxProperty>,
        role?: AxValue,
        chrome_role?: AxValue,
        name?: AxValue,
        description?: AxValue,
        value?: AxValue,
        properties?: Vec<AxProperty>,
        parent_id?: String,
        child_ids?: Vec<String>,
        backend_dom_node_id as "backendDOMNodeId"?: BackendNodeId,
        frame_id?: FrameId,
    }

    type AxValue = "AXValue" {
        kind as "type": String,
        #[serde(deserialize_with = "crate::protocol::present")]
        value?: Box<RawValue>,
        related_nodes?: Vec<AxRelatedNode>,
    }

    type AxProperty = "AXProperty" { name: String, value: AxValue }

    type AxRelatedNode = "AXRelatedNode" {
        backend_dom_node_id as "backendDOMNodeId": BackendNodeId,
        idref?: String,
        text?: String,
    }
}
