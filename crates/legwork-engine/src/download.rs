//! Files the browser saves: begun, under way, done. Each gets its suggested name in the session's own
//! folder when it is complete, never a path the page chose; until then it has a name of Chrome's. One that
//! is too large, or not of a type that is kept, is stopped, and nothing of it is left.

mod name;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use legwork_cdp::FrameId;
use legwork_cdp::browser::{CancelDownload, DownloadProgress, DownloadWillBegin};
use tokio::time::Instant;

use crate::context::{Context, Event, Inner};
use crate::folders::Folders;
use crate::tab::{Happening, Tab};
use name::{free_path, is_of_type, safe_name};

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
    /// Why it was stopped, if we did.
    pub refused: Option<String>,
}

/// Which downloads are kept; all of them if nothing is said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keeping {
    /// The largest, in bytes.
    pub max_size: Option<u64>,
    /// Endings of the names.
    pub types: Option<Vec<String>>,
}

impl Keeping {
    /// Why a download is not kept, if it is not.
    fn refusal(&self, download: &Download) -> Option<String> {
        let size = download.received.max(download.total.unwrap_or_default());
        if let Some(most) = self.max_size.filter(|most| size > *most) {
            return Some(format!("it is larger than {most} bytes"));
        }
        let types = self.types.as_ref().filter(|types| !is_of_type(&download.path, types))?;
        Some(format!("only files of type {} are kept", types.join(", ")))
    }
}

pub(crate) fn begun(contexts: &[Arc<Context>], event: DownloadWillBegin) {
    let Some((context, tabs)) = owner(contexts, &event.frame_id) else {
        tracing::warn!("a download of no known tab: {}", event.guid);
        return;
    };
    let name = safe_name(&event.suggested_filename);
    context.update(|inner| {
        let taken = |path: &Path| {
            path.symlink_metadata().is_ok()
                || inner.downloads.values().any(|other| other.path == path)
        };
        let path = free_path(&context.downloads_dir, &name, taken);
        let mut download = Download {
            id: event.guid.clone(),
            url: event.url.clone(),
            path,
            received: 0,
            total: None,
            progress: Progress::Running,
            refused: None,
        };
        download.refused = inner.keeping.refusal(&download);
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
            let refusal = inner.keeping.refusal(download);
            download.refused = download.refused.take().or(refusal);
            download.progress = match event.state.as_str() {
                "completed" if download.refused.is_none() => {
                    place(&context.downloads_dir, download)
                }
                "completed" | "canceled" => {
                    discard(&context.downloads_dir, download);
                    Progress::Canceled
                }
                _ => {
                    stop_if_refused(context, download);
                    Progress::Running
                }
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

/// What is left of a download that is not stopped any more: it is thrown away when it is complete.
const NEARLY: u64 = 1 << 20;

/// Stops a download that is not kept, between two moments at which Chrome tells that it was stopped and then still
/// writes a file that nobody knows when it removes, if it does: before the file is in the folder, and when it is
/// about to be complete. A browser that is not ours may have its folder elsewhere: there, what has arrived counts.
fn stop_if_refused(context: &Context, download: &Download) {
    let [_, part] = partials(&context.downloads_dir, download);
    let there = part.exists() || (!context.ours && download.received > 0);
    let left = download.total.map_or(u64::MAX, |total| total.saturating_sub(download.received));
    // A folder elsewhere cannot be tidied up: there, whatever is left is stopped.
    if download.refused.is_some() && there && (left > NEARLY || !context.ours) {
        let (guid, browser_context_id) = (download.id.clone(), context.id.clone());
        context.connection.root().notify(&CancelDownload { guid, browser_context_id });
    }
}

/// Chrome saves under a name of its own; the finished file gets its proper one, which replaces nothing, or
/// keeps Chrome's.
fn place(folder: &Path, download: &mut Download) -> Progress {
    let saved = folder.join(&download.id);
    let name = download.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for _ in 0..100 {
        match give_name(&saved, &download.path) {
            Ok(()) => return Progress::Done,
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                let taken = |path: &Path| path.symlink_metadata().is_ok();
                download.path = free_path(folder, &name, taken);
            }
            Err(error) => {
                tracing::warn!("cannot name the download {}: {error}", download.path.display());
                break;
            }
        }
    }
    if !saved.exists() {
        return Progress::Canceled;
    }
    download.path = saved;
    Progress::Done
}

/// A second name takes no other file's place, where a file system knows second names.
fn give_name(saved: &Path, path: &Path) -> std::io::Result<()> {
    match std::fs::hard_link(saved, path) {
        Ok(()) => {
            let _ = std::fs::remove_file(saved);
            Ok(())
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Err(error),
        Err(_) if path.symlink_metadata().is_err() => std::fs::rename(saved, path),
        Err(error) => Err(error),
    }
}

/// Removes what came of a download that did not end.
fn discard(folder: &Path, download: &Download) {
    for partial in partials(folder, download) {
        let _ = std::fs::remove_file(partial);
    }
}

/// Where Chrome keeps a download that has no name of its own: complete, and until then.
fn partials(folder: &Path, download: &Download) -> [PathBuf; 2] {
    [folder.join(&download.id), folder.join(format!("{}.crdownload", download.id))]
}

/// Waits until the files of what still runs are in the folder, shortly: one that Chrome puts there after its
/// session has gone is nobody's.
pub(crate) async fn placed(context: &Context) {
    let soon = Instant::now() + Duration::from_secs(1);
    let is_there = |one: &Download| {
        one.progress != Progress::Running
            || partials(&context.downloads_dir, one).iter().any(|part| part.exists())
    };
    let all = |inner: &mut Inner| inner.downloads.values().all(is_there).then_some(());
    if context.ours {
        // A browser that is gone puts nothing anywhere.
        let _ = context.until(soon, all).await;
    }
}

/// Removes what came of downloads that did not end, and the folder if it is empty then: nothing more comes.
pub(crate) fn tidy(context: &Context, folders: &Folders) {
    for download in context.inner().downloads.values() {
        if download.progress != Progress::Done {
            discard(&context.downloads_dir, download);
        }
    }
    // The folder is the first session's.
    if !context.companion {
        folders.remove_if_empty(&context.downloads_dir);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn download(path: PathBuf) -> Download {
        Download {
            id: "guid".into(),
            url: String::new(),
            path,
            received: 0,
            total: None,
            progress: Progress::Running,
            refused: None,
        }
    }

    #[test]
    fn a_file_that_cannot_be_named_is_still_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let mut download = download(folder.path().join("missing/name.txt"));
        assert_eq!(place(folder.path(), &mut download), Progress::Canceled);
        std::fs::write(folder.path().join("guid"), "x").unwrap();
        assert_eq!(place(folder.path(), &mut download), Progress::Done);
        assert!(download.path.exists());
    }

    #[test]
    fn a_finished_file_takes_no_other_files_place() {
        let folder = tempfile::tempdir().unwrap();
        let mut download = download(folder.path().join("a.txt"));
        std::fs::write(folder.path().join("a.txt"), "mine").unwrap();
        std::fs::write(folder.path().join("guid"), "new").unwrap();
        assert_eq!(place(folder.path(), &mut download), Progress::Done);
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!((read("a.txt").as_str(), read("a (2).txt").as_str()), ("mine", "new"));
        assert!(!folder.path().join("guid").exists());
        // Nor that of a link that leads out of the folder.
        let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let outside = elsewhere.path().join("out.txt");
        std::os::unix::fs::symlink(&outside, folder.path().join("a.txt")).unwrap();
        let mut download = self::download(folder.path().join("a.txt"));
        std::fs::write(folder.path().join("guid"), "new").unwrap();
        assert_eq!(place(folder.path(), &mut download), Progress::Done);
        assert_eq!(download.path, folder.path().join("a (2).txt"));
        assert_eq!(std::fs::read_to_string(&download.path).unwrap(), "new");
        assert!(!outside.exists());
    }

    #[test]
    fn what_is_too_large_or_of_another_type_is_not_kept() {
        let keeping = Keeping { max_size: Some(100), types: Some(vec!["pdf".into()]) };
        for (name, received, total, kept) in [
            ("a.pdf", 0, None, true),
            ("a.PDF", 100, Some(100), true),
            ("a.pdf", 101, None, false),
            ("a.pdf", 0, Some(101), false),
            ("a.exe", 0, None, false),
            ("pdf", 0, None, false),
        ] {
            let one = Download { received, total, ..download(name.into()) };
            assert_eq!(keeping.refusal(&one).is_none(), kept, "{name} {received}");
        }
        assert_eq!(Keeping::default().refusal(&download("x".into())), None);
    }
}
