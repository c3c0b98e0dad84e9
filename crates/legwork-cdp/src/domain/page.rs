//! `Page`: a page and its frames: navigation, lifecycle, dialogs, screenshots.

use crate::id::{BackendNodeId, FrameId, LoaderId, ScriptId};
use crate::runtime::StackTrace;

protocol! { "Page";
    command Enable = "enable" { enable_file_chooser_opened_event?: bool }

    command Navigate = "navigate" {
        url: String,
        referrer?: String,
        transition_type?: String,
        frame_id?: FrameId,
        referrer_policy?: String,
    }
        -> NavigateReply {
            frame_id: FrameId,
            loader_id?: LoaderId,
            error_text?: String,
            is_download?: bool,
        }

    command Reload = "reload" {
        ignore_cache?: bool,
        script_to_evaluate_on_load?: String,
        loader_id?: LoaderId,
    }

    command StopLoading = "stopLoading" {}

    command BringToFront = "bringToFront" {}

    command GetNavigationHistory = "getNavigationHistory" {}
        -> GetNavigationHistoryReply { current_index: i64, entries: Vec<NavigationEntry> }

    command NavigateToHistoryEntry = "navigateToHistoryEntry" { entry_id: i64 }

    command GetFrameTree = "getFrameTree" {}
        -> GetFrameTreeReply { frame_tree: FrameTree }

    command AddScriptToEvaluateOnNewDocument = "addScriptToEvaluateOnNewDocument" {
        source: String,
        world_name?: String,
        include_command_line_api as "includeCommandLineAPI"?: bool,
        run_immediately?: bool,
    }
        -> AddScriptToEvaluateOnNewDocumentReply { identifier: ScriptId }

    command RemoveScriptToEvaluateOnNewDocument = "removeScriptToEvaluateOnNewDocument" {
        identifier: ScriptId,
    }

    command CaptureScreenshot = "captureScreenshot" {
        format?: String,
        quality?: i64,
        clip?: Viewport,
        from_surface?: bool,
        capture_beyond_viewport?: bool,
        optimize_for_speed?: bool,
    }
        -> CaptureScreenshotReply { data: String }

    command HandleJavaScriptDialog = "handleJavaScriptDialog" {
        accept: bool,
        prompt_text?: String,
    }

    command SetPrerenderingAllowed = "setPrerenderingAllowed" { is_allowed: bool }

    command SetLifecycleEventsEnabled = "setLifecycleEventsEnabled" { enabled: bool }

    command SetInterceptFileChooserDialog = "setInterceptFileChooserDialog" {
        enabled: bool,
        cancel?: bool,
    }

    event FrameAttached = "frameAttached" {
        frame_id: FrameId,
        parent_frame_id: FrameId,
        stack?: StackTrace,
    }

    event FrameDetached = "frameDetached" { frame_id: FrameId, reason: String }

    event FrameNavigated = "frameNavigated" { frame: Frame, kind as "type": String }

    event NavigatedWithinDocument = "navigatedWithinDocument" {
        frame_id: FrameId,
        url: String,
        navigation_type: String,
    }

    event FrameStartedNavigating = "frameStartedNavigating" {
        frame_id: FrameId,
        url: String,
        loader_id: LoaderId,
        navigation_type: String,
    }

    event FrameRequestedNavigation = "frameRequestedNavigation" {
        frame_id: FrameId,
        reason: String,
        url: String,
        disposition: String,
    }

    event FrameStoppedLoading = "frameStoppedLoading" { frame_id: FrameId }

    event LoadEventFired = "loadEventFired" { timestamp: f64 }

    event LifecycleEvent = "lifecycleEvent" {
        frame_id: FrameId,
        loader_id: LoaderId,
        name: String,
        timestamp: f64,
    }

    event JavascriptDialogOpening = "javascriptDialogOpening" {
        url: String,
        frame_id?: FrameId,
        message: String,
        kind as "type": String,
        has_browser_handler: bool,
        default_prompt?: String,
    }

    event JavascriptDialogClosed = "javascriptDialogClosed" {
        frame_id?: FrameId,
        result: bool,
        user_input: String,
    }

    event FileChooserOpened = "fileChooserOpened" {
        frame_id: FrameId,
        mode: String,
        backend_node_id?: BackendNodeId,
    }

    type Frame = "Frame" {
        id: FrameId,
        parent_id?: FrameId,
        loader_id: LoaderId,
        name?: String,
        url: String,
        url_fragment?: String,
        security_origin: String,
        mime_type: String,
        unreachable_url?: String,
    }

    type FrameTree = "FrameTree" { frame: Frame, child_frames?: Vec<FrameTree> }

    type NavigationEntry = "NavigationEntry" {
        id: i64,
        url: String,
        user_typed_url as "userTypedURL": String,
        title: String,
        transition_type: String,
    }

    type Viewport = "Viewport" { x: f64, y: f64, width: f64, height: f64, scale: f64 }
}
