//! A call of a tool: made, its effect read from the answer, and told to the model in our words, with the
//! page's in the fence.

use std::ops::ControlFlow::{self, Break, Continue};

use legwork_protocol::{Action, Code, Reply, ToolError, find};
use serde::Deserialize;

use super::Achieved;
use super::history::Piece;
use super::mind::{Came, Mind};
use super::prompt::short;
use super::recover::{advice, is_hopeless, needs_fresh_view};
use super::watch::Effect;
use crate::assist;
use crate::interpret::names_file;
use crate::model::Call;

/// What an answer says for programs.
#[derive(Debug, Default, Deserialize)]
struct Shown {
    #[serde(default)]
    verdict: Option<String>,
    #[serde(default)]
    page: Option<String>,
    #[serde(default)]
    change: Option<String>,
}

/// Different calls that may be denied before it ends: nobody is to be worn down by asking in other ways.
const DENIALS: usize = 3;

impl Mind<'_> {
    /// Makes a call.
    pub(super) async fn act(&mut self, action: Action) -> ControlFlow<Achieved, Came> {
        let action = self.within_limits(action);
        self.note_pointing(&action);
        let gist = gist(&action);
        let named = format!("{} {}", action.tool(), action.arguments());
        if let Some(what) = self.unnamed(&action) {
            let told = format!(
                "Not done: the person did not name {what}. Go on without it, or ask for it."
            );
            let vain = self.watch.note(&action, Effect::Failed);
            let mut pieces = vec![Piece::Ours(told)];
            pieces.extend(self.circling(vain).await?);
            return Continue(Came::of(pieces, format!("{gist}: not named")).failed());
        }
        if self.denied.contains(&named) {
            let told = "Not done: this was denied before, and that is final. Go on without it, or give_up.";
            let vain = self.watch.note(&action, Effect::Failed);
            let mut pieces = vec![Piece::ours(told)];
            pieces.extend(self.circling(vain).await?);
            return Continue(Came::of(pieces, format!("{gist}: denied again")).failed());
        }
        match self.call(&action).await {
            Ok(reply) => self.answered(&action, reply, gist).await,
            Err(error) => {
                if is_final(&error) {
                    self.denied.insert(named);
                }
                if self.denied.len() >= DENIALS {
                    let why = format!("what it takes was denied {DENIALS} times, at last: {error}");
                    return Break(Achieved::Failed(why));
                }
                self.refused(&action, &error, gist).await
            }
        }
    }

    /// A secret or a file that the call takes and the person did not speak of: a page may have.
    fn unnamed(&self, action: &Action) -> Option<String> {
        let said = format!("{}\n{}", self.errand(), self.heard);
        let arguments = action.arguments().to_string();
        let secrets = arguments.split("{{secret:").skip(1);
        let mut secrets = secrets.filter_map(|rest| Some(rest.split_once("}}")?.0));
        if let Some(name) = secrets.find(|name| !said.contains(&format!("{{{{secret:{name}}}}}"))) {
            return Some(format!("the secret {name:?}"));
        }
        let files: &[String] = match action {
            Action::Upload(upload) => &upload.paths.0,
            _ => &[],
        };
        let strange = files.iter().find(|path| !names_file(&said, path));
        strange.map(|path| format!("the file {path:?}"))
    }

    async fn answered(
        &mut self,
        action: &Action,
        reply: Reply,
        gist: String,
    ) -> ControlFlow<Achieved, Came> {
        let shown = Shown::deserialize(&reply.data).unwrap_or_default();
        let whole = shown.page.is_some() && is_whole(action);
        self.note_page(&reply, whole);
        let effect = self.effect(action, &reply, &shown);
        let vain = match effect {
            // Whoever sees the picture knows better whether something changed in it.
            Effect::Nothing if self.drawn && self.model.abilities().vision => 0,
            effect => self.watch.note(action, effect),
        };
        let first = reply.text.lines().next().unwrap_or_default();
        let gist = format!("{gist}: {}", short(first, 160));
        let mut pieces = vec![Piece::ours(outcome(effect, &shown))];
        pieces.extend(self.pictures(&reply));
        let needs = match &shown.change {
            _ if whole => self.need(&reply).is_some(),
            Some(change) => assist::is_suspect(change, &self.errand()),
            None => false,
        };
        pieces.push(Piece::Page { text: reply.text, whole });
        if needs {
            pieces.extend(self.look().await?);
        } else if self.wants_picture(action, vain) && !is_look(action) {
            pieces.extend(self.picture().await);
        }
        pieces.extend(self.circling(vain).await?);
        let ends = match whole && !is_look(action) {
            true => Some("the page is another one now"),
            false => needs.then_some("the page had to be looked at"),
        };
        Continue(Came { ends, ..Came::of(pieces, gist) })
    }

    async fn refused(
        &mut self,
        action: &Action,
        error: &ToolError,
        gist: String,
    ) -> ControlFlow<Achieved, Came> {
        if is_hopeless(error.code) {
            return Break(Achieved::Failed(error.told()));
        }
        if !is_look(action) {
            self.last.failed(error);
        }
        let vain = self.watch.note(action, Effect::Failed);
        let mut pieces = vec![Piece::Ours(failure(error)), Piece::page(error.told())];
        if needs_fresh_view(error.code) {
            pieces.push(Piece::ours("The page now:"));
            pieces.extend(self.look().await?);
        }
        if self.wants_picture(action, vain) {
            pieces.extend(self.picture().await);
        }
        pieces.extend(self.circling(vain).await?);
        Continue(Came::of(pieces, format!("{gist}: failed, {}", error.code)).failed())
    }

    /// A call that cannot be read goes back with what is wrong with it.
    pub(super) async fn malformed(
        &mut self,
        call: &Call,
        error: &ToolError,
    ) -> ControlFlow<Achieved, Came> {
        let vain = self.watch.malformed(&call.name);
        let mut pieces = vec![Piece::Ours(failure(error)), Piece::page(error.told())];
        pieces.extend(self.circling(vain).await?);
        let gist = format!("{}: failed, {}", short(&call.name, 60), error.code);
        Continue(Came::of(pieces, gist).failed())
    }

    fn effect(&mut self, action: &Action, reply: &Reply, shown: &Shown) -> Effect {
        if is_look(action) {
            self.last.looked();
            return Effect::looked(&reply.text);
        }
        match shown.verdict.as_deref() {
            Some("nothing_changed") => {
                self.last.changed_nothing();
                Effect::Nothing
            }
            _ => {
                self.last.changed();
                Effect::Changed
            }
        }
    }

    /// The call with no more of the page asked for than the model is shown.
    fn within_limits(&self, mut action: Action) -> Action {
        let most = self.limits.page_tokens();
        match &mut action {
            Action::Snapshot(look) => {
                look.max_tokens = Some(look.max_tokens.map_or(most, |asked| asked.min(most)));
            }
            Action::Extract(read) => {
                read.max_tokens = Some(read.max_tokens.map_or(most, |asked| asked.min(most)));
            }
            _ => {}
        }
        action
    }
}

/// Whether it was decided against. A question that came to nothing because the page changed may be put
/// again.
fn is_final(error: &ToolError) -> bool {
    error.code == Code::Denied && error.hint.as_deref() != Some("call again")
}

fn failure(error: &ToolError) -> String {
    let what_to_do = match error.code {
        Code::Denied if !is_final(error) => {
            "The page changed while it was asked about. Look, then call again."
        }
        code => advice(code),
    };
    format!("Failed ({}). {what_to_do}", error.code)
}

/// Whether a call only looks. A wait is more: it says whether something came.
pub(super) fn is_look(action: &Action) -> bool {
    let read_only = find(action.tool()).is_some_and(|spec| spec.hints.read_only);
    read_only && !matches!(action, Action::Wait(_))
}

/// Whether the page in an answer is all of it.
fn is_whole(action: &Action) -> bool {
    match action {
        Action::Snapshot(look) => {
            look.target.is_none()
                && look.more.is_none()
                && look.depth.is_none()
                && !look.interactive
        }
        _ => true,
    }
}

/// What came of it, in our words.
fn outcome(effect: Effect, shown: &Shown) -> &'static str {
    match (effect, shown.verdict.as_deref()) {
        (Effect::Nothing, _) => "Done, but nothing on the page changed.",
        (_, Some("unverified")) => "Sent, but it could not be verified. Look before you repeat it.",
        (Effect::Looked(_), _) => "Seen:",
        _ => "Done.",
    }
}

/// A call in a line.
fn gist(action: &Action) -> String {
    let mut arguments = action.arguments();
    if let Some(map) = arguments.as_object_mut() {
        map.retain(|name, value| name != "max_tokens" && !value.is_null() && *value != false);
    }
    format!("{} {}", action.tool(), short(&arguments.to_string(), 160))
}
