//! Files the browser saves: begun, under way, done. Each gets its suggested name in the session's own
//! folder when it is complete, never a path the page chose.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use legwork_cdp::browser::{DownloadProgress, DownloadWillBegin};

use crate::context::Context;
use crate::tab::Happening;

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
    for context in contexts {
        let tabs = context.inner().tabs.clone();
        let owner = tabs.iter().find(|tab| tab.state().frames.get(&event.frame_id).is_some());
        let Some(tab) = owner else { continue };
        let name = safe_name(&event.suggested_filename);
        context.update(|inner| {
            let taken = |path: &Path| {
                path.exists() || inner.downloads.values().any(|other| other.path == path)
            };
            let path = free_path(&context.downloads_dir, &name, taken);
            let download = Download {
                id: event.guid.clone(),
                url: event.url.clone(),
                path,
                received: 0,
                total: None,
                progress: Progress::Running,
            };
            inner.downloads.insert(event.guid.clone(), download);
        });
        tab.update(|state| state.note(Happening::Download { guid: event.guid.clone() }));
        return;
    }
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
            true
        });
        if known {
            let tabs = context.inner().tabs.clone();
            tabs.iter().for_each(|tab| tab.wake());
            return;
        }
    }
}

/// Chrome saves under a name of its own; the finished file gets its proper one.
fn place(folder: &Path, download: &Download) -> Progress {
    match std::fs::rename(folder.join(&download.id), &download.path) {
        Ok(()) => Progress::Done,
        Err(error) => {
            tracing::warn!("cannot name the download {}: {error}", download.path.display());
            Progress::Canceled
        }
    }
}

/// The last part of a suggested name without what a file system or a shell could trip over.
fn safe_name(suggested: &str) -> String {
    let last = suggested.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept: String = last
        .chars()
        .map(|c| if c.is_control() || ":*?\"<>|".contains(c) { '_' } else { c })
        .collect();
    let trimmed = kept.trim().trim_start_matches('.').trim_end_matches(['.', ' ']);
    let short: String = trimmed.chars().take(150).collect();
    if short.is_empty() { "download".to_owned() } else { short }
}

fn free_path(folder: &Path, name: &str, taken: impl Fn(&Path) -> bool) -> PathBuf {
    let first = folder.join(name);
    if !taken(&first) {
        return first;
    }
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (stem, format!(".{extension}")),
        _ => (name, String::new()),
    };
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
    fn a_second_file_of_the_same_name_gets_a_number() {
        let taken =
            |path: &Path| path == Path::new("/d/a.txt") || path == Path::new("/d/a (2).txt");
        assert_eq!(free_path(Path::new("/d"), "a.txt", taken), Path::new("/d/a (3).txt"));
        assert_eq!(free_path(Path::new("/d"), "b.txt", taken), Path::new("/d/b.txt"));
    }
}
