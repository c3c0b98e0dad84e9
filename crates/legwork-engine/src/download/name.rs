//! Names of files that pages suggest, made harmless.

use std::path::{Path, PathBuf};

/// The last part of a suggested name without what a file system, a shell or a reader could trip over.
pub(super) fn safe_name(suggested: &str) -> String {
    let last = suggested.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept: String = last
        .chars()
        .filter(|letter| !is_unseen(*letter))
        .map(|letter| if letter.is_control() || ":*?\"<>|".contains(letter) { '_' } else { letter })
        .collect();
    let trimmed = kept.trim().trim_start_matches(['.', ' ']).trim_end_matches(['.', ' ']);
    let named = if trimmed.is_empty() { "download" } else { trimmed };
    // A name that begins so is an option to most programs.
    let named = if named.starts_with('-') { format!("_{named}") } else { named.to_owned() };
    let named = if is_device(&named) { format!("_{named}") } else { named };
    shorten(&named, LONGEST_NAME)
}

/// Letters that turn others around, or cannot be seen: with them `exe.pdf` may be read where `fdp.exe` stands.
fn is_unseen(letter: char) -> bool {
    matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Names that are devices to Windows, with whatever ending.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let numbered = ["COM", "LPT"].iter().find_map(|kind| stem.strip_prefix(kind));
    let numbered = numbered.is_some_and(|rest| {
        rest.chars().count() == 1 && rest.chars().all(|c| "123456789¹²³".contains(c))
    });
    numbered || matches!(&*stem, "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$")
}

/// Whether the name of a file ends in one of the types.
pub(super) fn is_of_type(path: &Path, types: &[String]) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_lowercase();
    types.iter().any(|ending| {
        let ending = ending.trim_start_matches(['*', '.']).to_lowercase();
        let stem = name.strip_suffix(&ending);
        !ending.is_empty() && stem.is_some_and(|stem| stem.len() > 1 && stem.ends_with('.'))
    })
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

pub(super) fn free_path(folder: &Path, name: &str, taken: impl Fn(&Path) -> bool) -> PathBuf {
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
    fn a_suggested_name_cannot_leave_the_folder_or_mislead() {
        for (suggested, expected) in [
            ("report.pdf", "report.pdf"),
            ("Bericht März.pdf", "Bericht März.pdf"),
            ("a-b_c (1).tar.gz", "a-b_c (1).tar.gz"),
            ("../../etc/passwd", "passwd"),
            ("..\\..\\boot.ini", "boot.ini"),
            ("/etc/passwd", "passwd"),
            ("C:\\Windows\\win.ini", "win.ini"),
            ("C:win.ini", "C_win.ini"),
            ("\\\\server\\share\\x.exe", "x.exe"),
            ("a/b/../c", "c"),
            ("a/..", "download"),
            ("a/.", "download"),
            (".bashrc", "bashrc"),
            ("...bashrc", "bashrc"),
            (". .bashrc", "bashrc"),
            (".", "download"),
            ("..", "download"),
            ("...", "download"),
            ("", "download"),
            ("   ", "download"),
            ("/", "download"),
            ("\\", "download"),
            ("..%2f..%2fetc%2fpasswd", "%2f..%2fetc%2fpasswd"),
            ("%2e%2e/x", "x"),
            ("a:b?.txt", "a_b_.txt"),
            ("a*b|c<d>e\"f", "a_b_c_d_e_f"),
            ("file.txt::$DATA", "file.txt__$DATA"),
            ("nul\0l", "nul_l"),
            ("a\nb.txt", "a_b.txt"),
            ("a\r\nSet-Cookie: x", "a__Set-Cookie_ x"),
            ("a\tb", "a_b"),
            ("\u{1b}[31mred", "_[31mred"),
            ("a\u{7f}b\u{85}c", "a_b_c"),
            ("invoice\u{202e}fdp.exe", "invoicefdp.exe"),
            ("a\u{200b}\u{feff}b.txt", "ab.txt"),
            ("name.", "name"),
            ("name ", "name"),
            ("name. . .", "name"),
            (" name.txt ", "name.txt"),
            ("CON", "_CON"),
            ("con.txt", "_con.txt"),
            ("Aux.tar.gz", "_Aux.tar.gz"),
            ("NUL .txt", "_NUL .txt"),
            ("COM1", "_COM1"),
            ("lpt9.log", "_lpt9.log"),
            ("COM¹", "_COM¹"),
            ("COM10.txt", "COM10.txt"),
            ("CONSOLE", "CONSOLE"),
            ("-rf", "_-rf"),
            ("--help.txt", "_--help.txt"),
            ("~", "~"),
            ("$(reboot).sh", "$(reboot).sh"),
        ] {
            let name = safe_name(suggested);
            assert_eq!(name, expected, "{suggested:?}");
            let path = Path::new("/folder").join(&name);
            assert_eq!(path.parent(), Some(Path::new("/folder")), "{suggested:?}");
            assert_eq!(path.components().count(), 3, "{suggested:?}");
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
    fn a_second_file_of_the_same_name_gets_a_number() {
        let taken =
            |path: &Path| path == Path::new("/d/a.txt") || path == Path::new("/d/a (2).txt");
        assert_eq!(free_path(Path::new("/d"), "a.txt", taken), Path::new("/d/a (3).txt"));
        assert_eq!(free_path(Path::new("/d"), "b.txt", taken), Path::new("/d/b.txt"));
    }
}
