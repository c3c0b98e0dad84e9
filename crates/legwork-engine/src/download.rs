//! Files the browser saves: begun, under way, done. Each gets its suggested name in the session's own
//! folder when it is complete, never a path the page chose.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use legwork_cdp::FrameId;
use legwork_cdp::browser::{DownloadProgress, DownloadWillBegin};

use crate::context::{Context, Event};
use crate::tab::{Happening, Tab};

/// How far a download is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// Still coming.
    Running,
    /// Complete, on disk.
    Done,
    /// Ended without a file.
    Canceled,
}

/// A file being saved, or saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Download {
    /// The browser's name for it.
    pub id: String,
    /// Where it comes from.
    pub url: String,
    /// Where it is, or will be, on disk.
    pub path: PathBuf,
    /// Bytes so far.
    pub received: u64,
    /// Bytes in all, where the server said.
    pub total: Option<u64>,
    /// How far it is.
    pub progress: Progress,
}

pub(crate) fn begun(contexts: &[Arc<Context>], event: DownloadWillBegin) {
    let Some((context, tabs)) = owner(contexts, &event.frame_id) else {
        tracing::warn!("a download of no known tab: {}", event.guid);
        return;
    };
    let name = safe_name(&event.suggested_filename);
    context.update(|inner| {
        let taken =
            |path: &Path| path.exists() || inner.downloads.values().any(|other| other.path == path);
        let path = free_path(&context.downloads_dir, &name, taken);
        let download = Download {
            id: event.guid.clone(),
            url: event.url.clone(),
            path,
            received: 0,
            total: None,
            progress: Progress::Running,
        };
        inner.downloads.insert(event.guid.clone(), download.clone());
        context.emit(Event::DownloadBegan(download));
    });
    for tab in tabs {
        tab.update(|state| state.note(Happening::Download { guid: event.guid.clone() }));
    }
}

/// Whose download it is: the tab's that has the frame, and its opener's, which is where the link was
/// clicked. A tab opened for the download may be closed already; a frame we never saw can only be
/// that of the only session there is.
fn owner(contexts: &[Arc<Context>], frame: &FrameId) -> Option<(Arc<Context>, Vec<Arc<Tab>>)> {
    for context in contexts {
        let tabs = context.inner().tabs.clone();
        if let Some(tab) = tabs.iter().find(|tab| tab.state().frames.get(frame).is_some()) {
            let opener = context.tab(tab.opener.as_ref());
            return Some((
                context.clone(),
                [Some(tab.clone()), opener].into_iter().flatten().collect(),
            ));
        }
        let closed = context.inner().closed_tabs.iter().find_map(|(target, opener)| {
            (target.as_str() == frame.as_str()).then(|| opener.clone())
        });
        if let Some(opener) = closed {
            let tab = context.tab(opener.as_ref()).or_else(|| context.active());
            return Some((context.clone(), tab.into_iter().collect()));
        }
    }
    let [only] = contexts else { return None };
    Some((only.clone(), only.active().into_iter().collect()))
}

pub(crate) fn progressed(contexts: &[Arc<Context>], event: DownloadProgress) {
    for context in contexts {
        let known = context.update(|inner| {
            let Some(download) = inner.downloads.get_mut(&event.guid) else { return false };
            download.received = event.received_bytes as u64;
            download.total = (event.total_bytes > 0.0).then_some(event.total_bytes as u64);
            download.progress = match event.state.as_str() {
                "completed" => place(&context.downloads_dir, download),
                "canceled" => Progress::Canceled,
                _ => Progress::Running,
            };
            if download.progress != Progress::Running {
                context.emit(Event::DownloadEnded(download.clone()));
            }
            true
        });
        if known {
            let tabs = context.inner().tabs.clone();
            tabs.iter().for_each(|tab| tab.wake());
            return;
        }
    }
}

/// Chrome saves under a name of its own; the finished file gets its proper one, or keeps Chrome's.
fn place(folder: &Path, download: &mut Download) -> Progress {
    let saved = folder.join(&download.id);
    let Err(error) = std::fs::rename(&saved, &download.path) else { return Progress::Done };
    tracing::warn!("cannot name the download {}: {error}", download.path.display());
    if !saved.exists() {
        return Progress::Canceled;
    }
    download.path = saved;
    Progress::Done
}

/// The last part of a suggested name without what a file system or a shell could trip over.
fn safe_name(suggested: &str) -> String {
    let last = suggested.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept: String = last
        .chars()
        .map(|c| if c.is_control() || ":*?\"<>|".contains(c) { '_' } else { c })
        .collect();
    let trimmed = kept.trim().trim_start_matches('.').trim_end_matches(['.', ' ']);
    if trimmed.is_empty() { "download".to_owned() } else { shorten(trimmed, LONGEST_NAME) }
}

/// File systems count a name in bytes, most of them up to 255; a number may still be added.
const LONGEST_NAME: usize = 200;

/// The name cut to that many bytes, with its extension.
fn shorten(name: &str, bytes: usize) -> String {
    if name.len() <= bytes {
        return name.to_owned();
    }
    let (stem, extension) = parts(name);
    let extension = if extension.len() <= 20 { extension } else { "" };
    format!("{}{extension}", &stem[..stem.floor_char_boundary(bytes - extension.len())])
}

/// What comes before the last dot, and the rest with it.
fn parts(name: &str) -> (&str, &str) {
    match name.rfind('.') {
        Some(dot) if dot > 0 => name.split_at(dot),
        _ => (name, ""),
    }
}

fn free_path(folder: &Path, name: &str, taken: impl Fn(&Path) -> bool) -> PathBuf {
    let first = folder.join(name);
    if !taken(&first) {
        return first;
    }
    let (stem, extension) = parts(name);
    (2..)
        .map(|n| folder.join(format!("{stem} ({n}){extension}")))
        .find(|path| !taken(path))
        .unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suggested_name_cannot_leave_the_folder() {
        for (suggested, expected) in [
            ("report.pdf", "report.pdf"),
            ("../../etc/passwd", "passwd"),
            ("..\\..\\boot.ini", "boot.ini"),
            (".bashrc", "bashrc"),
            ("..", "download"),
            ("a:b?.txt", "a_b_.txt"),
            ("", "download"),
            ("nul\0l", "nul_l"),
        ] {
            assert_eq!(safe_name(suggested), expected, "{suggested}");
        }
    }

    #[test]
    fn a_long_name_fits_a_file_system_and_keeps_its_extension() {
        for name in ["報".repeat(150) + ".pdf", "x".repeat(400) + ".tar", "y".repeat(400)] {
            let short = safe_name(&name);
            assert!(short.len() <= 200 && short.len() > 190, "{short}");
            assert_eq!(short.rsplit_once('.').map(|p| p.1), name.rsplit_once('.').map(|p| p.1));
        }
    }

    #[test]
    fn a_file_that_cannot_be_named_is_still_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let mut download = Download {
            id: "guid".into(),
            url: String::new(),
            path: folder.path().join("missing/name.txt"),
            received: 0,
            total: None,
            progress: Progress::Running,
        };
        assert_eq!(place(folder.path(), &mut download), Progress::Canceled);
        std::fs::write(folder.path().join("guid"), "x").unwrap();
        assert_eq!(place(folder.path(), &mut download), Progress::Done);
        assert!(download.path.exists());
    }

    #[test]
    fn a_second_file_of_the_same_name_gets_a_number() {
        let taken =
            |path: &Path| path == Path::new("/d/a.txt") || path == Path::new("/d/a (2).txt");
        assert_eq!(free_path(Path::new("/d"), "a.txt", taken), Path::new("/d/a (3).txt"));
        assert_eq!(free_path(Path::new("/d"), "b.txt", taken), Path::new("/d/b.txt"));
    }
}
