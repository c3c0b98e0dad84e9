//! The machine this runs on, as the lookup sees it.

use std::path::Path;

use super::{Platform, System};

/// The machine this program runs on.
#[derive(Debug, Clone, Copy, Default)]
pub struct HostSystem;

impl System for HostSystem {
    fn platform(&self) -> Platform {
        if cfg!(windows) {
            Platform::Windows
        } else if cfg!(target_os = "macos") {
            Platform::MacOs
        } else {
            Platform::Linux
        }
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
    }

    fn is_executable(&self, path: &str) -> bool {
        is_executable(Path::new(path))
    }

    fn os_release(&self) -> Option<String> {
        let read = |path| std::fs::read_to_string(path).ok();
        read("/etc/os-release").or_else(|| read("/usr/lib/os-release"))
    }
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}
