//! `Target`: what can be attached to, and the browser contexts that hold it.

use crate::id::{BrowserContextId, FrameId, SessionId, TargetId};

protocol! { "Target";
    command SetAutoAttach = "setAutoAttach" {
        auto_attach: bool,
        wait_for_debugger_on_start: bool,
        flatten?: bool,
        filter?: Vec<FilterEntry>,
    }

    command CreateBrowserContext = "createBrowserContext" {
        dispose_on_detach?: bool,
        proxy_server?: String,
        proxy_bypass_list?: String,
        origins_with_universal_network_access?: Vec<String>,
    }
        -> CreateBrowserContextReply { browser_context_id: BrowserContextId }

    command DisposeBrowserContext = "disposeBrowserContext" {
        browser_context_id: BrowserContextId,
    }

    command CreateTarget = "createTarget" {
        url: String,
        left?: i64,
        top?: i64,
        width?: i64,
        height?: i64,
        window_state?: String,
        browser_context_id?: BrowserContextId,
        enable_begin_frame_control?: bool,
        new_window?: bool,
        background?: bool,
        for_tab?: bool,
        hidden?: bool,
        focus?: bool,
    }
        -> CreateTargetReply { target_id: TargetId }

    command CloseTarget = "closeTarget" { target_id: TargetId }

    command AttachToTarget = "attachToTarget" { target_id: TargetId, flatten?: bool }
        -> AttachToTargetReply { session_id: SessionId }

    event AttachedToTarget = "attachedToTarget" {
        session_id: SessionId,
        target_info: TargetInfo,
        waiting_for_debugger: bool,
    }

    event DetachedFromTarget = "detachedFromTarget" { session_id: SessionId }

    type TargetInfo = "TargetInfo" {
        target_id: TargetId,
        kind as "type": String,
        title: String,
        url: String,
        attached: bool,
        parent_id?: TargetId,
        opener_id?: TargetId,
        can_access_opener: bool,
        opener_frame_id?: FrameId,
        parent_frame_id?: FrameId,
        browser_context_id?: BrowserContextId,
        subtype?: String,
    }

    type FilterEntry = "FilterEntry" { exclude?: bool, kind as "type"?: String }
}
