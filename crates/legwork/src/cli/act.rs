//! Commands that act on elements: pointer, keyboard, forms, lists, files, scrolling.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use legwork_protocol as tool;

use super::call::{Call, Observing, Shared, absolute};

/// Commands that act.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Clicks an element and says what happened
    #[command(
        after_help = "Example:\n  legwork click e12\n  legwork click \"Remove in the row with Oat milk\""
    )]
    Click(Click),
    /// Types text into a field with real key events
    #[command(after_help = "Example:\n  legwork type \"#email\" admin@test.com --submit")]
    Type(Type),
    /// Fills a form: LABEL=VALUE for each field
    #[command(
        after_help = "Example:\n  legwork fill Email=admin@test.com Password=secret --submit\n  legwork fill \"Remember me=true\" --submit \"Log in\""
    )]
    Fill(Fill),
    /// Presses a key or chord
    #[command(
        after_help = "Example:\n  legwork press Enter\n  legwork press Control+A --in \"#notes\""
    )]
    Press {
        /// Key or chord: Enter, Escape, Control+A
        key: String,
        /// Element to press it in; default where the focus is
        #[arg(long = "in", value_name = "TARGET")]
        target: Option<String>,
        #[command(flatten)]
        observing: Observing,
    },
    /// Chooses in a native or custom dropdown or listbox
    #[command(
        after_help = "Example:\n  legwork select Country Norway\n  legwork select \"#size\" xl --by value"
    )]
    Select(Select),
    /// Moves the pointer over an element
    #[command(after_help = "Example:\n  legwork hover \"Products\"")]
    Hover {
        /// Ref, words, CSS or XPath
        target: String,
        #[command(flatten)]
        observing: Observing,
    },
    /// Scrolls to an element, to an end, or by pixels
    #[command(
        after_help = "Example:\n  legwork scroll --to bottom\n  legwork scroll \"Reviews\"\n  legwork scroll --dy 600"
    )]
    Scroll(Scroll),
    /// Drags one element onto another
    #[command(after_help = "Example:\n  legwork drag \"Task 3\" \"Done\"")]
    Drag {
        /// What is dragged
        from: String,
        /// Where it is dropped
        to: String,
        #[command(flatten)]
        observing: Observing,
    },
    /// Puts files into a file field, or through the button that asks for them
    #[command(after_help = "Example:\n  legwork upload \"Choose file\" report.pdf")]
    Upload {
        /// File field or button
        target: String,
        /// Files
        #[arg(required = true, num_args = 1..)]
        files: Vec<PathBuf>,
        #[command(flatten)]
        observing: Observing,
    },
}

/// What is clicked, and how.
#[derive(Debug, Args)]
pub struct Click {
    /// Ref (e12), words, CSS, XPath or role=button[name="Save"]
    target: String,
    /// Which button
    #[arg(long, value_enum, default_value = "left")]
    button: Button,
    /// A double click
    #[arg(long)]
    double: bool,
    /// A long press of so much time, 30s at most
    #[arg(long, value_name = "TIME", value_parser = tool::Span::parse)]
    press_for: Option<tool::Span>,
    /// Keys held meanwhile
    #[arg(long, value_enum, value_delimiter = '+', value_name = "KEYS")]
    hold: Vec<Modifier>,
    #[command(flatten)]
    observing: Observing,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Button {
    Left,
    Right,
    Middle,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Modifier {
    #[value(alias = "Alt")]
    Alt,
    #[value(alias = "Control")]
    Control,
    #[value(alias = "Meta")]
    Meta,
    #[value(alias = "Shift")]
    Shift,
}

/// What is typed, and where.
#[derive(Debug, Args)]
pub struct Type {
    /// Field: ref, label words, CSS or XPath
    target: String,
    /// Text
    #[arg(allow_hyphen_values = true)]
    text: String,
    /// Empties the field first
    #[arg(long)]
    clear: bool,
    /// Presses Enter afterwards
    #[arg(long)]
    submit: bool,
    #[command(flatten)]
    observing: Observing,
}

/// What a form is filled with.
#[derive(Debug, Args)]
pub struct Fill {
    /// Label, name, placeholder or ref, and the value; true or false for boxes
    #[arg(required = true, num_args = 1.., value_name = "LABEL=VALUE", value_parser = field)]
    fields: Vec<(String, String)>,
    /// Sends the form, by its own button or by this one
    #[arg(long, num_args = 0..=1, value_name = "BUTTON")]
    submit: Option<Option<String>>,
    #[command(flatten)]
    observing: Observing,
}

/// What is chosen, and where.
#[derive(Debug, Args)]
pub struct Select {
    /// The dropdown
    target: String,
    /// Option, or options where several may be chosen
    #[arg(required = true, num_args = 1..)]
    options: Vec<String>,
    /// How options are named
    #[arg(long, value_enum, default_value = "label")]
    by: By,
    #[command(flatten)]
    observing: Observing,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum By {
    Label,
    Value,
    Index,
}

/// Where to scroll.
#[derive(Debug, Args)]
pub struct Scroll {
    /// Element to bring into view, or, with --to or --dy, the box to scroll
    target: Option<String>,
    /// An end
    #[arg(long, value_enum)]
    to: Option<End>,
    /// Pixels to the right
    #[arg(long, allow_negative_numbers = true)]
    dx: Option<f64>,
    /// Pixels down
    #[arg(long, allow_negative_numbers = true)]
    dy: Option<f64>,
    #[command(flatten)]
    observing: Observing,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum End {
    Top,
    Bottom,
}

/// The label ends at the first `=`, unless that is inside brackets, as in `input[name=q]=shoes`.
fn field(text: &str) -> Result<(String, String), String> {
    let mut open = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '[' => open += 1,
            ']' => open = open.saturating_sub(1),
            '=' if open == 0 && at > 0 => {
                return Ok((text[..at].trim().to_owned(), text[at + 1..].to_owned()));
            }
            _ => {}
        }
    }
    Err(format!("{text:?} is no field and value; write LABEL=VALUE"))
}

impl Command {
    pub(super) fn call(self, shared: &Shared) -> anyhow::Result<Call> {
        let timeout = shared.timeout;
        match self {
            Command::Click(click) => click.call(shared),
            Command::Type(Type { target, text, clear, submit, observing }) => {
                let observe = observing.observe();
                Call::of(
                    "browser_type",
                    tool::Type { target, text, clear, submit, observe, timeout },
                )
            }
            Command::Fill(fill) => fill.call(shared),
            Command::Press { key, target, observing } => {
                let observe = observing.observe();
                Call::of("browser_press_key", tool::PressKey { key, target, observe, timeout })
            }
            Command::Select(select) => select.call(shared),
            Command::Hover { target, observing } => {
                let observe = observing.observe();
                Call::of("browser_hover", tool::Hover { target, observe, timeout })
            }
            Command::Scroll(scroll) => scroll.call(),
            Command::Drag { from, to, observing } => {
                let observe = observing.observe();
                Call::of("browser_drag", tool::Drag { from, to, observe, timeout })
            }
            Command::Upload { target, files, observing } => {
                let paths: anyhow::Result<_> = files.iter().map(|file| absolute(file)).collect();
                let (paths, observe) = (tool::OneOrMany(paths?), observing.observe());
                Call::of("browser_upload", tool::Upload { target, paths, observe, timeout })
            }
        }
    }
}

impl Click {
    fn call(self, shared: &Shared) -> anyhow::Result<Call> {
        let hold = |modifier: &Modifier| match modifier {
            Modifier::Alt => tool::Modifier::Alt,
            Modifier::Control => tool::Modifier::Control,
            Modifier::Meta => tool::Modifier::Meta,
            Modifier::Shift => tool::Modifier::Shift,
        };
        let arguments = tool::Click {
            button: match self.button {
                Button::Left => tool::Button::Left,
                Button::Right => tool::Button::Right,
                Button::Middle => tool::Button::Middle,
            },
            count: self.double.then_some(2),
            hold: self.press_for,
            modifiers: self.hold.iter().map(hold).collect(),
            position: None,
            observe: self.observing.observe(),
            timeout: shared.timeout,
            target: self.target,
        };
        Call::of("browser_click", arguments)
    }
}

impl Fill {
    fn call(self, shared: &Shared) -> anyhow::Result<Call> {
        let value = |text: String| match text.as_str() {
            "true" => tool::FormValue::Checked(true),
            "false" => tool::FormValue::Checked(false),
            _ => tool::FormValue::Text(text),
        };
        let fields = self.fields.into_iter().map(|(label, text)| (label, value(text)));
        let arguments = tool::FillForm {
            fields: tool::FormFields(fields.collect()),
            submit: self.submit.map(|button| match button {
                Some(button) => tool::Submit::Button(button),
                None => tool::Submit::Own(true),
            }),
            observe: self.observing.observe(),
            timeout: shared.timeout,
        };
        Call::of("browser_fill_form", arguments)
    }
}

impl Select {
    fn call(self, shared: &Shared) -> anyhow::Result<Call> {
        let arguments = tool::Select {
            by: match self.by {
                By::Label => tool::SelectBy::Label,
                By::Value => tool::SelectBy::Value,
                By::Index => tool::SelectBy::Index,
            },
            observe: self.observing.observe(),
            timeout: shared.timeout,
            target: self.target,
            option: tool::OneOrMany(self.options),
        };
        Call::of("browser_select", arguments)
    }
}

impl Scroll {
    fn call(self) -> anyhow::Result<Call> {
        let to = self.to.map(|end| match end {
            End::Top => tool::ScrollTo::Top,
            End::Bottom => tool::ScrollTo::Bottom,
        });
        let observe = self.observing.observe();
        let arguments = tool::Scroll { target: self.target, to, dx: self.dx, dy: self.dy, observe };
        Call::of("browser_scroll", arguments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_ends_at_the_first_equals_sign_outside_brackets() {
        for (text, expected) in [
            ("Email=a@b.c", Some(("Email", "a@b.c"))),
            ("Formula=a=b", Some(("Formula", "a=b"))),
            ("input[name=q]=shoes", Some(("input[name=q]", "shoes"))),
            ("Empty=", Some(("Empty", ""))),
            ("nothing", None),
            ("=value", None),
        ] {
            let read = field(text).ok();
            let read = read.as_ref().map(|(label, value)| (&**label, &**value));
            assert_eq!(read, expected, "{text}");
        }
    }
}
