//! `Browser`: the browser as a whole: its version, its downloads, its permissions.

use crate::id::{BrowserContextId, FrameId};

protocol! { "Browser";
    command GetVersion = "getVersion" {}
        -> GetVersionReply {
            protocol_version: String,
            product: String,
            revision: String,
            user_agent: String,
            js_version: String,
        }

    command Close = "close" {}

    command SetDownloadBehavior = "setDownloadBehavior" {
        behavior: String,
        browser_context_id?: BrowserContextId,
        download_path?: String,
        events_enabled?: bool,
    }

    command CancelDownload = "cancelDownload" {
        guid: String,
        browser_context_id?: BrowserContextId,
    }

    command SetPermission = "setPermission" {
        permission: PermissionDescriptor,
        setting: String,
        origin?: String,
        browser_context_id?: BrowserContextId,
    }

    command ResetPermissions = "resetPermissions" { browser_context_id?: BrowserContextId }

    type PermissionDescriptor = "PermissionDescriptor" { name: String }

    event DownloadWillBegin = "downloadWillBegin" {
        frame_id: FrameId,
        guid: String,
        url: String,
        suggested_filename: String,
    }

    event DownloadProgress = "downloadProgress" {
        guid: String,
        total_bytes: f64,
        received_bytes: f64,
        state: String,
        file_path?: String,
    }
}
