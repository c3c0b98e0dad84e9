//! Asking the person: for what a page wants of one, for what the model asks, for what a vendor wants agreed
//! to, and when nothing works.

use std::ops::ControlFlow::{self, Break, Continue};

use legwork_protocol::assistant::{AssistanceKind, AssistanceRequest, Reaction};
use legwork_protocol::{Reply, ToolError};
use serde_json::{Map, Value};

use super::Achieved;
use super::history::Piece;
use super::mind::{Came, Mind};
use super::offer::Assist;
use super::prompt::{chosen, short};
use super::recover::is_hopeless;
use super::vision;
use super::watch;
use crate::assist::{self, Need, Seen};
use crate::model::Call;

/// How often the person is asked for the same thing at the same place.
const TIMES: u32 = 2;

/// What the person answers to let a call be made that its vendor wants agreed to. Nothing else does.
const AGREES: &str = "yes";

const UNCHANGED: &str = "The page wants something of a person, who was asked and did not change it. Find \
                         another way, or give_up.";

impl Mind<'_> {
    /// Looks at the whole page. A person sees to what it wants of one, and it is looked at again.
    pub(super) async fn look(&mut self) -> ControlFlow<Achieved, Vec<Piece>> {
        let mut pieces = Vec::new();
        loop {
            let reply = match self.snapshot().await {
                Ok(reply) => reply,
                Err(error) if is_hopeless(error.code) => {
                    return Break(Achieved::Failed(error.told()));
                }
                Err(error) => {
                    pieces.extend([
                        Piece::ours("It could not be looked at:"),
                        Piece::page(error.told()),
                    ]);
                    return Continue(pieces);
                }
            };
            match self.need(&reply) {
                None => self.seen_to(),
                Some(need) => {
                    if let Some(helped) = self.helped(need).await? {
                        pieces.push(helped);
                        continue;
                    }
                    pieces.push(Piece::ours(UNCHANGED));
                }
            }
            pieces.push(Piece::Page { text: reply.text, whole: true });
            if self.drawn {
                pieces.extend(self.picture().await);
            }
            return Continue(pieces);
        }
    }

    /// What was asked for here is not there any more; if it comes again, it is asked for again.
    fn seen_to(&mut self) {
        let (_, here) = self.place(AssistanceKind::Custom);
        self.asked.retain(|(_, place), _| *place != here);
    }

    async fn snapshot(&mut self) -> Result<Reply, ToolError> {
        let most = Value::from(self.limits.page_tokens());
        let reply =
            self.hands.call("browser_snapshot", Map::from_iter([("max_tokens".into(), most)]));
        let reply = reply.await?;
        self.note_page(&reply, true);
        Ok(reply)
    }

    /// Remembers where the browser is and, of a whole page, what kind it is.
    pub(super) fn note_page(&mut self, reply: &Reply, whole: bool) {
        let part = |name| reply.data.get(name).and_then(Value::as_str);
        if let Some(url) = part("url") {
            self.url = url.to_owned();
        }
        if let Some(page) = part("page").filter(|_| whole) {
            self.drawn = vision::is_drawn(&self.url, page);
        }
    }

    /// What a whole page wants of a person, unless that was asked for often enough.
    pub(super) fn need(&self, reply: &Reply) -> Option<Need> {
        assist::recognise(&Seen::of(reply, &self.errand())?)
    }

    /// The person's words, by which an errand is known that signs in itself.
    pub(super) fn errand(&self) -> String {
        format!("{}\n{}", self.goal.instruction, self.goal.task)
    }

    /// Has a person see to it; what to tell the model, or nothing if the person was asked often enough.
    async fn helped(&mut self, need: Need) -> ControlFlow<Achieved, Option<Piece>> {
        let (kind, place) = (need.kind, self.place(need.kind));
        if need.may_pass && self.passed.insert(place.clone()) {
            let wait = Map::from_iter([
                ("event".to_owned(), Value::from("navigation")),
                ("timeout".to_owned(), Value::from("8s")),
            ]);
            // Whatever comes of it, the page is looked at again.
            let _ = self.hands.call("browser_wait", wait).await;
            return Continue(Some(Piece::ours(
                "The page checked the browser, and was waited for.",
            )));
        }
        let times = self.asked.get(&place).copied().unwrap_or_default();
        if times >= TIMES {
            return Continue(None);
        }
        let mut request = need.request(id(), None);
        if times > 0 {
            request.message = format!("It is still there. {}", request.message);
        }
        // Who says something instead has decided.
        let (times, told) = match self.hands.ask(request).await {
            Reaction::Done => {
                let told = format!("The page wanted a person ({kind:?}), who has seen to it.");
                (times + 1, Piece::Ours(told))
            }
            Reaction::Said(words) => (TIMES, self.hear(words)),
            Reaction::Skip => return Break(Achieved::Skipped),
            Reaction::Stop => return Break(Achieved::Stopped),
        };
        self.asked.insert(place, times);
        Continue(Some(told))
    }

    fn hear(&mut self, words: String) -> Piece {
        self.heard += &format!("{words}\n");
        Piece::Person(words)
    }

    /// Asks what the model wants asked.
    pub(super) async fn assist(&mut self, asked: Assist) -> ControlFlow<Achieved, Came> {
        let mut gist = format!("asked the person: {}", short(&asked.message, 200));
        let request = AssistanceRequest {
            id: id(),
            kind: asked.kind,
            message: asked.message,
            context: format!("The model asks this. {}", self.where_it_is()),
            choices: asked.choices,
            timeout: None,
        };
        let pieces = self.asked_for(request).await?;
        if let [Piece::Ours(_), Piece::Page { text, whole: false }] = &pieces[..] {
            gist += &format!(", who chose: {}", short(text, 200));
        }
        Continue(Came::of(pieces, gist))
    }

    /// Asks, and gives what to tell the model of the answer. Whatever it is, things are tried anew.
    async fn asked_for(&mut self, request: AssistanceRequest) -> ControlFlow<Achieved, Vec<Piece>> {
        self.watch.forget();
        let choices = request.choices.clone();
        match self.hands.ask(request).await {
            Reaction::Said(words) if choices.contains(&words) => Continue(chosen(words).to_vec()),
            Reaction::Said(words) => Continue(vec![self.hear(words)]),
            Reaction::Done => {
                let told = "The person has done something in the browser. The page now:";
                let mut pieces = vec![Piece::ours(told)];
                pieces.extend(self.look().await?);
                Continue(pieces)
            }
            Reaction::Skip => Break(Achieved::Skipped),
            Reaction::Stop => Break(Achieved::Stopped),
        }
    }

    /// Puts to the person what the model's vendor wants agreed to, with all the calls that it is about. Nobody
    /// but the person agrees.
    pub(super) async fn agree(
        &mut self,
        calls: &[&Call],
        terms: &str,
    ) -> ControlFlow<Achieved, Result<(), Came>> {
        let told = calls.iter().map(|call| {
            let arguments = call.arguments.as_ref().map(|map| Value::from(map.clone()).to_string());
            format!("{} {}", call.name, short(&arguments.unwrap_or_default(), 300))
        });
        let told = told.collect::<Vec<_>>().join(", then ");
        let request = AssistanceRequest {
            id: id(),
            kind: AssistanceKind::Custom,
            message: format!("The model's maker wants you to agree first: {}", short(terms, 600)),
            context: format!("It would call {told}. {}", self.where_it_is()),
            choices: vec![AGREES.to_owned(), "no".to_owned()],
            timeout: None,
        };
        let refused = |pieces: Vec<Piece>| {
            let gist = format!("{}: the person did not agree", short(&told, 300));
            Continue(Err(Came::of(pieces, gist).failed()))
        };
        match self.hands.ask(request).await {
            Reaction::Said(words) if words.trim().eq_ignore_ascii_case(AGREES) => Continue(Ok(())),
            Reaction::Said(words) => {
                let told = "Not done: the person did not agree. This is final.";
                refused(vec![Piece::ours(told), Piece::Person(words)])
            }
            Reaction::Done => {
                let told = "Not done: the person saw to it in the browser. Look at the page.";
                refused(vec![Piece::ours(told)])
            }
            Reaction::Skip => Break(Achieved::Skipped),
            Reaction::Stop => Break(Achieved::Stopped),
        }
    }

    /// Goes in circles: the model is told, then the person, then it ends.
    pub(super) async fn circling(&mut self, vain: u32) -> ControlFlow<Achieved, Vec<Piece>> {
        if vain < watch::TOLD {
            return Continue(Vec::new());
        }
        if vain < watch::ENDS {
            let told = format!(
                "This was tried {vain} times without effect. Try another way: another target (words, ref, its \
                 row), scroll, wait, {}or request_assistance.",
                if self.model.abilities().vision { "browser_take_screenshot, " } else { "" }
            );
            return Continue(vec![Piece::Ours(told)]);
        }
        let tried = self.watch.tried();
        if self.stuck {
            return Break(Achieved::Failed(format!(
                "nothing that was tried had an effect: {tried}"
            )));
        }
        self.stuck = true;
        let message = "Nothing that was tried has an effect. Please say how to go on, or do it in the browser.";
        let request = AssistanceRequest {
            id: id(),
            kind: AssistanceKind::Custom,
            message: message.to_owned(),
            context: format!("{} Tried: {tried}.", self.where_it_is()),
            choices: Vec::new(),
            timeout: None,
        };
        self.asked_for(request).await
    }

    fn where_it_is(&self) -> String {
        let page = self.url.split(['?', '#']).next().unwrap_or_default();
        let place =
            if page.is_empty() { "No page is open.".to_owned() } else { format!("At {page}.") };
        format!("{place} Task: {}", self.goal.task)
    }
}

/// A name for a request. Two that are alike would be mixed up, so it is random.
fn id() -> String {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).expect("the system gives random bytes");
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("help-{hex}")
}
