//! `Fetch`: requests that are stopped, to be let through, answered or failed.

use crate::id::{FrameId, RequestId};
use crate::network::Request;

protocol! { "Fetch";
    command Enable = "enable" { patterns?: Vec<RequestPattern>, handle_auth_requests?: bool }

    command ContinueRequest = "continueRequest" {
        request_id: RequestId,
        url?: String,
        method?: String,
        post_data?: String,
        headers?: Vec<HeaderEntry>,
        intercept_response?: bool,
    }

    command FailRequest = "failRequest" { request_id: RequestId, error_reason: String }

    event RequestPaused = "requestPaused" {
        request_id: RequestId,
        request: Request,
        frame_id: FrameId,
        resource_type: String,
        response_error_reason?: String,
        response_status_code?: i64,
        response_status_text?: String,
        response_headers?: Vec<HeaderEntry>,
        network_id?: RequestId,
        redirected_request_id?: RequestId,
    }

    type RequestPattern = "RequestPattern" {
        url_pattern?: String,
        resource_type?: String,
        request_stage?: String,
    }

    type HeaderEntry = "HeaderEntry" { name: String, value: String }
}
