//! Arguments for looking under the page: scripts, console, network, workers, files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::common::Span;

/// Runs JavaScript in the page and gives its value as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Eval {
    /// JavaScript to evaluate
    pub expression: String,
    /// Default 15s
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Span>,
    /// Await promises; default true
    #[serde(default, rename = "await", skip_serializing_if = "Option::is_none")]
    pub await_promise: Option<bool>,
}

/// The last console messages and errors of page and workers, as JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecentConsoleLogs {
    /// Default 100
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// Where the page's resources came from: network, service worker, disk or memory cache.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetNetworkSources {
    /// Requests to list; default 50
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Only addresses that contain this
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// Takes the page off the network, or back on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetOffline {
    /// Off or on
    pub offline: bool,
}

/// Reads a picture from a file: PNG, JPEG, GIF, WebP or HEIC.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadImage {
    /// Path to image file
    pub path: String,
    /// Default 15s
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Span>,
}

macro_rules! without_arguments {
    ($($(#[$about:meta])* $name:ident;)*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {}
    )*};
}

without_arguments! {
    /// Empties the console buffer.
    ClearConsoleLogs;
    /// Service workers of the page's origin: registered, active, controlling.
    GetServiceWorkers;
    /// Files the page has downloaded, and where they are.
    Downloads;
}
