//! Files that come and go: `[downloads]` and `[uploads]`.

use std::path::{Component, Path, PathBuf};

use legwork_engine::Keeping;
use serde::Deserialize;

/// What is said of files that pages hand out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Downloads {
    /// Where they go.
    pub folder: Option<PathBuf>,
    /// The largest that is kept.
    pub max_size: Option<Size>,
    /// Endings of the names that are kept; all of them if none is said.
    pub types: Option<Types>,
}

impl Downloads {
    /// The same for the engine, which stops the others.
    pub fn keeping(&self) -> Keeping {
        Keeping {
            max_size: self.max_size.map(|size| size.0),
            types: self.types.as_ref().map(|types| types.endings().to_vec()),
        }
    }
}

/// What is said of files that pages are given.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Uploads {
    /// Where they may come from; anywhere if none is said.
    pub folders: Option<Vec<PathBuf>>,
    /// The largest.
    pub max_size: Option<Size>,
    /// Endings of their names; all of them if none is said.
    pub types: Option<Types>,
}

impl Uploads {
    /// Whether a file lies in one of the folders. Asks nothing of the disk: the path has to be canonical
    /// already, and one that climbs is not.
    pub fn folder_allows(&self, file: &Path) -> bool {
        let Some(folders) = &self.folders else { return true };
        let climbs = file.components().any(|part| part == Component::ParentDir);
        !climbs && file.is_absolute() && folders.iter().any(|folder| file.starts_with(folder))
    }
}

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct Size(pub u64);

impl TryFrom<String> for Size {
    type Error = String;

    fn try_from(text: String) -> Result<Size, String> {
        let wrong = || format!("{text:?} is no size; write \"500KB\", \"20MB\" or \"1GB\"");
        let digits = text.find(|letter: char| !letter.is_ascii_digit()).ok_or_else(wrong)?;
        let (number, unit) = text.split_at(digits);
        let number: u64 = number.parse().map_err(|_| wrong())?;
        let unit = match unit.trim().to_ascii_uppercase().as_str() {
            "B" => 1,
            "KB" => 1_000,
            "MB" => 1_000_000,
            "GB" => 1_000_000_000,
            _ => return Err(wrong()),
        };
        number.checked_mul(unit).map(Size).ok_or_else(wrong)
    }
}

impl std::fmt::Display for Size {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            bytes if bytes % 1_000_000_000 == 0 => write!(out, "{}GB", bytes / 1_000_000_000),
            bytes if bytes % 1_000_000 == 0 => write!(out, "{}MB", bytes / 1_000_000),
            bytes if bytes % 1_000 == 0 => write!(out, "{}KB", bytes / 1_000),
            bytes => write!(out, "{bytes}B"),
        }
    }
}

/// Endings of names: `pdf`, `tar.gz`. None at all allows no file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Vec<String>")]
pub struct Types(Vec<String>);

impl TryFrom<Vec<String>> for Types {
    type Error = String;

    fn try_from(endings: Vec<String>) -> Result<Types, String> {
        let plain = |ending: &String| {
            let ending = ending.trim_start_matches(['*', '.']).to_ascii_lowercase();
            let known =
                ending.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '.');
            (known && !ending.is_empty()).then_some(ending)
        };
        let one = |ending: &String| {
            plain(ending).ok_or_else(|| format!("{ending:?} is no ending of a name; write \"pdf\""))
        };
        endings.iter().map(one).collect::<Result<_, _>>().map(Types)
    }
}

impl Types {
    /// Whether a file of this name is of a type that is allowed.
    pub fn allow(&self, file: &Path) -> bool {
        let Some(name) = file.file_name().and_then(|name| name.to_str()) else { return false };
        // Some systems drop dots and blanks at the end of a name.
        let name = name.trim_end_matches(['.', ' ']).to_lowercase();
        let ends = |ending: &String| {
            name.strip_suffix(ending.as_str()).is_some_and(|stem| stem.ends_with('.'))
        };
        self.0.iter().any(ends)
    }

    /// The endings.
    pub fn endings(&self) -> &[String] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_written() {
        for (text, bytes) in
            [("500KB", 500_000), ("20 MB", 20_000_000), ("1GB", 1_000_000_000), ("7b", 7)]
        {
            let size = Size::try_from(text.to_owned()).unwrap();
            assert_eq!(size.0, bytes);
            assert_eq!(Size::try_from(size.to_string()).unwrap(), size);
        }
        for wrong in ["", "5", "MB", "1.5MB", "-1MB", "5 parsecs", "99999999999999999GB"] {
            assert!(Size::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_engine_is_told_which_downloads_are_kept() {
        let types = Types::try_from(vec!["*.PDF".to_owned()]).unwrap();
        let said = Downloads { max_size: Some(Size(7)), types: Some(types), ..Default::default() };
        let kept = Keeping { max_size: Some(7), types: Some(vec!["pdf".to_owned()]) };
        assert_eq!(said.keeping(), kept);
        assert_eq!(Downloads::default().keeping(), Keeping::default());
    }

    #[test]
    fn files_lie_in_their_folders_by_whole_names() {
        let uploads = Uploads { folders: Some(vec!["/home/a/out".into()]), ..Default::default() };
        for (file, inside) in [
            ("/home/a/out/x.pdf", true),
            ("/home/a/out/b/x.pdf", true),
            ("/home/a/outside/x.pdf", false),
            ("/home/a/out/../secret", false),
            ("out/x.pdf", false),
            ("/etc/passwd", false),
        ] {
            assert_eq!(uploads.folder_allows(Path::new(file)), inside, "{file}");
        }
        assert!(Uploads::default().folder_allows(Path::new("/etc/passwd")));
    }

    #[test]
    fn types_are_endings_of_names() {
        let types = Types::try_from(vec!["pdf".to_owned(), "*.tar.gz".to_owned()]).unwrap();
        for (name, allowed) in [
            ("a.pdf", true),
            ("a.PDF", true),
            ("a.tar.gz", true),
            ("a.gz", false),
            ("pdf", false),
            ("a.pdf.exe", false),
            ("a.pdf. ", true),
            ("", false),
        ] {
            assert_eq!(types.allow(Path::new(name)), allowed, "{name}");
        }
        assert!(!Types::try_from(Vec::new()).unwrap().allow(Path::new("a.pdf")));
        assert!(Types::try_from(vec!["image/*".to_owned()]).is_err());
    }
}
