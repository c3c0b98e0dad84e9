//! A book on the disk. It is written beside and renamed, and one program holds it at a time: the system lets
//! go of it when that program ends, however it ends.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use super::Book;

/// Why there is no book.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BookError {
    /// Another program holds it.
    #[error("another program (process {0}) shops from this list")]
    InUse(String),
    /// It cannot be read or written.
    #[error("{}: {why}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
}

/// The file of a book, held.
#[derive(Debug)]
pub(crate) struct BookFile {
    path: PathBuf,
    /// Held for as long as this is there.
    _lock: File,
}

impl BookFile {
    /// Takes hold of the book of a list at a shop, and reads what an earlier run left there.
    pub(crate) fn open(
        folder: &Path,
        list: &str,
        site: &str,
    ) -> Result<(BookFile, Book), BookError> {
        let folder = folder.join("books");
        fs::create_dir_all(&folder).map_err(|error| at(&folder, &error))?;
        let path = folder.join(format!("{:016x}.json", name(list, site)));
        let lock = hold(&path.with_extension("lock"))?;
        let book = match fs::read_to_string(&path) {
            Ok(text) => read(&text, list, site).map_err(|why| at(&path, &why))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Book::new(list, site),
            Err(error) => return Err(at(&path, &error)),
        };
        Ok((BookFile { path, _lock: lock }, book))
    }

    /// Writes the book; it is on the disk when this is over.
    pub(crate) fn write(&self, book: &Book) -> Result<(), BookError> {
        let written = || {
            let folder = self.path.parent().unwrap_or(Path::new("."));
            let text = serde_json::to_string_pretty(book)?;
            let mut beside = tempfile::NamedTempFile::new_in(folder)?;
            beside.write_all(text.as_bytes())?;
            beside.as_file().sync_all()?;
            beside.persist(&self.path).map_err(|error| error.error)?;
            sync_folder(folder)
        };
        written().map_err(|error: std::io::Error| at(&self.path, &error))
    }
}

/// The name of the new file is on the disk only with its folder.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> std::io::Result<()> {
    Ok(())
}

fn at(path: &Path, why: &dyn std::fmt::Display) -> BookError {
    BookError::File { path: path.to_owned(), why: why.to_string() }
}

/// Holds a lock, with the number of this process in it for whoever comes second.
fn hold(path: &Path) -> Result<File, BookError> {
    let mut options = OpenOptions::new();
    let opened = options.read(true).write(true).create(true).truncate(false).open(path);
    let mut file = opened.map_err(|error| at(path, &error))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            let known = file.read_to_string(&mut holder).is_ok() && !holder.trim().is_empty();
            return Err(BookError::InUse(if known { holder.trim().into() } else { "?".into() }));
        }
        Err(TryLockError::Error(error)) => return Err(at(path, &error)),
    }
    let said = file.set_len(0).and_then(|()| write!(file, "{}", std::process::id()));
    said.map_err(|error| at(path, &error))?;
    Ok(file)
}

/// A book that cannot be read is not thrown away: what it knew is the only guard against adding twice.
fn read(text: &str, list: &str, site: &str) -> Result<Book, String> {
    let hint = "look at the cart, then move the file away to begin afresh";
    let book: Book = serde_json::from_str(text)
        .map_err(|error| format!("it cannot be read ({error}); {hint}"))?;
    if book.list != list || book.site != site {
        return Err(format!("it is the book of {:?} at {:?}; {hint}", book.list, book.site));
    }
    Ok(book)
}

/// The name of a list's book at a shop: FNV-1a, which is the same everywhere and always. Two that meet are
/// told apart by what the book says.
fn name(list: &str, site: &str) -> u64 {
    let bytes = list.bytes().chain([0]).chain(site.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::ItemId;
    use crate::trip::book::Owed;

    #[test]
    fn a_book_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let (file, mut book) = BookFile::open(folder.path(), "list", "shop").unwrap();
        book.owe(&ItemId::new("milk"), Owed::Failed("why".into()));
        file.write(&book).unwrap();
        drop(file);
        assert_eq!(BookFile::open(folder.path(), "list", "shop").unwrap().1, book);
        assert_eq!(BookFile::open(folder.path(), "other", "shop").unwrap().1.entries(), []);
    }

    #[test]
    fn a_second_holder_is_told_who_the_first_is() {
        let folder = tempfile::tempdir().unwrap();
        let held = BookFile::open(folder.path(), "list", "shop").unwrap();
        let error = BookFile::open(folder.path(), "list", "shop").unwrap_err().to_string();
        assert!(error.contains(&std::process::id().to_string()), "{error}");
        BookFile::open(folder.path(), "list", "another shop").unwrap();
        drop(held);
        BookFile::open(folder.path(), "list", "shop").unwrap();
    }

    #[test]
    fn a_book_that_cannot_be_read_stops_the_run_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (file, book) = BookFile::open(folder.path(), "list", "shop").unwrap();
        file.write(&book).unwrap();
        let path = file.path.clone();
        drop(file);
        for text in [
            "",
            "{",
            r#"{"list":"list","site":"shop"}"#,
            r#"{"list":"a","site":"shop","entries":[]}"#,
        ] {
            fs::write(&path, text).unwrap();
            let error = BookFile::open(folder.path(), "list", "shop").unwrap_err().to_string();
            assert!(error.contains("move the file away"), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }
}
