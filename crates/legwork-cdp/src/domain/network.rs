//! `Network`: what a page loads.

use std::collections::BTreeMap;

use crate::id::{FrameId, LoaderId, RequestId};
use crate::runtime::StackTrace;

protocol! { "Network";
    command Enable = "enable" {
        max_total_buffer_size?: i64,
        max_resource_buffer_size?: i64,
        max_post_data_size?: i64,
        report_direct_socket_traffic?: bool,
        enable_durable_messages?: bool,
    }

    command EmulateNetworkConditions = "emulateNetworkConditions" {
        offline: bool,
        latency: f64,
        download_throughput: f64,
        upload_throughput: f64,
        connection_type?: String,
        packet_loss?: f64,
        packet_queue_length?: i64,
        packet_reordering?: bool,
    }

    event RequestWillBeSent = "requestWillBeSent" {
        request_id: RequestId,
        loader_id: LoaderId,
        document_url as "documentURL": String,
        request: Request,
        timestamp: f64,
        wall_time: f64,
        initiator: Initiator,
        redirect_response?: Response,
        kind as "type"?: String,
        frame_id?: FrameId,
        has_user_gesture?: bool,
    }

    event ResponseReceived = "responseReceived" {
        request_id: RequestId,
        loader_id: LoaderId,
        timestamp: f64,
        kind as "type": String,
        response: Response,
        frame_id?: FrameId,
    }

    event LoadingFinished = "loadingFinished" {
        request_id: RequestId,
        timestamp: f64,
        encoded_data_length: f64,
        encoded_body_length?: f64,
    }

    event LoadingFailed = "loadingFailed" {
        request_id: RequestId,
        timestamp: f64,
        kind as "type": String,
        error_text: String,
        canceled?: bool,
        blocked_reason?: String,
    }

    event RequestServedFromCache = "requestServedFromCache" { request_id: RequestId }

    event WebSocketCreated = "webSocketCreated" {
        request_id: RequestId,
        url: String,
        initiator?: Initiator,
    }

    event WebSocketClosed = "webSocketClosed" { request_id: RequestId, timestamp: f64 }

    type Request = "Request" {
        url: String,
        url_fragment?: String,
        method: String,
        headers: BTreeMap<String, String>,
        has_post_data?: bool,
    }

    type Response = "Response" {
        url: String,
        status: i64,
        status_text: String,
        headers: BTreeMap<String, String>,
        mime_type: String,
        request_headers?: BTreeMap<String, String>,
        remote_ip_address as "remoteIPAddress"?: String,
        remote_port?: i64,
        from_disk_cache?: bool,
        from_service_worker?: bool,
        from_prefetch_cache?: bool,
        encoded_data_length: f64,
        response_time?: f64,
        protocol?: String,
    }

    type Initiator = "Initiator" {
        kind as "type": String,
        stack?: StackTrace,
        url?: String,
        line_number?: f64,
        column_number?: f64,
        request_id?: RequestId,
    }
}
