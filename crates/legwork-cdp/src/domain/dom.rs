//! `DOM`: nodes as the browser knows them, beyond what a script in the page can see.

use crate::id::{BackendNodeId, ExecutionContextId, FrameId, NodeId, ObjectId};
use crate::runtime::RemoteObject;

protocol! { "DOM";
    command Enable = "enable" {}

    command DescribeNode = "describeNode" {
        node_id?: NodeId,
        backend_node_id?: BackendNodeId,
        object_id?: ObjectId,
        depth?: i64,
        pierce?: bool,
    }
        -> DescribeNodeReply { node: Node }

    command ResolveNode = "resolveNode" {
        node_id?: NodeId,
        backend_node_id?: BackendNodeId,
        object_group?: String,
        execution_context_id?: ExecutionContextId,
    }
        -> ResolveNodeReply { object: RemoteObject }

    command GetFrameOwner = "getFrameOwner" { frame_id: FrameId }
        -> GetFrameOwnerReply { backend_node_id: BackendNodeId, node_id?: NodeId }

    command SetFileInputFiles = "setFileInputFiles" {
        files: Vec<String>,
        node_id?: NodeId,
        backend_node_id?: BackendNodeId,
        object_id?: ObjectId,
    }

    type Rgba = "RGBA" { r: i64, g: i64, b: i64, a?: f64 }

    type Node = "Node" {
        node_id: NodeId,
        parent_id?: NodeId,
        backend_node_id: BackendNodeId,
        node_type: i64,
        node_name: String,
        local_name: String,
        node_value: String,
        child_node_count?: i64,
        children?: Vec<Node>,
        attributes?: Vec<String>,
        document_url as "documentURL"?: String,
        name?: String,
        value?: String,
        pseudo_type?: String,
        shadow_root_type?: String,
        frame_id?: FrameId,
        content_document?: Box<Node>,
        shadow_roots?: Vec<Node>,
        template_content?: Box<Node>,
        pseudo_elements?: Vec<Node>,
        is_svg as "isSVG"?: bool,
    }
}
