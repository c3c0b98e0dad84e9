//! Where installers put browsers, and what the programs are called in `PATH`.

use super::{Kind, Platform, System};

/// The names under which a kind of browser is found in `PATH`, best first.
pub(super) fn names(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::HeadlessShell => &["chrome-headless-shell", "chromium-headless-shell"],
        Kind::Full => &[
            "google-chrome",
            "google-chrome-stable",
            "chromium",
            "chromium-browser",
            "chrome",
            "msedge",
            "microsoft-edge",
        ],
    }
}

/// The places where a kind of browser is installed on this platform, best first.
pub(super) fn well_known(system: &impl System, kind: Kind) -> Vec<String> {
    match (system.platform(), kind) {
        (Platform::Linux, Kind::HeadlessShell) => owned(LINUX_SHELLS),
        (Platform::Linux, Kind::Full) => owned(LINUX),
        (Platform::MacOs, Kind::HeadlessShell) => owned(MACOS_SHELLS),
        (Platform::MacOs, Kind::Full) => macos(system),
        (Platform::Windows, Kind::HeadlessShell) => windows(system, WINDOWS_SHELLS),
        (Platform::Windows, Kind::Full) => windows(system, WINDOWS),
    }
}

const LINUX_SHELLS: &[&str] = &[
    "/usr/bin/chrome-headless-shell",
    "/usr/bin/chromium-headless-shell",
    "/usr/local/bin/chrome-headless-shell",
    "/opt/chrome-headless-shell/chrome-headless-shell",
    "/usr/lib/chromium/chromium-headless-shell",
    "/usr/lib64/chromium-browser/headless_shell",
];

const LINUX: &[&str] = &[
    "/usr/bin/google-chrome-stable",
    "/usr/bin/google-chrome",
    "/opt/google/chrome/chrome",
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/lib/chromium/chromium",
    "/usr/lib/chromium-browser/chromium-browser",
    "/usr/lib64/chromium-browser/chromium-browser",
    "/snap/bin/chromium",
    "/usr/bin/microsoft-edge-stable",
    "/usr/bin/microsoft-edge",
    "/opt/microsoft/msedge/msedge",
];

const MACOS_SHELLS: &[&str] =
    &["/opt/homebrew/bin/chrome-headless-shell", "/usr/local/bin/chrome-headless-shell"];

const MACOS: &[&str] = &[
    "Google Chrome.app/Contents/MacOS/Google Chrome",
    "Chromium.app/Contents/MacOS/Chromium",
    "Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
];

const WINDOWS_SHELLS: &[&str] = &[r"chrome-headless-shell\chrome-headless-shell.exe"];

const WINDOWS: &[&str] = &[
    r"Google\Chrome\Application\chrome.exe",
    r"Chromium\Application\chrome.exe",
    r"Microsoft\Edge\Application\msedge.exe",
];

fn owned(places: &[&str]) -> Vec<String> {
    places.iter().map(|place| (*place).to_owned()).collect()
}

/// Applications for everybody before those of the user, and Chrome in either before Chromium.
fn macos(system: &impl System) -> Vec<String> {
    let home = system.variable("HOME").filter(|home| !home.is_empty());
    let mut folders = vec!["/Applications".to_owned()];
    folders.extend(home.map(|home| format!("{}/Applications", home.trim_end_matches('/'))));
    product(MACOS, &folders, '/')
}

fn windows(system: &impl System, products: &[&str]) -> Vec<String> {
    let variables = ["ProgramFiles", "ProgramFiles(x86)", "LocalAppData"];
    let folders = variables.iter().filter_map(|name| system.variable(name));
    let folders = folders.filter(|folder| !folder.is_empty());
    let folders: Vec<String> =
        folders.map(|folder| folder.trim_end_matches('\\').to_owned()).collect();
    product(products, &folders, '\\')
}

fn product(products: &[&str], folders: &[String], separator: char) -> Vec<String> {
    let in_folders = |product: &&str| {
        let product = product.to_string();
        folders.iter().map(move |folder| format!("{folder}{separator}{product}"))
    };
    products.iter().flat_map(in_folders).collect()
}
