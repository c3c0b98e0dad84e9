//! Tasks: what was understood of an instruction, one thing to do each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::browser::BrowserState;

/// What is to be done, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskList {
    /// Names it.
    pub id: String,
    /// The tasks.
    pub tasks: Vec<Task>,
    /// What it was understood in.
    pub context: TaskContext,
    /// When it was made, as RFC 3339 in UTC.
    pub created_at: String,
}

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// Names it within its list: `t1`, `t2` …
    pub id: String,
    /// In words, as a person reads it.
    pub description: String,
    /// What to do. On the wire: `type` and `parameters`.
    #[serde(flatten)]
    pub work: Work,
    /// How far it is.
    pub status: TaskStatus,
    /// The tasks that have to be completed before this one begins.
    pub dependencies: Vec<String>,
    /// What came of it: what was verified, what was read, or why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
}

/// How far a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Not begun.
    Pending,
    /// Being done.
    Executing,
    /// Done, and seen to be done.
    Completed,
    /// Not done; the outcome says why.
    Failed,
    /// Waits for a person.
    RequiresAssistance,
}

impl TaskStatus {
    /// Whether nothing more will come of it.
    pub fn is_final(self) -> bool {
        matches!(self, TaskStatus::Completed | TaskStatus::Failed)
    }
}

/// The seven kinds of tasks with what they need. What is not known yet is left out, and found out by a
/// model while it is done; see [`Work::is_exact`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "parameters", rename_all = "snake_case")]
pub enum Work {
    /// Clicks an element, or points at it in another way.
    Click(Click),
    /// Puts something into the page: text, a choice, a tick, a file, a key.
    Input(Input),
    /// Scrolls.
    Scroll(Scroll),
    /// Goes somewhere.
    Navigate(Navigate),
    /// Waits for something.
    Wait(Wait),
    /// Reads something out of the page.
    Extract(Extract),
    /// Drags one element to another.
    Drag(Drag),
}

impl Work {
    /// The kind, as it is written.
    pub fn kind(&self) -> &'static str {
        match self {
            Work::Click(_) => "click",
            Work::Input(_) => "input",
            Work::Scroll(_) => "scroll",
            Work::Navigate(_) => "navigate",
            Work::Wait(_) => "wait",
            Work::Extract(_) => "extract",
            Work::Drag(_) => "drag",
        }
    }

    /// Whether everything is known that is needed to do it without thinking.
    pub fn is_exact(&self) -> bool {
        match self {
            Work::Click(click) => click.target.is_some(),
            Work::Input(input) => {
                input.value.is_some()
                    && (input.target.is_some() || matches!(input.value, Some(InputValue::Key(_))))
            }
            Work::Scroll(_) => true,
            Work::Navigate(to) => !matches!(to, Navigate::Open),
            Work::Wait(wait) => wait.until.is_some(),
            Work::Extract(extract) => extract.is_exact(),
            Work::Drag(drag) => drag.from.is_some() && drag.to.is_some(),
        }
    }
}

/// A click. Targets are written as every tool takes them: words, ref, CSS or XPath.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Click {
    /// What to click.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// How.
    #[serde(default)]
    pub gesture: Gesture,
    /// Again and again until this is so; once if nothing is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<WaitFor>,
}

/// How an element is pointed at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Gesture {
    /// A click.
    #[default]
    Click,
    /// Two clicks.
    Double,
    /// The other button.
    Right,
    /// Only over it.
    Hover,
}

/// Something put into the page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Into what; a key goes to what has the focus if nothing is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// What is put in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<InputValue>,
    /// Whether Enter follows.
    #[serde(default)]
    pub submit: bool,
}

/// What is put into an element.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InputValue {
    /// Text that replaces what is there. May name a secret, `{{secret:NAME}}`, or what another task of the
    /// list has read, `{{result:t1}}`.
    Text(String),
    /// Options of a list, by their labels.
    Options(Vec<String>),
    /// A box ticked or not.
    Checked(bool),
    /// Files to upload.
    Files(Vec<String>),
    /// A key or chord: `Enter`, `Control+A`.
    Key(String),
}

/// Scrolling.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scroll {
    /// What scrolls, or what is scrolled to; the page if nothing is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// How far.
    pub by: ScrollBy,
}

/// How far to scroll.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScrollBy {
    /// Until the target is in view.
    IntoView,
    /// To the beginning.
    Top,
    /// To the end.
    Bottom,
    /// By pixels; up if negative.
    Pixels(i32),
}

/// Going somewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Navigate {
    /// To an address.
    Url(String),
    /// To the page before.
    Back,
    /// To the page after.
    Forward,
    /// To the same page again.
    Reload,
    /// To a tab by its number, from 1.
    Tab(u32),
    /// Not known yet.
    Open,
}

/// Waiting.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Wait {
    /// For what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<WaitFor>,
    /// How long at most, such as `15s`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<String>,
}

/// What is waited for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitFor {
    /// Words or an element are there.
    Visible(String),
    /// They are gone.
    Gone(String),
    /// The address contains this.
    Url(String),
    /// Nothing loads any more.
    Quiet,
    /// So much time has passed, such as `2s`.
    Time(String),
}

/// Reading.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Extract {
    /// What is wanted, in words, if it is not simply all of the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// From what; the page if nothing is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// As what.
    #[serde(default, rename = "as")]
    pub form: ExtractAs,
}

impl Extract {
    /// Whether it is simply all of the target, in a form that needs no thinking. Which part of it is wanted, and
    /// what Markdown an element comes to, a query does not say.
    fn is_exact(&self) -> bool {
        let as_is = self.target.is_none() || self.form != ExtractAs::Markdown;
        self.what.is_none() && as_is
    }
}

/// The form of what is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExtractAs {
    /// Its text.
    #[default]
    Text,
    /// Markdown.
    Markdown,
    /// A table or list as data.
    Data,
    /// A picture.
    Picture,
}

/// Dragging.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Drag {
    /// What is dragged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Where to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// What an instruction is understood in.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskContext {
    /// The browser session.
    pub session_id: String,
    /// What was done before, oldest first.
    pub previous_tasks: Vec<CompletedTask>,
    /// How many older tasks are left out of them: a session remembers its last 50.
    #[serde(default)]
    pub previous_tasks_left_out: u32,
    /// Where the browser is.
    pub current_url: String,
    /// What the person said they like.
    pub user_preferences: Preferences,
    /// The page as it was last seen.
    pub browser_state: BrowserState,
}

/// A task that is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompletedTask {
    /// The task as it ended.
    #[serde(flatten)]
    pub task: Task,
    /// The instruction it came from.
    pub instruction: String,
    /// The list it was part of: the same words, said again, are another.
    #[serde(default)]
    pub list_id: String,
    /// When it ended, as RFC 3339 in UTC.
    pub ended_at: String,
}

/// What a person said they like, by topic: `size` to `large`. Also corrections given while a run went on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Preferences(pub std::collections::BTreeMap<String, String>);
