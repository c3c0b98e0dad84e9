//! How a Chrome of ours is started for guarded sessions: it finds nothing on the network but their proxies.

use super::Fence;
use crate::launch::Launch;

/// The proxy's name in browsers of ours, and the only one they can look up.
pub(super) const PROXY_NAME: &str = "legwork-guard.invalid";

/// Not even what is on this machine is reached around the proxy.
pub(crate) const NO_BYPASS: &str = "<-loopback>";

/// Adds what a guarded browser is started with; it goes last, since the last of two switches counts.
///
/// UDP does not go through a proxy: WebRTC may use TCP through it, QUIC is off. No name can be looked up but
/// the proxy's, nor an address be connected to, so that what does not ask the proxy gets nowhere.
pub(crate) fn guard(args: &mut Vec<String>) {
    for (switch, ours) in SERVICES {
        let said = args.iter().rev().find_map(|arg| arg.strip_prefix(switch));
        let list = said.map_or_else(|| (*ours).to_owned(), |said| format!("{ours},{said}"));
        args.push(format!("{switch}{list}"));
    }
    args.extend([
        "--disable-quic".to_owned(),
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp".to_owned(),
        "--webrtc-ip-handling-policy=disable_non_proxied_udp".to_owned(),
        format!("--host-resolver-rules=MAP {PROXY_NAME} 127.0.0.1,MAP * ~NOTFOUND"),
    ]);
}

/// What the browser itself asks for on behalf of a page is outside every target, so that interception does
/// not see it, and under TLS the proxy sees no path: reports, manifests of payment methods and of sign-in
/// providers, downloads in the background. These are off. Pages that are fetched ahead of need have no
/// switch of their own, but a queue, and of that none may start.
const SERVICES: &[(&str, &str)] = &[
    ("--disable-features=", "Reporting,NetworkErrorLogging,WebPayments,FedCm"),
    ("--disable-blink-features=", "BackgroundFetch"),
    (
        "--enable-features=",
        "PrefetchSchedulerTesting:kPrefetchSchedulerTestingActiveSetSizeLimitForBase/0/kPrefetchSchedulerTestingActiveSetSizeLimitForBurst/0",
    ),
];

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
    // An extension may set another proxy.
    "--load-extension",
    "--remote-debugging-port",
    "--remote-debugging-address",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_features_are_joined_since_the_last_one_counts() {
        let said = ["--disable-features=A,B", "--disable-features=C", "--enable-features=D"];
        let mut args = said.map(str::to_owned).to_vec();
        guard(&mut args);
        let last = |switch: &str| args.iter().rfind(|arg| arg.starts_with(switch)).cloned();
        let off = last("--disable-features=").unwrap();
        assert!(off.ends_with(",C") && off.contains("FedCm"), "{off}");
        assert!(last("--enable-features=").unwrap().ends_with(",D"), "{args:?}");
        assert_eq!(
            last("--disable-blink-features=").unwrap(),
            "--disable-blink-features=BackgroundFetch"
        );
    }
}
