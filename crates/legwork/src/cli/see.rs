//! Commands that look: snapshot, find, query, extract, screenshot.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use legwork_protocol as tool;

use super::call::{Call, Shared};

/// Commands that look.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Shows the page: one line per thing, refs such as e12 on what can be acted on
    #[command(
        after_help = "Example:\n  legwork snapshot --interactive\n  legwork snapshot \"main\""
    )]
    Snapshot(Snapshot),
    /// Finds something by its words and shows the row, card or dialog around it
    #[command(
        after_help = "Example:\n  legwork find \"Oat milk\"\n  legwork find Delete --in dialog"
    )]
    Find {
        /// Visible words, ref, CSS or XPath
        #[arg(required = true, num_args = 1..)]
        words: Vec<String>,
        /// Only in this: dialog, main or any other target
        #[arg(long = "in", value_name = "TARGET")]
        within: Option<String>,
    },
    /// Counts the elements that match and describes the first ones
    #[command(after_help = "Example:\n  legwork query \"table tr\" --limit 3")]
    Query {
        /// CSS, XPath, words or role=button[name="Save"]
        target: String,
        /// How many to describe
        #[arg(long)]
        limit: Option<usize>,
    },
    /// Prints the page as Markdown, HTML or text
    #[command(after_help = "Example:\n  legwork extract --format text")]
    Extract(Extract),
    /// Takes a picture of the window, an element or the whole page
    #[command(
        after_help = "Example:\n  legwork screenshot login.png\n  legwork screenshot --full-page"
    )]
    Screenshot(Screenshot),
}

/// How the page is shown.
#[derive(Debug, Args)]
pub struct Snapshot {
    /// Only this part: ref, words, CSS or XPath
    target: Option<String>,
    /// Only what can be acted on
    #[arg(long, short)]
    interactive: bool,
    /// Also where links lead
    #[arg(long)]
    links: bool,
    /// Also the page behind an open dialog
    #[arg(long)]
    behind: bool,
    /// Levels below the target
    #[arg(long)]
    depth: Option<u32>,
    /// Longest answer
    #[arg(long, value_name = "TOKENS")]
    max_tokens: Option<usize>,
    /// The rest of an earlier answer, by its handle
    #[arg(long, value_name = "HANDLE", conflicts_with = "target")]
    more: Option<String>,
}

/// What is printed of a page.
#[derive(Debug, Args)]
pub struct Extract {
    /// As what
    #[arg(long, value_enum, default_value = "markdown")]
    format: Format,
    /// The whole page instead of its article
    #[arg(long)]
    whole: bool,
    /// Longest answer
    #[arg(long, value_name = "TOKENS")]
    max_tokens: Option<usize>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    Markdown,
    Html,
    Text,
    #[value(name = "screenshot_base64")]
    ScreenshotBase64,
}

/// What a picture is taken of.
#[derive(Debug, Args)]
pub struct Screenshot {
    /// Where to put it; its ending says the format
    file: Option<PathBuf>,
    /// Only this element
    #[arg(long, value_name = "TARGET")]
    of: Option<String>,
    /// The whole page
    #[arg(long, conflicts_with = "of")]
    full_page: bool,
    /// Draws the refs on it
    #[arg(long)]
    boxes: bool,
}

impl Command {
    pub(super) fn call(self, shared: &Shared) -> anyhow::Result<Call> {
        match self {
            Command::Snapshot(snapshot) => Call::of("browser_snapshot", snapshot.arguments()),
            Command::Find { words, within } => {
                Call::of("browser_find", tool::Find { target: words.join(" "), within })
            }
            Command::Query { target, limit } => {
                Call::of("browser_query", tool::Query { target, limit })
            }
            Command::Extract(extract) => Call::of("browser_extract", extract.arguments()),
            Command::Screenshot(screenshot) => screenshot.call(shared),
        }
    }
}

impl Snapshot {
    fn arguments(self) -> tool::Snapshot {
        tool::Snapshot {
            target: self.target,
            interactive: self.interactive,
            links: self.links,
            behind: self.behind,
            depth: self.depth,
            max_tokens: self.max_tokens,
            more: self.more,
        }
    }
}

impl Extract {
    fn arguments(self) -> tool::Extract {
        tool::Extract {
            format: match self.format {
                Format::Markdown => tool::ExtractFormat::Markdown,
                Format::Html => tool::ExtractFormat::Html,
                Format::Text => tool::ExtractFormat::Text,
                Format::ScreenshotBase64 => tool::ExtractFormat::ScreenshotBase64,
            },
            whole: self.whole,
            max_tokens: self.max_tokens,
        }
    }
}

impl Screenshot {
    fn call(self, shared: &Shared) -> anyhow::Result<Call> {
        let ending = self.file.as_deref().and_then(|file| file.extension()?.to_str());
        let format = match ending.map(str::to_ascii_lowercase).as_deref() {
            None | Some("png") => tool::ImageFormat::Png,
            Some("jpg" | "jpeg") => tool::ImageFormat::Jpeg,
            Some("webp") => tool::ImageFormat::Webp,
            Some(other) => anyhow::bail!("a picture is png, jpg or webp, not {other:?}"),
        };
        let arguments = tool::TakeScreenshot {
            target: self.of,
            full_page: self.full_page,
            boxes: self.boxes,
            format,
            timeout: shared.timeout,
        };
        Ok(Call { picture: self.file, ..Call::of("browser_take_screenshot", arguments)? })
    }
}
