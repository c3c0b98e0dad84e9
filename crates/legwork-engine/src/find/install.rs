//! The command that installs a browser on this system.

use super::{Platform, System};

/// The install command to show to a user who has no browser.
pub(super) fn command(system: &impl System) -> String {
    let command = match system.platform() {
        Platform::MacOs => "brew install --cask google-chrome",
        Platform::Windows => "winget install Google.Chrome",
        Platform::Linux => linux(&system.os_release().unwrap_or_default()),
    };
    command.to_owned()
}

/// The distribution's own command, else that of the first relative it names that we know.
fn linux(os_release: &str) -> &'static str {
    let own = field(os_release, "ID").to_ascii_lowercase();
    if let Some(command) = distribution(&own) {
        return command;
    }
    let relatives = field(os_release, "ID_LIKE").to_ascii_lowercase();
    relatives.split_whitespace().find_map(relative).unwrap_or(UNKNOWN)
}

const UNKNOWN: &str =
    "install the package `chromium` or `google-chrome-stable` with this system's package manager";

fn distribution(id: &str) -> Option<&'static str> {
    Some(match id {
        "debian" => "sudo apt-get install chromium chromium-headless-shell",
        // Ubuntu has Chromium only as a snap, which has a /tmp of its own and cannot read hidden folders.
        "ubuntu" => {
            "wget https://dl.google.com/linux/direct/google-chrome-stable_current_amd64.deb && \
             sudo apt-get install ./google-chrome-stable_current_amd64.deb"
        }
        "fedora" => "sudo dnf install chromium chromium-headless",
        // Red Hat and its rebuilds carry Chromium in the extra repository EPEL.
        "rhel" | "centos" | "rocky" | "almalinux" => {
            "sudo dnf install epel-release && sudo dnf install chromium"
        }
        "arch" => "sudo pacman -S chromium",
        "alpine" => "apk add chromium",
        "opensuse" | "suse" | "opensuse-leap" | "opensuse-tumbleweed" => {
            "sudo zypper install chromium"
        }
        "void" => "sudo xbps-install chromium",
        "nixos" => "nix-env -iA nixos.chromium",
        _ => return None,
    })
}

/// A distribution that only resembles Debian or Ubuntu has apt, but need not have the headless
/// shell as a package of its own.
fn relative(id: &str) -> Option<&'static str> {
    match id {
        "debian" | "ubuntu" => Some("sudo apt-get install chromium"),
        other => distribution(other),
    }
}

fn field<'a>(os_release: &'a str, name: &str) -> &'a str {
    let values = os_release.lines().filter_map(|line| line.trim().split_once('='));
    let mut values = values.filter(|(key, _)| *key == name).map(|(_, value)| value);
    values.next().unwrap_or_default().trim_matches(['"', '\''])
}
