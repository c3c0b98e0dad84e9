use std::collections::HashMap;

use super::*;

/// A machine made up for a test.
struct Machine {
    platform: Platform,
    variables: HashMap<&'static str, &'static str>,
    files: Vec<&'static str>,
    os_release: Option<&'static str>,
}

impl System for Machine {
    fn platform(&self) -> Platform {
        self.platform
    }
    fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(name).map(|value| (*value).to_owned())
    }
    fn is_executable(&self, path: &str) -> bool {
        // Windows does not tell upper from lower case in file names.
        let windows = self.platform == Platform::Windows;
        let same =
            |file: &&str| if windows { file.eq_ignore_ascii_case(path) } else { *file == path };
        self.files.iter().any(same)
    }
    fn os_release(&self) -> Option<String> {
        self.os_release.map(str::to_owned)
    }
}

fn linux(files: &[&'static str]) -> Machine {
    let variables = HashMap::from([("PATH", "/home/me/bin:/usr/bin::/usr/local/bin/")]);
    let os_release = Some("NAME=\"Debian GNU/Linux\"\nID=debian\n");
    Machine { platform: Platform::Linux, variables, files: files.to_vec(), os_release }
}

fn macos(files: &[&'static str]) -> Machine {
    let variables = HashMap::from([("PATH", "/usr/bin:/opt/tools"), ("HOME", "/Users/me")]);
    Machine { platform: Platform::MacOs, variables, files: files.to_vec(), os_release: None }
}

fn windows(files: &[&'static str]) -> Machine {
    let variables = HashMap::from([
        ("PATH", r#"C:\Windows;"D:\my tools\""#),
        ("PATHEXT", ".COM;.EXE;.BAT"),
        ("ProgramFiles", r"C:\Program Files"),
        ("ProgramFiles(x86)", r"C:\Program Files (x86)"),
        ("LocalAppData", r"C:\Users\me\AppData\Local"),
    ]);
    Machine { platform: Platform::Windows, variables, files: files.to_vec(), os_release: None }
}

fn with(mut machine: Machine, name: &'static str, value: &'static str) -> Machine {
    machine.variables.insert(name, value);
    machine
}

fn look(machine: &Machine, explicit: Option<&str>, prefer: Prefer) -> Result<Found, NotFound> {
    find(&Request { explicit: explicit.map(str::to_owned), prefer }, machine)
}

#[track_caller]
fn check(machine: &Machine, prefer: Prefer, path: &str, kind: Kind, how: How) {
    let found = look(machine, None, prefer).expect("a browser is installed");
    assert_eq!(found, Found { path: path.into(), kind, how });
}

const MAC_CHROME: &str = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
const MAC_OWN_CHROME: &str =
    "/Users/me/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
const MAC_CHROMIUM: &str = "/Applications/Chromium.app/Contents/MacOS/Chromium";
const MAC_EDGE: &str = "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge";
const WIN_CHROME: &str = r"C:\Program Files\Google\Chrome\Application\chrome.exe";
const WIN_CHROME_32: &str = r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe";
const WIN_OWN_CHROMIUM: &str = r"C:\Users\me\AppData\Local\Chromium\Application\chrome.exe";
const WIN_EDGE: &str = r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe";

#[test]
fn every_platform_has_its_order_of_places() {
    use How::{Path, WellKnown};
    use Kind::{Full, HeadlessShell as Shell};
    let table: &[(Machine, &str, How)] = &[
        (
            linux(&["/usr/bin/chromium", "/usr/bin/google-chrome-stable"]),
            "/usr/bin/google-chrome-stable",
            WellKnown,
        ),
        (linux(&["/snap/bin/chromium", "/usr/bin/chromium"]), "/usr/bin/chromium", WellKnown),
        (linux(&["/snap/bin/chromium"]), "/snap/bin/chromium", WellKnown),
        (
            linux(&["/home/me/bin/google-chrome", "/usr/bin/chromium"]),
            "/usr/bin/chromium",
            WellKnown,
        ),
        (linux(&["/home/me/bin/chrome"]), "/home/me/bin/chrome", Path),
        (linux(&["/usr/local/bin/msedge"]), "/usr/local/bin/msedge", Path),
        (macos(&[MAC_EDGE, MAC_CHROMIUM, MAC_CHROME]), MAC_CHROME, WellKnown),
        (macos(&[MAC_CHROMIUM, MAC_OWN_CHROME]), MAC_OWN_CHROME, WellKnown),
        (macos(&[MAC_EDGE]), MAC_EDGE, WellKnown),
        (macos(&["/opt/tools/chromium"]), "/opt/tools/chromium", Path),
        (windows(&[WIN_EDGE, WIN_CHROME_32, WIN_CHROME]), WIN_CHROME, WellKnown),
        (windows(&[WIN_EDGE, WIN_OWN_CHROMIUM]), WIN_OWN_CHROMIUM, WellKnown),
        (windows(&[WIN_EDGE]), WIN_EDGE, WellKnown),
        (windows(&[r"D:\my tools\chrome.exe"]), r"D:\my tools\chrome.exe", Path),
        (windows(&[r"D:\my tools\CHROMIUM.EXE"]), r"D:\my tools\chromium.exe", Path),
    ];
    for (machine, path, how) in table {
        check(machine, Prefer::Full, path, Full, *how);
        check(machine, Prefer::HeadlessShell, path, Full, *how);
    }
    let shells: &[(Machine, &str, How)] = &[
        (
            linux(&["/usr/bin/chromium", "/usr/bin/chromium-headless-shell"]),
            "/usr/bin/chromium-headless-shell",
            WellKnown,
        ),
        (
            linux(&["/usr/bin/chromium", "/home/me/bin/chrome-headless-shell"]),
            "/home/me/bin/chrome-headless-shell",
            Path,
        ),
        (
            macos(&[MAC_CHROME, "/opt/homebrew/bin/chrome-headless-shell"]),
            "/opt/homebrew/bin/chrome-headless-shell",
            WellKnown,
        ),
        (
            windows(&[WIN_CHROME, r"D:\my tools\chrome-headless-shell.exe"]),
            r"D:\my tools\chrome-headless-shell.exe",
            Path,
        ),
    ];
    for (machine, path, how) in shells {
        check(machine, Prefer::HeadlessShell, path, Shell, *how);
        for prefer in [Prefer::Full, Prefer::FullFirst] {
            let full = look(machine, None, prefer).expect("a full browser is there too");
            assert_eq!(full.kind, Full);
        }
    }
}

#[test]
fn a_headless_shell_alone_does_not_serve_work_that_needs_windows() {
    let machine = linux(&["/usr/bin/chromium-headless-shell"]);
    let error = look(&machine, None, Prefer::Full).expect_err("there is no full browser");
    assert_eq!(error.reason, Reason::Missing);
    let shell = "/usr/bin/chromium-headless-shell";
    check(&machine, Prefer::FullFirst, shell, Kind::HeadlessShell, How::WellKnown);
    let named = look(&machine, Some(shell), Prefer::FullFirst).expect("it is there");
    assert_eq!(named.kind, Kind::HeadlessShell);
}

#[test]
fn a_configured_browser_comes_before_the_environment_and_all_places() {
    let machine = linux(&["/usr/bin/chromium", "/opt/mine/chrome", "/opt/other/chrome"]);
    let machine = with(machine, VARIABLE, "/opt/other/chrome");
    let found = look(&machine, Some("/opt/mine/chrome"), Prefer::Full).expect("it is there");
    assert_eq!((found.path, found.how), ("/opt/mine/chrome".into(), How::Explicit));
    check(&machine, Prefer::HeadlessShell, "/opt/other/chrome", Kind::Full, How::Environment);
}

#[test]
fn a_configured_name_is_looked_up_in_path() {
    let machine = linux(&["/home/me/bin/my-chrome"]);
    let found = look(&machine, Some("my-chrome"), Prefer::Full).expect("it is in PATH");
    assert_eq!((found.path, found.how), ("/home/me/bin/my-chrome".into(), How::Explicit));
    let machine = windows(&[WIN_CHROME]);
    let without_ending = WIN_CHROME.trim_end_matches(".exe");
    let found = look(&machine, Some(without_ending), Prefer::Full).expect("it is there");
    assert_eq!(found.path, PathBuf::from(WIN_CHROME));
}

#[test]
fn a_configured_browser_that_is_not_there_is_named_and_never_replaced() {
    let machine = linux(&["/usr/bin/chromium"]);
    let error = look(&machine, Some("/opt/gone/chrome"), Prefer::Full).expect_err("it is gone");
    assert_eq!(error.looked, ["/opt/gone/chrome"]);
    assert!(
        error.to_string().starts_with("The browser setting names the browser `/opt/gone/chrome`")
    );
    let machine = with(machine, VARIABLE, "/opt/gone/chrome");
    let error = look(&machine, None, Prefer::Full).expect_err("it is gone");
    assert!(error.to_string().starts_with("LEGWORK_BROWSER names the browser `/opt/gone/chrome`"));
}

#[test]
fn empty_settings_count_as_unset() {
    let machine = with(linux(&["/usr/bin/chromium"]), VARIABLE, " ");
    let found = look(&machine, Some(""), Prefer::Full).expect("chromium is installed");
    assert_eq!(found.how, How::WellKnown);
}

#[test]
fn a_configured_headless_shell_is_refused_where_windows_are_needed() {
    for file in ["/opt/chrome-headless-shell", "/opt/headless_shell"] {
        let machine =
            linux(&["/usr/bin/chromium", "/opt/chrome-headless-shell", "/opt/headless_shell"]);
        let found = look(&machine, Some(file), Prefer::HeadlessShell).expect("it is there");
        assert_eq!(found.kind, Kind::HeadlessShell);
        let error = look(&machine, Some(file), Prefer::Full).expect_err("it has no windows");
        assert_eq!(error.reason, Reason::HeadlessOnly { how: How::Explicit, path: file.into() });
    }
}

#[test]
fn the_folder_a_browser_is_in_does_not_make_it_a_headless_shell() {
    let machine = linux(&["/opt/headless-shell/chrome"]);
    let found = look(&machine, Some("/opt/headless-shell/chrome"), Prefer::Full);
    assert_eq!(found.expect("it is there").kind, Kind::Full);
}

#[test]
fn a_missing_browser_is_reported_with_every_place_and_the_install_command() {
    for machine in [linux(&[]), macos(&[]), windows(&[])] {
        let error = look(&machine, None, Prefer::HeadlessShell).expect_err("nothing is installed");
        assert_eq!(error.code(), "ERR_BROWSER_NOT_FOUND");
        let message = error.to_string();
        assert!(message.starts_with("No Chrome, Chromium or Edge was found. Hint: looked at "));
        for kind in [Kind::HeadlessShell, Kind::Full] {
            for place in places::well_known(&machine, kind) {
                assert!(message.contains(&place), "{place} is not in: {message}");
            }
            for name in places::names(kind) {
                assert!(message.contains(name), "{name} is not in: {message}");
            }
        }
        assert!(message.contains(&error.install));
    }
}

#[test]
fn the_folders_of_path_are_named_without_the_empty_ones() {
    let error = look(&linux(&[]), Some("chrome"), Prefer::Full).expect_err("nothing is installed");
    assert_eq!(error.looked, ["chrome in PATH (/home/me/bin, /usr/bin, /usr/local/bin/)"]);
    let machine = with(linux(&[]), "PATH", "");
    let error = look(&machine, Some("chrome"), Prefer::Full).expect_err("nothing is installed");
    assert_eq!(error.looked, ["chrome in PATH (empty)"]);
}

#[test]
fn the_install_command_fits_the_system() {
    let table = [
        ("ID=debian", "sudo apt-get install chromium chromium-headless-shell"),
        (
            "ID=ubuntu\nID_LIKE=debian",
            "wget https://dl.google.com/linux/direct/google-chrome-stable_current_amd64.deb && \
             sudo apt-get install ./google-chrome-stable_current_amd64.deb",
        ),
        ("ID=linuxmint\nID_LIKE=\"ubuntu debian\"", "sudo apt-get install chromium"),
        ("ID=fedora", "sudo dnf install chromium chromium-headless"),
        (
            "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"",
            "sudo dnf install epel-release && sudo dnf install chromium",
        ),
        ("ID=manjaro\nID_LIKE=arch", "sudo pacman -S chromium"),
        ("ID=alpine", "apk add chromium"),
        ("ID='opensuse-leap'\nID_LIKE='suse opensuse'", "sudo zypper install chromium"),
    ];
    for (os_release, expected) in table {
        let machine = Machine { os_release: Some(os_release), ..linux(&[]) };
        assert_eq!(install::command(&machine), expected, "{os_release}");
    }
    let unknown = Machine { os_release: None, ..linux(&[]) };
    assert!(install::command(&unknown).contains("chromium"));
    assert_eq!(install::command(&macos(&[])), "brew install --cask google-chrome");
    assert_eq!(install::command(&windows(&[])), "winget install Google.Chrome");
}

#[cfg(unix)]
#[test]
fn this_machine_tells_programs_from_other_files() {
    assert!(HostSystem.is_executable("/bin/sh"));
    assert!(!HostSystem.is_executable("/etc/passwd"));
    assert!(!HostSystem.is_executable("/etc"));
    assert!(!HostSystem.is_executable("/nowhere/at/all"));
}
