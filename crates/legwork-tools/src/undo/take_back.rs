//! Taking back, through the same path as every action: each step is judged, done, recorded and checked.

use legwork_engine::{Effect, Item, Page, Session, Target};
use legwork_protocol::{
    Action, Back, Code, FillForm, FormFields, FormValue, Forward, Navigate, Observe, Reply, Scroll,
    TabAction, Tabs, ToolCall, ToolError,
};
use serde_json::{Value, json};

use super::deed::{Deed, Held, Step, Undo, Way};
use super::{Asked, History};
use crate::audit::Record;
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::host::Host;
use crate::secrets::has_secret;

/// Who takes back, and for which call.
struct Taking<'a> {
    host: &'a Host,
    desk: &'a Desk,
    call: &'a ToolCall,
    record: &'a Record,
}

/// While it lives, nothing is a deed.
struct Undoing<'a>(&'a History);

impl<'a> Undoing<'a> {
    fn begin(history: &'a History) -> Undoing<'a> {
        history.past().seen = Some(Vec::new());
        Undoing(history)
    }

    /// Where the last scrolling ended.
    fn scrolled_to(&self) -> Option<i64> {
        self.0.past().seen.as_ref()?.iter().rev().find_map(|effect| match effect {
            Effect::Scrolled { y, .. } => Some(*y),
            _ => None,
        })
    }
}

impl Drop for Undoing<'_> {
    fn drop(&mut self) {
        self.0.past().seen = None;
    }
}

fn failed(message: impl Into<String>) -> ToolError {
    ToolError::new(Code::NotActionable, message)
}

impl Host {
    /// Answers what is asked of the past.
    pub(crate) async fn look_back(
        &self,
        asked: Asked,
        call: &ToolCall,
        record: &Record,
    ) -> Result<Reply, ToolError> {
        let desk = self.desk(&call.session);
        let _turn = desk.turn.lock().await;
        match asked {
            Asked::History => Ok(told(&desk.history)),
            Asked::Undo(count) => {
                Taking { host: self, desk: &desk, call, record }.last(count).await
            }
        }
    }
}

/// The last deeds, newest first, with what is passed over on the way to them.
fn last(history: &History, count: usize) -> Vec<Deed> {
    let past = history.past();
    let is_deed = |deed: &Deed| !matches!(deed.undo, Undo::Unknown(_));
    let (mut found, mut deeds) = (0, Vec::new());
    for deed in past.deeds.iter().rev().take_while(|deed| {
        found += usize::from(is_deed(deed));
        found <= count
    }) {
        deeds.push(deed.clone());
    }
    // Nothing has to be passed over behind the last one.
    while deeds.last().is_some_and(|deed| !is_deed(deed)) {
        deeds.pop();
    }
    deeds
}

/// The history as a reply.
fn told(history: &History) -> Reply {
    let past = history.past();
    if past.deeds.is_empty() {
        return Reply::text("nothing was done yet").with_data(json!({ "history": [] }));
    }
    let line = |deed: &Deed| {
        let (number, what) = (deed.number, &deed.what);
        let time = deed.time.get(11..19).unwrap_or_default();
        match &deed.undo {
            Undo::By(_) => format!("{number}. {time} {what}"),
            Undo::Cannot(why) | Undo::Unknown(why) => {
                format!("{number}. {time} {what} (cannot be undone: {why})")
            }
        }
    };
    let datum = |deed: &Deed| {
        let why = match &deed.undo {
            Undo::By(_) => None,
            Undo::Cannot(why) | Undo::Unknown(why) => Some(why),
        };
        json!({
            "number": deed.number, "time": deed.time, "what": deed.what,
            "undoable": why.is_none(), "why": why,
        })
    };
    let text: Vec<String> = past.deeds.iter().map(line).collect();
    let data: Vec<Value> = past.deeds.iter().map(datum).collect();
    Reply::text(text.join("\n")).with_data(json!({ "history": data }))
}

impl Taking<'_> {
    /// Takes back the last deeds, newest first; what cannot be taken back is told and left as it is.
    async fn last(&self, count: usize) -> Result<Reply, ToolError> {
        let deeds = last(&self.desk.history, count);
        if deeds.is_empty() {
            return Err(failed("there is nothing to undo"));
        }
        let undoing = Undoing::begin(&self.desk.history);
        let (mut lines, mut undone, mut first) = (Vec::new(), Vec::new(), None);
        for deed in &deeds {
            let ended = match &deed.undo {
                Undo::By(step) => self.one(deed, step, &undoing).await,
                Undo::Cannot(why) => Err(failed(why)),
                Undo::Unknown(why) => {
                    lines.push(format!("passed over: {}: {why}", deed.what));
                    continue;
                }
            };
            match ended {
                Ok(()) => {
                    self.desk.history.past().deeds.retain(|one| one.number != deed.number);
                    lines.push(format!("undone: {}", deed.what));
                    undone.push(deed.number);
                }
                Err(error) => {
                    lines.push(format!("not undone: {}: {}", deed.what, error.message));
                    first = first.or(Some(error));
                }
            }
        }
        let text = lines.join("\n");
        match first {
            Some(error) if undone.is_empty() => Err(ToolError { message: text, ..error }),
            failed => {
                let whole = failed.is_none();
                Ok(Reply::text(text).with_data(json!({ "undone": undone, "all": whole })))
            }
        }
    }

    async fn act(&self, action: Action) -> Result<Reply, ToolError> {
        self.host.perform(self.desk, action, self.call, self.record).await
    }

    async fn one(&self, deed: &Deed, step: &Step, undoing: &Undoing<'_>) -> Result<(), ToolError> {
        match step {
            Step::Close { tab } => return self.close(tab, &deed.tab).await,
            Step::Front { tab } => return self.front(tab).await.map(drop),
            _ => {}
        }
        let page = self.front(&deed.tab).await?;
        match step {
            Step::Fields(held) => self.fields(&page, held).await,
            Step::Scroll { target, moved, y } => {
                let (dx, dy) = (Some(-moved.0 as f64), Some(-moved.1 as f64));
                let observe = Some(Observe::None);
                let scroll = Scroll { target: target.clone(), to: None, dx, dy, observe };
                self.act(Action::Scroll(scroll)).await?;
                match undoing.scrolled_to() {
                    Some(now) if now.abs_diff(*y) <= 1 => Ok(()),
                    Some(now) => Err(failed(format!("it is at {now} pixels now, not at {y}"))),
                    None => Err(failed("where it is now could not be seen")),
                }
            }
            Step::Address { way, from, to } => self.address(&page, *way, from, to).await,
            Step::Close { .. } | Step::Front { .. } => Ok(()),
        }
    }

    /// Fills the fields with what they held, last one first, and reads them again.
    async fn fields(&self, page: &Page, held: &[Held]) -> Result<(), ToolError> {
        let mut fields = Vec::new();
        for one in held.iter().rev() {
            self.check_harmless(&one.value)?;
            let item = item(page, &one.reference).await?;
            fields.push((one.reference.clone(), suited(&one.value, &item)?));
        }
        let (submit, observe, timeout) = (None, Some(Observe::None), None);
        let form = FillForm { fields: FormFields(fields), submit, observe, timeout };
        self.act(Action::FillForm(form)).await?;
        for one in held {
            let item = item(page, &one.reference).await?;
            if !holds(&item, &one.value) {
                let name = format!("{} {:?}", item.role, item.name);
                return Err(failed(format!("{name} does not hold what it held before")));
            }
        }
        Ok(())
    }

    /// What a page had put into a field is no word of the caller's: it enters no secret, neither by its
    /// name nor by its value.
    fn check_harmless(&self, value: &FormValue) -> Result<(), ToolError> {
        let text = value.text();
        if has_secret(&text) {
            return Err(failed("what the field held before reads like the name of a secret"));
        }
        match self.host.redactor().mask(&text) {
            masked if masked == text => Ok(()),
            _ => Err(failed("what the field held before is a secret")),
        }
    }

    /// Goes back in the tab's history where that leads to the address, else goes there.
    async fn address(&self, page: &Page, way: Way, from: &str, to: &str) -> Result<(), ToolError> {
        let observe = Some(Observe::None);
        if page.url() == to {
            let action = match way {
                Way::Back => Action::Back(Back { timeout: None, observe }),
                Way::Forward => Action::Forward(Forward { timeout: None, observe }),
            };
            // Where there is no way back, the address is still known.
            if let Err(error) = self.act(action).await
                && error.code == Code::Denied
            {
                return Err(error);
            }
        }
        if page.url() != from {
            let url = from.to_owned();
            self.act(Action::Navigate(Navigate { url, timeout: None, observe })).await?;
        }
        match page.url() {
            now if now == from => Ok(()),
            now => Err(failed(format!("the page is {now} now, not {from}"))),
        }
    }

    /// Closes a tab, and shows the one it was opened from.
    async fn close(&self, tab: &str, opener: &str) -> Result<(), ToolError> {
        let number = self.number(tab).await?.ok_or_else(|| failed("the tab is closed already"))?;
        self.act(Action::Tabs(Tabs {
            action: TabAction::Close,
            tab: Some(number),
            ..Default::default()
        }))
        .await?;
        if self.number(tab).await?.is_some() {
            return Err(failed("the tab is still open"));
        }
        if self.number(opener).await?.is_some() {
            self.front(opener).await?;
        }
        Ok(())
    }

    /// The tab, brought to the front if it is not there.
    async fn front(&self, tab: &str) -> Result<Page, ToolError> {
        let number = self.number(tab).await?;
        let number = number.ok_or_else(|| failed("the tab it was done in is closed"))?;
        let page = self.desk.page().await?;
        if page.id() == tab {
            return Ok(page);
        }
        self.act(Action::Tabs(Tabs {
            action: TabAction::Select,
            tab: Some(number),
            ..Default::default()
        }))
        .await?;
        match self.desk.page().await? {
            page if page.id() == tab => Ok(page),
            _ => Err(failed("the tab it was done in does not come to the front")),
        }
    }

    /// The number of a tab that is open, from 1.
    async fn number(&self, tab: &str) -> Result<Option<usize>, ToolError> {
        let open: Option<Session> = self.desk.open_session();
        let session = open.ok_or_else(|| failed("the session is closed"))?;
        let tabs = session.tabs().await.map_err(from_engine)?;
        Ok(tabs.iter().position(|page| page.id() == tab).map(|index| index + 1))
    }
}

async fn item(page: &Page, reference: &str) -> Result<Item, ToolError> {
    let found = page.query(&Target::parse(reference), 1).await.map_err(from_engine)?;
    let item = found.items.into_iter().next();
    item.ok_or_else(|| failed("the field is not on the page any more"))
}

/// The value as the field takes it: the options of a list by their names.
fn suited(value: &FormValue, item: &Item) -> Result<FormValue, ToolError> {
    let FormValue::Text(text) = value else { return Ok(value.clone()) };
    if item.kind.as_deref() != Some("select") {
        return Ok(value.clone());
    }
    let has = |option: &str| item.options.iter().any(|known| known.trim() == option.trim());
    if has(text) {
        return Ok(FormValue::Options(vec![text.clone()]));
    }
    let options: Vec<String> = text.split(", ").map(str::to_owned).collect();
    match options.iter().all(|option| has(option)) {
        true => Ok(FormValue::Options(options)),
        false if text.is_empty() => {
            Err(failed("nothing was chosen in the list before, and it cannot be emptied"))
        }
        false => Err(failed("the list does not have the options any more that were chosen")),
    }
}

fn holds(item: &Item, value: &FormValue) -> bool {
    match value {
        FormValue::Checked(on) => item.checked == Some(*on),
        other => {
            let now = item.value.as_deref().unwrap_or_default();
            now == other.text()
        }
    }
}
