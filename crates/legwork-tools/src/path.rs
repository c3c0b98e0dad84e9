//! The path of a call, from JSON to its answer.

use std::time::Duration;

use legwork_protocol::{Action, Batch, Code, Progress, Reply, ToolCall, ToolError, tokens};

use crate::answer::shortened;
use crate::approvals::{self, Approval, Asking};
use crate::audit::{Ending, Entry, Judged, Record};
use crate::desk::Desk;
use crate::host::Host;
use crate::look::{self, Looked};
use crate::policy::{Decision, Facts, Kind, Passed, Stance, Verdict, permit};
use crate::pulse::{self, Pulse};
use crate::{secrets, tools, undo};

/// Characters that are told of what a page says itself.
const SAID: usize = 900;

/// Tokens of what may stand beside a page in an error: what was not done, and where the rest is.
const NOTES: usize = 150;

/// Actions a minute that a run of the assistant may do on a site of which no rule says how many.
const OF_RUN: u32 = 10;

impl Host {
    /// Runs a call and records it. The record is open before the call is read and closes however it
    /// ends, also when the caller drops it.
    pub(crate) async fn guarded(&self, mut call: ToolCall) -> Result<Reply, ToolError> {
        let (session, tool) = (call.session.clone(), call.tool.clone());
        let (door, client) = (call.door.to_owned(), call.client.clone());
        let entry = Entry { session, door, client, tool };
        let running = self.running().begin(&call.session);
        let record = Record::open(self.audit(), entry)?;
        let pulse = Pulse::of(&mut call);
        let answer = tokio::select! {
            biased;
            () = running.stopped() => return Err(record.stop()),
            never = pulse::beat(pulse.as_deref(), self.beat()) => match never {},
            answer = self.answer(call, &record) => answer,
        };
        let redactor = self.redactor();
        let answer = match answer {
            Ok(reply) => Ok(redactor.reply(reply)),
            Err(error) => Err(clipped(redactor.error(error), self.page_tokens())),
        };
        match &answer {
            Ok(reply) => {
                record.pictured(&reply.images);
                record.close(Ending::Answered, &reply.text);
            }
            Err(error) => record.close(Ending::Failed(error.code), &error.told()),
        }
        answer
    }

    async fn answer(&self, mut call: ToolCall, record: &Record) -> Result<Reply, ToolError> {
        let _phase = self.phase().read().await;
        let arguments = std::mem::take(&mut call.arguments);
        if let Some(asked) = undo::Asked::read(&call.tool, &arguments)? {
            return self.look_back(asked, &call, record).await;
        }
        let action = Action::parse(&call.tool, arguments)?;
        let desk = self.desk(&call.session);
        let _turn = desk.turn.lock().await;
        desk.describe(call.describe);
        let reply = match tools::canonical(action, &desk)? {
            Action::Batch(batch) => self.batch(&desk, batch, &call, record).await?,
            action => self.perform(&desk, action, &call, record).await?,
        };
        Ok(with_notices(&desk, reply))
    }

    /// Does one action. What the page says itself when it fails is told in short, and masked before it is
    /// cut: half a secret is not recognised any more.
    pub(crate) async fn perform(
        &self,
        desk: &Desk,
        action: Action,
        call: &ToolCall,
        record: &Record,
    ) -> Result<Reply, ToolError> {
        let done = self.attempt(desk, action, call, record).await;
        done.map_err(|error| in_short(self.redactor().error(error)))
    }

    /// Looks at one action, judges it, and does it.
    async fn attempt(
        &self,
        desk: &Desk,
        action: Action,
        call: &ToolCall,
        record: &Record,
    ) -> Result<Reply, ToolError> {
        let secrets = secrets::names(&action)?;
        let element = self.rules().needs_element(look::kind(&action), self.can_ask(call));
        let Looked { mut parts, bound } = look::at(desk, &action, element).await?;
        for facts in &mut parts {
            facts.secrets.clone_from(&secrets);
            facts.profile = self.foreign_profile(&action);
        }
        let (facts, decision) = self.strictest(&parts);
        let passed = self.passed(&action, &parts, facts, &decision, call, record).await?;
        let waited = self.in_turn(facts, call).await;
        // A person or a limit took time, in which the page may have become another.
        let bound = match decision.verdict == Verdict::Ask || waited.is_some() {
            true => {
                let again = look::at(desk, &action, element).await?;
                unchanged(&parts, &again.parts, decision.verdict == Verdict::Ask)?;
                self.still_permitted(&again.parts, &decision)?;
                again.bound
            }
            false => bound,
        };
        let reply = tools::execute(desk, permit(action, bound, passed)).await?;
        Ok(with_wait(reply, waited))
    }

    /// What a person agreed to, or what waited its turn, is judged once more: its time may have passed.
    fn still_permitted(&self, now: &[Facts], before: &Decision) -> Result<(), ToolError> {
        let (_, decision) = self.strictest(now);
        if decision.verdict > before.verdict { Err(refused(&decision)) } else { Ok(()) }
    }

    /// Records what was judged, and lets it pass if policy does, or a person it wants asked.
    async fn passed(
        &self,
        action: &Action,
        parts: &[Facts],
        facts: &Facts,
        decision: &Decision,
        call: &ToolCall,
        record: &Record,
    ) -> Result<Passed, ToolError> {
        let masked = self.redactor().facts(facts);
        let arguments = &self.redactor().arguments(action);
        let told = |answer| Judged { facts: &masked, decision, answer, arguments };
        if let Some(passed) = Passed::allowed(decision) {
            record.judged(&told(None))?;
            return Ok(passed);
        }
        if decision.verdict == Verdict::Refuse {
            record.judged(&told(None))?;
            return Err(refused(decision));
        }
        let asks = |facts: &&Facts| self.rules().decide(facts).verdict == Verdict::Ask;
        let about: Vec<Facts> =
            parts.iter().filter(asks).map(|facts| self.redactor().facts(facts)).collect();
        let asked = self.approved(&about, arguments, decision, call).await;
        let answer = match &asked {
            Ok(approval) => approval.by.clone(),
            Err(error) => error.message.clone(),
        };
        record.judged(&told(Some(&answer)))?;
        Ok(Passed::approved(asked?))
    }

    /// What is judged strictest of all that an action would do.
    fn strictest<'a>(&self, parts: &'a [Facts]) -> (&'a Facts, Decision) {
        let judged = parts.iter().map(|facts| (facts, self.rules().decide(facts)));
        let mut judged: Vec<_> = judged.collect();
        judged.sort_by_key(|(_, decision)| std::cmp::Reverse(decision.verdict));
        judged.swap_remove(0)
    }

    /// Whether what a person says would make a difference.
    fn can_ask(&self, call: &ToolCall) -> bool {
        let rules = self.rules();
        let rules = rules.approvals();
        call.person.is_some()
            || rules.hook.is_some()
            || rules.unanswered == Stance::Refuse
            || self.approvals().is_attended(&call.session)
    }

    async fn approved(
        &self,
        facts: &[Facts],
        arguments: &str,
        decision: &Decision,
        call: &ToolCall,
    ) -> Result<Approval, ToolError> {
        let rules = self.rules();
        let rules = rules.approvals();
        let what = approvals::sentence(facts, arguments);
        let message = format!("waiting for a person to approve: {what}");
        call.report(Progress { done: 0, total: None, message });
        let asking = Asking {
            facts,
            arguments,
            decision,
            door: call.door,
            person: call.person.as_ref(),
            expires: rules.expires,
            unanswered: rules.unanswered,
            hook: rules.hook.as_deref(),
        };
        self.approvals().ask(&asking).await
    }

    /// Waits until the site may be acted on once more. Looking does not count.
    async fn in_turn(&self, facts: &Facts, call: &ToolCall) -> Option<(String, Duration)> {
        let url =
            facts.to.as_ref().filter(|_| facts.kind == Kind::Navigate).or(facts.page.as_ref());
        // With a dot at its end it is the same host.
        let site = url?.host_str()?.trim_end_matches('.').to_owned();
        let limit = self.rules().rate(&site).or(call.of_run.then_some(OF_RUN));
        let limit = limit.filter(|_| counts(facts))?;
        let waiting = |wait: Duration| {
            let message = format!(
                "waiting {} s: {limit} actions a minute on {site}",
                wait.as_secs_f32().ceil()
            );
            call.report(Progress { done: 0, total: None, message });
        };
        let waited = self.rate().wait(&site, limit, waiting).await;
        (waited > Duration::from_millis(50)).then_some((site, waited))
    }

    /// Every step is read before the first is done, and judged when its turn comes.
    async fn batch(
        &self,
        desk: &Desk,
        batch: Batch,
        call: &ToolCall,
        record: &Record,
    ) -> Result<Reply, ToolError> {
        let steps = tools::batch::read(batch, desk)?;
        let mut report = tools::batch::Report::new(&steps);
        for step in steps {
            let (done, total) = (report.done() as u64, Some(report.total() as u64));
            call.report(Progress { done, total, message: step.tool().to_owned() });
            let ended = self.perform(desk, report.prepared(step), call, record).await;
            if !report.add(ended, desk) {
                break;
            }
        }
        report.answer(desk).await
    }
}

/// An exception of a script and the text of a dialog are the page's own words, however many. Where in a
/// script it was thrown stays.
fn in_short(error: ToolError) -> ToolError {
    if !matches!(error.code, Code::ScriptError | Code::DialogOpen) {
        return error;
    }
    let at = error.message.rfind(" at line ").unwrap_or(error.message.len());
    let (said, place) = error.message.split_at(at);
    let message = shortened(said, SAID) + &shortened(place, SAID);
    ToolError { message, ..error }
}

/// An error that repeats a huge argument says the beginning of it, and none is longer than a page may be.
fn clipped(error: ToolError, page_tokens: usize) -> ToolError {
    const WORD: usize = 300;
    let mut message = error.message;
    if message.split(' ').any(|word| word.len() > WORD) {
        let words = message.split(' ').map(|word| shortened(word, WORD));
        message = words.collect::<Vec<_>>().join(" ");
    }
    let end = tokens::cut(&message, page_tokens + NOTES);
    if end < message.len() {
        message.truncate(end);
        message.push('…');
    }
    ToolError { message, ..error }
}

/// Whether an action counts against a site's limit. Pointing at something is one that pages answer to;
/// scrolling and the size of the window are part of looking.
fn counts(facts: &Facts) -> bool {
    let points = facts.tool == "browser_hover";
    points || !matches!(facts.kind, Kind::Read | Kind::Move | Kind::Session | Kind::File)
}

fn refused(decision: &Decision) -> ToolError {
    let Decision { rule, because, .. } = decision;
    let error = ToolError::new(Code::Denied, format!("{because} ({rule})"));
    error.with_hint("the policy decides this, not the page: `legwork policy show` tells the rules")
}

/// What was judged, or approved, counts for the same elements, on the same sites, on the same terms. Of two
/// equal buttons, a person agreed to one.
fn unchanged(before: &[Facts], now: &[Facts], agreed: bool) -> Result<(), ToolError> {
    let terms = |facts: &Facts| {
        let element = facts.element.as_ref();
        let which = element.map(|one| one.reference.clone());
        let agreed = agreed.then(|| (which, facts.meanings.clone()));
        let element = element.map(|one| (one.seal.clone(), one.terms.clone()));
        (approvals::site(facts), facts.to.clone(), element, facts.dialog.clone(), agreed)
    };
    let same =
        before.len() == now.len() && before.iter().zip(now).all(|(a, b)| terms(a) == terms(b));
    if same {
        return Ok(());
    }
    let void = "the page changed while this call waited, so what was judged or approved is void; nothing \
                was done";
    Err(ToolError::new(Code::Denied, void).with_hint("call again"))
}

fn with_wait(reply: Reply, waited: Option<(String, Duration)>) -> Reply {
    let Some((site, waited)) = waited else { return reply };
    let seconds = waited.as_secs_f32();
    Reply { text: format!("(waited {seconds:.1} s for {site}'s limit)\n{}", reply.text), ..reply }
}

/// What happened behind the caller's back comes first: a browser that crashed and was replaced.
fn with_notices(desk: &Desk, reply: Reply) -> Reply {
    let notices = desk.open_session().map(|session| session.take_notices()).unwrap_or_default();
    if notices.is_empty() {
        return reply;
    }
    Reply { text: format!("({})\n{}", notices.join("; "), reply.text), ..reply }
}
