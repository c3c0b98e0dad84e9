use super::*;
use std::io::Read as _;

/// A folder that may be used, beside one that may not.
struct Rig {
    root: tempfile::TempDir,
    jail: Jail,
}

impl Rig {
    fn new() -> Rig {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        for folder in ["in/deep", "in.evil", "out"] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        for file in [
            "in/a.pdf",
            "in/deep/b.PDF",
            "in/large.pdf",
            "in/c.exe",
            "in/d.pdf.exe",
            "in/pdf",
            "in/.pdf",
        ] {
            std::fs::write(
                at(file),
                if file.contains("large") { "x".repeat(101) } else { "ok".into() },
            )
            .unwrap();
        }
        for file in ["out/secret.pdf", "in.evil/e.pdf", "in/..pdf", "in/ .pdf"] {
            std::fs::write(at(file), "no").unwrap();
        }
        let jail = Jail {
            folders: Some(vec![at("in"), at("no such folder")]),
            max_size: Some(100),
            types: Some(vec!["pdf".into(), "*.tar.gz".into()]),
        };
        Rig { root, jail }
    }

    fn open(&self, path: &str) -> Result<Opened, ToolError> {
        self.jail.open(&self.root.path().join(path))
    }
}

#[test]
fn files_in_the_folder_are_opened() {
    let rig = Rig::new();
    for good in [
        "in/a.pdf",
        "in/deep/b.PDF",
        "in/deep/../a.pdf",
        "in/./a.pdf",
        "out/../in/a.pdf",
        "in//a.pdf",
    ] {
        let mut text = String::new();
        rig.open(good).unwrap().file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "ok", "{good}");
    }
}

#[test]
fn paths_that_lead_out_or_to_the_wrong_thing_are_refused() {
    let rig = Rig::new();
    for bad in [
        "",
        ".",
        "in",
        "in/",
        "in/deep",
        "out",
        "out/secret.pdf",
        "in/../out/secret.pdf",
        "in/deep/../../out/secret.pdf",
        "in/no/../../out/secret.pdf",
        "in.evil/e.pdf",
        "in/../in.evil/e.pdf",
        "in/c.exe",
        "in/d.pdf.exe",
        "in/pdf",
        "in/.pdf",
        "in/large.pdf",
        "in/missing.pdf",
        "in/a.pdf/",
        "in/a.pdf/.",
        "in/a.pdf/../a.pdf",
        "in/a.pdf\0",
        "in/a.pdf%00.png",
        "in/%2e%2e/out/secret.pdf",
        "in/..\\out\\secret.pdf",
        "IN/../out/secret.pdf",
        "~/a.pdf",
        "/etc/passwd",
        "/etc/shadow",
        "/proc/self/environ",
        "/proc/self/mem",
        "/proc/self/root/etc/passwd",
        "/dev/zero",
        "/dev/stdin",
        "/dev/fd/0",
        "file:///etc/passwd",
    ] {
        let refused = rig.open(bad);
        assert!(refused.is_err(), "{bad:?} was opened: {refused:?}");
    }
}

#[cfg(unix)]
#[test]
fn links_are_what_they_lead_to() {
    use std::os::unix::fs::symlink;
    let rig = Rig::new();
    let at = |name: &str| rig.root.path().join(name);
    symlink(at("in/a.pdf"), at("in/inside.pdf")).unwrap();
    symlink(at("out/secret.pdf"), at("in/file.pdf")).unwrap();
    symlink("../out/secret.pdf", at("in/relative.pdf")).unwrap();
    symlink(at("out"), at("in/folder")).unwrap();
    symlink("/", at("in/root")).unwrap();
    symlink(at("in/loop.pdf"), at("in/loop.pdf")).unwrap();
    symlink(at("in/gone"), at("in/dangling.pdf")).unwrap();
    symlink(at("in/c.exe"), at("in/typed.pdf")).unwrap();
    symlink(at("in/file.pdf"), at("in/twice.pdf")).unwrap();
    symlink(at("in/a.pdf"), at("out/back.pdf")).unwrap();
    symlink("/dev/zero", at("in/zero.pdf")).unwrap();
    assert!(rig.open("in/inside.pdf").is_ok());
    assert!(rig.open("out/back.pdf").is_ok(), "a link into the folder is a file of the folder");
    for bad in [
        "in/file.pdf",
        "in/relative.pdf",
        "in/folder/secret.pdf",
        "in/root/etc/passwd",
        "in/loop.pdf",
        "in/dangling.pdf",
        "in/typed.pdf",
        "in/twice.pdf",
        "in/zero.pdf",
    ] {
        assert!(rig.open(bad).is_err(), "{bad}");
    }
}

#[cfg(unix)]
#[test]
fn pipes_sockets_and_devices_are_no_files_even_without_a_folder() {
    let rig = Rig::new();
    let pipe = rig.root.path().join("in/pipe.pdf");
    let fifo = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, fifo, rustix::fs::Mode::RWXU, 0).unwrap();
    let socket = rig.root.path().join("in/socket.pdf");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    for jail in [&rig.jail, &Jail::default()] {
        for bad in
            [&pipe, &socket, Path::new("/dev/zero"), Path::new("/dev/tty"), Path::new("/tmp")]
        {
            assert!(jail.open(bad).is_err(), "{}", bad.display());
        }
    }
    assert!(Jail::default().open(&rig.root.path().join("out/secret.pdf")).is_ok());
}

#[test]
fn a_jail_without_folders_is_shut_and_not_open() {
    let rig = Rig::new();
    let shut = Jail { folders: Some(Vec::new()), ..Default::default() };
    assert!(shut.open(&rig.root.path().join("in/a.pdf")).is_err());
    let nothing = Jail { types: Some(Vec::new()), ..Default::default() };
    assert!(nothing.open(&rig.root.path().join("in/a.pdf")).is_err());
}
