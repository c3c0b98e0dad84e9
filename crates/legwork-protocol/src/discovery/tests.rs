use super::*;

/// A machine made up for a test.
struct Machine {
    windows: bool,
    path: &'static str,
    variable: Option<&'static str>,
    files: &'static [&'static str],
}

impl System for Machine {
    fn is_windows(&self) -> bool {
        self.windows
    }
    fn variable(&self, name: &str) -> Option<String> {
        let value = if name == "PATH" { Some(self.path) } else { self.variable };
        value.map(str::to_owned)
    }
    fn is_executable(&self, path: &str) -> bool {
        self.files.iter().any(|file| match self.windows {
            true => file.eq_ignore_ascii_case(path),
            false => *file == path,
        })
    }
}

fn linux(files: &'static [&'static str]) -> Machine {
    Machine { windows: false, path: "/home/me/bin:/usr/bin/::.", variable: None, files }
}

fn macos(files: &'static [&'static str]) -> Machine {
    Machine { windows: false, path: "/opt/homebrew/bin:/usr/bin", variable: None, files }
}

fn windows(files: &'static [&'static str]) -> Machine {
    Machine { windows: true, path: r#"C:\Windows;"D:\my tools\""#, variable: None, files }
}

fn look(
    machine: &Machine,
    bundled: Option<&str>,
    explicit: Option<&str>,
) -> Result<Found, NotFound> {
    let (bundled, explicit) = (bundled.map(PathBuf::from), explicit.map(str::to_owned));
    find(&Request { bundled, explicit }, machine)
}

#[test]
fn the_bundled_one_comes_first_then_the_configured_one_then_path() {
    let app = Some("/Applications/Tandem.app/Contents/Resources");
    let bundled = "/Applications/Tandem.app/Contents/Resources/tandem-browser";
    let everywhere = [bundled, "/opt/mine", "/usr/bin/legwork"];
    let all: &'static [&'static str] = Vec::leak(everywhere.to_vec());
    let expect = |machine: &Machine, bundle: Option<&str>, explicit, path: &str, how| {
        let found = look(machine, bundle, explicit).unwrap();
        assert_eq!(found, Found { path: path.into(), how });
    };
    expect(&macos(all), app, Some("/opt/mine"), bundled, How::Bundled);
    expect(&macos(all), None, Some("/opt/mine"), "/opt/mine", How::Explicit);
    expect(&macos(&all[1..]), app, Some("/opt/mine"), "/opt/mine", How::Explicit);
    expect(&macos(&all[2..]), app, None, "/usr/bin/legwork", How::Path);
    let named = Machine { variable: Some("/opt/mine"), ..linux(all) };
    expect(&named, None, None, "/opt/mine", How::Environment);
    expect(&named, None, Some("legwork"), "/usr/bin/legwork", How::Explicit);
}

#[test]
fn every_platform_is_searched_in_its_own_way() {
    let tools = &[r"D:\my tools\legwork.exe"];
    let found = look(&windows(tools), None, None).unwrap();
    assert_eq!(found.path, PathBuf::from(tools[0]));
    let shipped = &[r"C:\Tandem\resources\tandem-browser.exe"];
    let found = look(&windows(shipped), Some(r"C:\Tandem\resources\"), None).unwrap();
    assert_eq!((found.path.to_str(), found.how), (Some(shipped[0]), How::Bundled));
    let found = look(&linux(&["/usr/bin/tandem-browser"]), None, None).unwrap();
    assert_eq!(found.path, PathBuf::from("/usr/bin/tandem-browser"));
    let both = &["/usr/bin/tandem-browser", "/home/me/bin/legwork"];
    assert_eq!(look(&linux(both), None, None).unwrap().path, PathBuf::from(both[1]));
}

#[test]
fn one_that_was_named_is_never_replaced_by_another() {
    let machine = linux(&["/usr/bin/legwork"]);
    let missing = look(&machine, None, Some("/opt/mine")).unwrap_err();
    assert_eq!(
        missing.to_string(),
        r#"the setting names the sidecar "/opt/mine", which cannot be run"#
    );
    assert!(missing.hint().starts_with("looked at /opt/mine."), "{}", missing.hint());
    let blank = look(&machine, None, Some(" ")).unwrap();
    assert_eq!(blank.how, How::Path);
}

#[test]
fn the_hint_says_where_was_looked_and_what_to_do() {
    let missing = look(&linux(&["legwork", "./legwork"]), Some("/app"), None).unwrap_err();
    let error = ToolError::from(missing);
    assert_eq!(error.code.sidecar(), "ERR_SIDECAR_NOT_FOUND");
    let hint = error.hint.unwrap();
    for part in ["/app/tandem-browser", "/home/me/bin, /usr/bin/)", VARIABLE, "install"] {
        assert!(hint.contains(part), "{part} in {hint}");
    }
}

#[test]
fn a_sidecar_by_name_needs_no_argument() {
    for (path, expected) in [
        ("/usr/bin/legwork", &["sidecar"][..]),
        ("/usr/bin/tandem-browser", &[]),
        (r"C:\tandem-browser.EXE", &[]),
        ("/opt/mine", &["sidecar"]),
    ] {
        let found = Found { path: path.into(), how: How::Path };
        assert_eq!(found.arguments(), expected, "{path}");
    }
}
