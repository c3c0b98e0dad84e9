//! What a page asks of whoever looks at it: `alert`, `confirm`, `prompt`, and whether it may be left. Nobody
//! sits there, and until it has its answer the page takes no call, so that each is answered at once: with a no,
//! which commits to nothing, and where a page is being left with a yes, as far as the policy lets pages be left.

use legwork_protocol::{Code, HandleDialog, Observe, Reply, TabAction, Tabs, ToolError};
use serde::{Deserialize, Serialize};

use super::call::Caller;
use super::read;

/// How many dialogs in a row are answered for one call. A page that asks without end is not worth more, and is
/// left by leaving its tab.
const IN_A_ROW: usize = 3;

/// The kind of dialog in which a page asks whether it may be left.
pub(super) const LEAVING: &str = "beforeunload";

/// What a reply says of a dialog that waits.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Asked {
    /// What kind of dialog it is.
    dialog: Option<String>,
    /// Whether a document was loaded, or could not be.
    navigated: Option<bool>,
}

/// What a reply says of the tabs there are.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Open {
    tabs: Vec<Tab>,
}

#[derive(Deserialize)]
struct Tab {
    tab: usize,
    front: bool,
}

impl Open {
    fn front(&self) -> Option<usize> {
        self.tabs.iter().find(|tab| tab.front).map(|tab| tab.tab)
    }
}

impl Caller<'_> {
    /// Calls a tool. What a page asks meanwhile is declined, and the call made again: what is called like this
    /// may be done twice, as filling a field anew may.
    pub(crate) async fn call_past_dialogs(
        &self,
        tool: &str,
        arguments: &impl Serialize,
    ) -> Result<Reply, ToolError> {
        for _ in 0..IN_A_ROW {
            match self.call(tool, arguments).await {
                Err(error) if error.code == Code::DialogOpen => {
                    self.answer(false).await.map(drop)?
                }
                other => return other,
            }
        }
        if tool == "browser_navigate" {
            self.leave_the_tab().await?;
        }
        self.call(tool, arguments).await
    }

    /// Goes on in a new tab and closes the one in front.
    async fn leave_the_tab(&self) -> Result<(), ToolError> {
        let tabs = async |action, tab| {
            let asked = Tabs { action, tab, observe: Some(Observe::None), ..Tabs::default() };
            self.call("browser_tabs", &asked).await
        };
        let stuck = read::<Open>(&tabs(TabAction::List, None).await?).front();
        tabs(TabAction::New, None).await?;
        tabs(TabAction::Close, stuck).await.map(drop)
    }

    /// Lets a page go on that asks something because of a call: what it was about to do when it asked is a part
    /// of what was called for. The reply is that to the answer where only this led to another page.
    pub(crate) async fn go_on(&self, reply: Reply) -> Result<Reply, ToolError> {
        let mut told = reply;
        let mut asked = read::<Asked>(&told).dialog;
        for _ in 0..IN_A_ROW {
            let Some(kind) = asked else { break };
            let answered = match kind.as_str() {
                LEAVING => self.leave().await?,
                _ => self.answer(false).await?,
            };
            let Some(answered) = answered else { break };
            let next: Asked = read(&answered);
            asked = next.dialog;
            if next.navigated.is_some() {
                told = answered;
            }
        }
        Ok(told)
    }

    /// Leaves a page that would rather be stayed on. Where the policy minds, the page stays, and the call that
    /// would have left it is refused.
    async fn leave(&self) -> Result<Option<Reply>, ToolError> {
        match self.answer(true).await {
            Err(error) if error.code == Code::Denied => {
                self.answer(false).await?;
                Err(error)
            }
            other => other,
        }
    }

    /// Answers the dialog that waits; no reply where none does any more.
    async fn answer(&self, accept: bool) -> Result<Option<Reply>, ToolError> {
        let answer = HandleDialog { accept, text: None, observe: Some(Observe::None) };
        match self.call("browser_handle_dialog", &answer).await {
            Err(error) if error.code == Code::InvalidInput => Ok(None),
            other => other.map(Some),
        }
    }
}
