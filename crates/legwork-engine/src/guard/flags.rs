//! How a Chrome of ours is started for guarded sessions: it finds nothing on the network but their proxies.

use super::Fence;
use crate::launch::Launch;

/// The proxy's name in browsers of ours, and the only one they can look up.
pub(super) const PROXY_NAME: &str = "legwork-guard.invalid";

/// Not even what is on this machine is reached around the proxy.
pub(crate) const NO_BYPASS: &str = "<-loopback>";

/// UDP does not go through a proxy: WebRTC may use TCP through it, QUIC is off. No name can be looked up but
/// the proxy's, nor an address be connected to, so that what does not ask the proxy gets nowhere.
pub(crate) fn guarded() -> [String; 4] {
    [
        "--disable-quic".to_owned(),
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp".to_owned(),
        "--webrtc-ip-handling-policy=disable_non_proxied_udp".to_owned(),
        format!("--host-resolver-rules=MAP {PROXY_NAME} 127.0.0.1,MAP * ~NOTFOUND"),
    ]
}

/// A profile's own context is told of the proxy when the browser starts.
pub(crate) fn behind(launch: &Launch, fence: Option<&Fence>) -> Launch {
    let mut launch = launch.clone();
    let proxy = fence.and_then(Fence::proxy_server);
    if let Some(proxy) = proxy.filter(|_| launch.user_data_dir.is_some()) {
        launch.args.push(format!("--proxy-server={proxy}"));
        launch.args.push(format!("--proxy-bypass-list={NO_BYPASS}"));
    }
    launch
}

/// The argument that would lead a guarded browser around its proxy, if one does.
pub(crate) fn leads_around(launch: &Launch) -> Option<&str> {
    let loose = |arg: &&String| {
        let name = arg.split('=').next().unwrap_or_default();
        AROUND.contains(&name) || name.starts_with("--proxy-")
    };
    launch.args.iter().filter(|_| launch.guarded).find(loose).map(String::as_str)
}

/// What takes precedence over a proxy or a rule for names, or opens connections of its own.
const AROUND: &[&str] = &[
    "--no-proxy-server",
    "--host-resolver-rules",
    "--host-rules",
    "--enable-quic",
    "--origin-to-force-quic-on",
    "--force-webrtc-ip-handling-policy",
    "--webrtc-ip-handling-policy",
    "--remote-debugging-port",
    "--remote-debugging-address",
];
