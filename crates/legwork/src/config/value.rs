//! How values are read, from a file or from a word, and shown again.

use std::path::{Path, PathBuf};
use std::time::Duration;

use legwork_protocol::Set;
use legwork_tools::engine::Viewport;
use toml::de::DeValue;

use super::whole_path;

/// A kind of value.
pub(super) trait Setting: Sized {
    /// Reads it from an environment variable or a flag.
    fn from_text(text: &str) -> Result<Self, String>;

    /// Reads it from a file in the folder `base`.
    fn from_toml(value: &DeValue<'_>, base: &Path) -> Result<Self, String>;

    /// Writes it as it would be in a file.
    fn show(&self) -> String;
}

/// Not set, as people see it.
pub(super) const UNSET: &str = "-";

pub(super) fn string<'a>(value: &'a DeValue<'_>, expected: &str) -> Result<&'a str, String> {
    value.as_str().ok_or_else(|| format!("expected {expected}, found {}", described(value)))
}

fn described(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the string {text:?}"),
        DeValue::Integer(number) => format!("the number {number}"),
        DeValue::Float(number) => format!("the number {number}"),
        DeValue::Boolean(is) => format!("{is}"),
        other => format!("a {}", other.type_str()),
    }
}

pub(super) fn quoted(text: &str) -> String {
    format!("{text:?}")
}

impl Setting for Option<String> {
    fn from_text(text: &str) -> Result<Self, String> {
        Ok(Some(text.to_owned()))
    }

    fn from_toml(value: &DeValue<'_>, _: &Path) -> Result<Self, String> {
        string(value, "a string").map(|text| Some(text.to_owned()))
    }

    fn show(&self) -> String {
        self.as_deref().map_or(UNSET.to_owned(), quoted)
    }
}

impl Setting for Option<PathBuf> {
    fn from_text(text: &str) -> Result<Self, String> {
        let here = std::env::current_dir().map_err(|error| error.to_string())?;
        Ok(Some(whole_path(text, &here)))
    }

    fn from_toml(value: &DeValue<'_>, base: &Path) -> Result<Self, String> {
        string(value, "a path in quotes").map(|text| Some(whole_path(text, base)))
    }

    fn show(&self) -> String {
        self.as_ref().map_or(UNSET.to_owned(), |path| quoted(&path.display().to_string()))
    }
}

impl Setting for bool {
    fn from_text(text: &str) -> Result<Self, String> {
        match text.to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Ok(true),
            "false" | "0" | "no" | "off" => Ok(false),
            _ => Err(format!("expected true or false, found {text:?}")),
        }
    }

    fn from_toml(value: &DeValue<'_>, _: &Path) -> Result<Self, String> {
        value.as_bool().ok_or_else(|| format!("expected true or false, found {}", described(value)))
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

/// Whole numbers from 1.
macro_rules! numbers {
    ($($kind:ty)*) => {$(
        impl Setting for $kind {
            fn from_text(text: &str) -> Result<Self, String> {
                let number = text.replace('_', "").parse().ok().filter(|number| *number > 0);
                number.ok_or_else(|| format!("expected a whole number from 1, found {text:?}"))
            }

            fn from_toml(value: &DeValue<'_>, _: &Path) -> Result<Self, String> {
                let number = value.as_integer();
                let number =
                    number.and_then(|n| <$kind>::from_str_radix(n.as_str(), n.radix()).ok());
                number.filter(|number| *number > 0).ok_or_else(|| {
                    format!("expected a whole number from 1, found {}", described(value))
                })
            }

            fn show(&self) -> String {
                self.to_string()
            }
        }
    )*};
}

numbers! { usize u32 }

impl Setting for Duration {
    fn from_text(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("expected a time span such as \"45s\", \"30m\" or \"8h\", found {text:?}");
        let text = text.trim();
        let unit = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
        let (number, unit) = text.split_at(unit.ok_or_else(wrong)?);
        let number: f64 = number.parse().map_err(|_| wrong())?;
        let seconds = match unit.trim() {
            "ms" => number / 1000.0,
            "s" => number,
            "m" | "min" => number * 60.0,
            "h" => number * 3600.0,
            _ => return Err(wrong()),
        };
        // Past a week, a span is a slip of the keyboard.
        let possible = Some(seconds).filter(|seconds| (0.001..=604_800.0).contains(seconds));
        possible.map(Duration::from_secs_f64).ok_or_else(wrong)
    }

    fn from_toml(value: &DeValue<'_>, _: &Path) -> Result<Self, String> {
        Duration::from_text(string(value, "a time span in quotes, such as \"30m\"")?)
    }

    fn show(&self) -> String {
        let (seconds, millis) = (self.as_secs(), self.subsec_millis());
        quoted(&match (seconds, millis) {
            (_, 1..) => format!("{}ms", self.as_millis()),
            (seconds, _) if seconds % 3600 == 0 => format!("{}h", seconds / 3600),
            (seconds, _) if seconds % 60 == 0 => format!("{}m", seconds / 60),
            (seconds, _) => format!("{seconds}s"),
        })
    }
}

impl Setting for Viewport {
    fn from_text(text: &str) -> Result<Self, String> {
        let wrong = || format!("expected a size such as \"1280x720\", found {text:?}");
        let (width, height) = text.split_once(['x', 'X']).ok_or_else(wrong)?;
        let side = |text: &str| {
            let number: Option<u32> = text.trim().parse().ok();
            number.filter(|number| (1..=10_000).contains(number)).ok_or_else(wrong)
        };
        Ok(Viewport { width: side(width)?, height: side(height)?, ..Default::default() })
    }

    fn from_toml(value: &DeValue<'_>, _: &Path) -> Result<Self, String> {
        Viewport::from_text(string(value, "a size in quotes, such as \"1280x720\"")?)
    }

    fn show(&self) -> String {
        quoted(&format!("{}x{}", self.width, self.height))
    }
}

/// The name of a set of tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolSet(pub String);

impl Default for ToolSet {
    fn default() -> Self {
        ToolSet("core".to_owned())
    }
}

impl Setting for ToolSet {
    fn from_text(text: &str) -> Result<Self, String> {
        if Set::tools(text).is_some() {
            return Ok(ToolSet(text.to_owned()));
        }
        Err(format!("there is no set {text:?}; the sets are {}", Set::NAMES.join(", ")))
    }

    fn from_toml(value: &DeValue<'_>, _: &Path) -> Result<Self, String> {
        ToolSet::from_text(string(value, "the name of a set of tools")?)
    }

    fn show(&self) -> String {
        quoted(&self.0)
    }
}

/// Where calls are recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recording {
    /// Where the user's programs keep their state.
    Usual,
    /// In this folder.
    Folder(PathBuf),
    /// Nowhere.
    Off,
}

impl Recording {
    fn read(text: &str, base: &Path) -> Result<Recording, String> {
        match text.trim() {
            "" => Err("expected a folder, or off".to_owned()),
            "off" => Ok(Recording::Off),
            folder => Ok(Recording::Folder(whole_path(folder, base))),
        }
    }
}

impl Setting for Recording {
    fn from_text(text: &str) -> Result<Self, String> {
        let here = std::env::current_dir().map_err(|error| error.to_string())?;
        Recording::read(text, &here)
    }

    fn from_toml(value: &DeValue<'_>, base: &Path) -> Result<Self, String> {
        Recording::read(string(value, "a folder in quotes, or \"off\"")?, base)
    }

    fn show(&self) -> String {
        match self {
            Recording::Usual => UNSET.to_owned(),
            Recording::Folder(folder) => quoted(&folder.display().to_string()),
            Recording::Off => quoted("off"),
        }
    }
}
