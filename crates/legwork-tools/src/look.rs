//! Finding out what is known about an action before it is judged. Nothing is done to the page, and what
//! was looked at is what will be acted on.

mod bound;
mod parts;

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use legwork_engine::{Dialog, ElementFacts, Intent, Page, Point, Target, address};
use legwork_protocol::{Action, FillForm, FormValue, Submit, TabAction, ToolError, Type};
use url::Url;

use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::{Facts, Kind, meanings};
use crate::tools::{self, fields};

pub(crate) use bound::Bound;
use parts::{access_key, choosing, entering, is_enter, kind_of, with_sending};

/// What was found out about an action.
pub(crate) struct Looked {
    /// Each thing it would do; most actions do one.
    pub(crate) parts: Vec<Facts>,
    /// The elements it will be done to.
    pub(crate) bound: Bound,
}

/// What is known of an action. The element is looked at only if `element` says so: whoever judges may not
/// need it.
pub(crate) async fn at(desk: &Desk, action: &Action, element: bool) -> Result<Looked, ToolError> {
    let page = match desk.open_session() {
        // What ends the session needs no page.
        Some(session) if kind(action) == Kind::Session => session.page().await.ok(),
        Some(_) => Some(desk.page().await?),
        None => None,
    };
    let mut look =
        Look { plain: plain(desk, action, page.as_ref()), bound: Bound::to(page.as_ref()) };
    let parts = match &page {
        Some(page) if element => {
            look.bound.looks();
            look.closely(page, action).await?
        }
        _ => vec![look.plain],
    };
    let meant = |facts: Facts| Facts { meanings: meanings(&facts), ..facts };
    Ok(Looked { parts: parts.into_iter().map(meant).collect(), bound: look.bound })
}

struct Look {
    /// What is known without asking the page.
    plain: Facts,
    bound: Bound,
}

impl Look {
    async fn closely(&mut self, page: &Page, action: &Action) -> Result<Vec<Facts>, ToolError> {
        let position =
            |click: &legwork_protocol::Click| click.position.map(|at| Point { x: at.x, y: at.y });
        Ok(match action {
            Action::Click(click) => {
                let intent = Intent::Click(position(click));
                let facts = self.element(page, &click.target, intent, click.timeout).await?;
                let leads = facts.element.as_ref().is_some_and(|element| element.link.is_some());
                vec![if leads { self.leaving(page, facts).await } else { facts }]
            }
            Action::Hover(hover) => {
                vec![self.element(page, &hover.target, Intent::Point, hover.timeout).await?]
            }
            Action::Drag(drag) => vec![
                self.element(page, &drag.from, Intent::Point, drag.timeout).await?,
                self.element(page, &drag.to, Intent::Point, drag.timeout).await?,
            ],
            Action::Type(typed) => self.typed(page, typed).await?,
            Action::Select(select) => {
                let list =
                    self.element(page, &select.target, Intent::Field, select.timeout).await?;
                choosing(list, &select.option.0)
            }
            Action::Upload(upload) => {
                let field =
                    self.element(page, &upload.target, Intent::Field, upload.timeout).await?;
                // What is no file field is clicked, to see whether it asks for files.
                let clicked = Facts { kind: Kind::Click, ..field.clone() };
                if kind_of(&field) == "file" { vec![field] } else { vec![field, clicked] }
            }
            Action::PressKey(press) => {
                let facts = match press.target.as_deref() {
                    Some(target) => {
                        self.element(page, target, Intent::Field, press.timeout).await?
                    }
                    None => self.focused(page).await?,
                };
                let mut parts =
                    if is_enter(&press.key) { with_sending(facts) } else { vec![facts] };
                parts.extend(self.by_access_key(page, &press.key).await?);
                parts
            }
            Action::FillForm(form) => self.form(page, form).await?,
            Action::Reload(_) => {
                let facts = self.leaving(page, self.plain.clone()).await;
                vec![Facts { resends: page.was_posted(), ..facts }]
            }
            Action::Navigate(_)
            | Action::Open(_)
            | Action::Back(_)
            | Action::Forward(_)
            | Action::Close(_) => vec![self.leaving(page, self.plain.clone()).await],
            Action::Tabs(tabs) if tabs.action == TabAction::Close => {
                vec![self.leaving(page, self.plain.clone()).await]
            }
            _ => vec![self.plain.clone()],
        })
    }

    /// What typing does: to a field, or to whatever has the focus.
    async fn typed(&mut self, page: &Page, typed: &Type) -> Result<Vec<Facts>, ToolError> {
        let field = match tools::is_focus(&typed.target) {
            true => self.focused(page).await?,
            false => self.element(page, &typed.target, Intent::Field, typed.timeout).await?,
        };
        // A line break is the Enter key.
        let sends = typed.submit || typed.text.contains(['\n', '\r']);
        // What is no field and has the focus is pressed by a space or a line break.
        let pressed = field.element.as_ref().filter(|element| !element.holds);
        let pressed = pressed.map(|_| Facts { kind: Kind::Press, ..field.clone() });
        let mut parts = if sends { with_sending(field) } else { vec![field] };
        parts.extend(pressed);
        Ok(parts)
    }

    /// The facts about something that leaves the page. What cannot be found out counts as unsaved.
    async fn leaving(&self, page: &Page, facts: Facts) -> Facts {
        let unsaved = page.dialog().is_none() && page.has_unsent().await.unwrap_or(true);
        Facts { unsaved, ..facts }
    }

    /// The facts about one element that is acted on.
    async fn element(
        &mut self,
        page: &Page,
        text: &str,
        intent: Intent,
        timeout: Option<legwork_protocol::Span>,
    ) -> Result<Facts, ToolError> {
        let within = timeout.map_or(PATIENCE, |span| span.0);
        let target = tools::target(text)?;
        let element = page.facts(&target, intent, within).await.map_err(from_engine)?;
        self.bound.add(text, &element);
        Ok(self.about(element))
    }

    async fn focused(&mut self, page: &Page) -> Result<Facts, ToolError> {
        let element = page.focused_facts(PATIENCE).await.map_err(from_engine)?;
        let Some(element) = element else { return Ok(self.plain.clone()) };
        self.bound.add("", &element);
        Ok(self.about(element))
    }

    /// What a chord with Alt would press wherever the focus is: everything that has this access key.
    async fn by_access_key(&mut self, page: &Page, key: &str) -> Result<Vec<Facts>, ToolError> {
        let Some(letter) = access_key(key) else { return Ok(Vec::new()) };
        let keyed = Target::Css(format!("[accesskey~=\"{letter}\" i]"));
        let mut parts = Vec::new();
        for item in page.query(&keyed, usize::MAX).await.map_err(from_engine)?.items {
            let target = tools::target(&item.reference)?;
            let element = page.facts(&target, Intent::Reach, PATIENCE).await;
            let facts = self.about(element.map_err(from_engine)?);
            parts.push(Facts { kind: Kind::Click, ..facts });
        }
        Ok(parts)
    }

    /// Every field, and the button that sends the form if it is to be sent.
    async fn form(&mut self, page: &Page, form: &FillForm) -> Result<Vec<Facts>, ToolError> {
        let plan = fields::plan(page, &form.fields).await?;
        let mut parts = Vec::new();
        for field in &plan {
            let element = page.facts(&field.target, Intent::Field, PATIENCE).await;
            let element = element.map_err(from_engine)?;
            self.bound.add(&field.reference, &element);
            let facts = self.about(element);
            match &field.value {
                value if field.is_file => {
                    let files = vec![whole(&value.text())];
                    parts.push(Facts { kind: Kind::Upload, files, ..facts });
                }
                FormValue::Options(options) => parts.extend(choosing(facts, options)),
                value => parts.extend(choosing(facts, &[value.text()])),
            }
        }
        let submit = form.submit.as_ref().filter(|submit| **submit != Submit::Own(false));
        let Some(submit) = submit else { return Ok(parts) };
        match fields::button(submit, &plan) {
            // It may not be there, or not be enabled, before the fields are filled.
            Some(button) => {
                let target = tools::target(&button)?;
                let found = page.facts(&target, Intent::Reach, PATIENCE).await;
                let element = found.map_err(from_engine)?;
                self.bound.add(&button, &element);
                parts.push(Facts { kind: Kind::Click, ..self.about(element) });
            }
            None => parts.extend(parts.last().cloned().map(entering).unwrap_or_default()),
        }
        Ok(parts)
    }

    fn about(&self, element: ElementFacts) -> Facts {
        let form = element.form.as_ref().filter(|_| element.submits);
        let leads = form.map(|form| form.action.clone()).or_else(|| element.link.clone());
        Facts {
            frame: element.document.parse().ok(),
            to: leads.and_then(|url| url.parse().ok()),
            element: Some(element),
            ..self.plain.clone()
        }
    }
}

/// How long an element is waited for where the call does not say.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is known without asking the page.
fn plain(desk: &Desk, action: &Action, page: Option<&Page>) -> Facts {
    let opens = match action {
        Action::Navigate(navigate) => Some(&navigate.url),
        Action::Open(open) => Some(&open.url),
        Action::Tabs(tabs) if tabs.action == TabAction::New => tabs.url.as_ref(),
        _ => None,
    };
    let files = match action {
        Action::Upload(upload) => upload.paths.0.iter().map(|path| whole(path)).collect(),
        _ => Vec::new(),
    };
    let answered = matches!(action, Action::HandleDialog(answer) if answer.accept);
    let dialog = page.filter(|_| answered).and_then(|page| page.dialog());
    // An alert has one answer.
    let dialog = dialog.filter(|dialog| dialog.kind != "alert");
    let unsaved = dialog.as_ref().is_some_and(|dialog| dialog.kind == "beforeunload");
    Facts {
        session: desk.name.clone(),
        tool: action.tool(),
        kind: kind(action),
        page: page.and_then(|page| page.url().parse().ok()),
        frame: None,
        to: opens.and_then(|url| address(url).ok()).and_then(|url| Url::parse(&url).ok()),
        element: None,
        files,
        secrets: Vec::new(),
        dialog: dialog.map(asked),
        profile: None,
        unsaved,
        resends: false,
        at: Some(SystemTime::now()),
        meanings: Vec::new(),
    }
}

/// What a dialog asks. Chrome does not pass on what a page says when it would rather stay.
fn asked(dialog: Dialog) -> String {
    match (dialog.kind.as_str(), dialog.message.as_str()) {
        ("beforeunload", "") => "Leave site? Changes you made may not be saved.".to_owned(),
        _ => dialog.message,
    }
}

/// A path without links and detours; as it was given if there is no such file.
fn whole(path: &str) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path))
}

/// What kind of thing an action does.
pub(crate) fn kind(action: &Action) -> Kind {
    match action {
        Action::Navigate(_)
        | Action::Open(_)
        | Action::Back(_)
        | Action::Forward(_)
        | Action::Reload(_) => Kind::Navigate,
        Action::Click(_) | Action::Drag(_) | Action::Act(_) | Action::Batch(_) => Kind::Click,
        Action::Type(_) | Action::FillForm(_) | Action::Select(_) => Kind::Type,
        Action::PressKey(_) => Kind::Press,
        Action::Hover(_) | Action::Scroll(_) | Action::Resize(_) => Kind::Move,
        Action::Upload(_) => Kind::Upload,
        Action::Eval(_) => Kind::Eval,
        Action::HandleDialog(_) => Kind::Dialog,
        Action::Tabs(tabs) if tabs.action == TabAction::List => Kind::Read,
        Action::Tabs(tabs) if tabs.action == TabAction::New && tabs.url.is_some() => Kind::Navigate,
        Action::Tabs(_) | Action::Close(_) | Action::SetOffline(_) => Kind::Session,
        Action::ReadImage(_) => Kind::File,
        Action::Wait(wait) if wait.expression.is_some() => Kind::Eval,
        Action::Snapshot(_)
        | Action::Find(_)
        | Action::Query(_)
        | Action::Wait(_)
        | Action::Extract(_)
        | Action::TakeScreenshot(_)
        | Action::RecentConsoleLogs(_)
        | Action::ClearConsoleLogs(_)
        | Action::GetNetworkSources(_)
        | Action::GetServiceWorkers(_)
        | Action::Downloads(_) => Kind::Read,
    }
}
