//! The path of a call, from JSON to its answer.

use legwork_protocol::{Action, Batch, Code, Progress, Reply, ToolCall, ToolError};

use crate::answer::shortened;
use crate::audit::{Ending, Entry, Judged, Record};
use crate::desk::Desk;
use crate::host::Host;
use crate::policy::{Facts, Kind, Passed, permit};
use crate::tools;

impl Host {
    /// Runs a call and records it. The record is open before the call is read and closes however it
    /// ends, also when the caller drops it.
    pub(crate) async fn guarded(&self, call: ToolCall) -> Result<Reply, ToolError> {
        let (session, tool) = (call.session.clone(), call.tool.clone());
        let entry = Entry { session, door: call.door.to_owned(), tool };
        let record = Record::open(self.audit(), entry)?;
        let answer = self.answer(call, &record).await.map_err(clipped);
        match &answer {
            Ok(reply) => record.close(Ending::Answered, &reply.text),
            Err(error) => record.close(Ending::Failed(error.code), &error.told()),
        }
        answer
    }

    async fn answer(&self, mut call: ToolCall, record: &Record) -> Result<Reply, ToolError> {
        let arguments = std::mem::take(&mut call.arguments);
        let action = Action::parse(&call.tool, arguments)?;
        let desk = self.desk(&call.session);
        let _turn = desk.turn.lock().await;
        let reply = match tools::canonical(action, &desk)? {
            Action::Batch(batch) => self.batch(&desk, batch, &call, record).await?,
            action => self.perform(&desk, action, &call, record).await?,
        };
        Ok(with_notices(&desk, reply))
    }

    /// Judges one action and does it.
    pub(crate) async fn perform(
        &self,
        desk: &Desk,
        action: Action,
        _: &ToolCall,
        record: &Record,
    ) -> Result<Reply, ToolError> {
        let facts = facts(desk, &action).await;
        let decision = self.rules().decide(&facts);
        let judged = Judged { facts: &facts, decision: &decision, answer: None, arguments: "{}" };
        record.judged(&judged)?;
        let Some(passed) = Passed::allowed(&decision) else {
            let rule = &decision.rule;
            let error = ToolError::new(Code::Denied, format!("{} ({rule})", decision.because));
            return Err(error);
        };
        tools::execute(desk, permit(action, passed)).await
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
        let mut report = tools::batch::Report::new(steps.len());
        for step in steps {
            let (done, total) = (report.done() as u64, Some(report.total() as u64));
            call.report(Progress { done, total, message: step.tool().to_owned() });
            let tool = step.tool();
            let ended = self.perform(desk, report.prepared(step), call, record).await;
            if !report.add(tool, ended, desk) {
                break;
            }
        }
        report.answer(desk).await
    }
}

/// An error that repeats a huge argument says the beginning of it.
fn clipped(error: ToolError) -> ToolError {
    const WORD: usize = 300;
    if error.message.split(' ').all(|word| word.len() <= WORD) {
        return error;
    }
    let words = error.message.split(' ').map(|word| shortened(word, WORD));
    ToolError { message: words.collect::<Vec<_>>().join(" "), ..error }
}

/// What is known without asking the page.
async fn facts(desk: &Desk, action: &Action) -> Facts {
    let page = match desk.open_session() {
        Some(session) => session.page().await.ok().and_then(|page| page.url().parse().ok()),
        None => None,
    };
    Facts {
        session: desk.name.clone(),
        tool: action.tool(),
        kind: kind(action),
        page,
        frame: None,
        to: None,
        element: None,
        files: Vec::new(),
        secrets: Vec::new(),
        dialog: None,
        unsaved: false,
        at: Some(std::time::SystemTime::now()),
        meanings: Vec::new(),
    }
}

fn kind(action: &Action) -> Kind {
    match action {
        Action::Navigate(_) | Action::Back(_) | Action::Forward(_) | Action::Reload(_) => {
            Kind::Navigate
        }
        Action::Click(_) | Action::Drag(_) | Action::Act(_) | Action::Batch(_) => Kind::Click,
        Action::Type(_) | Action::FillForm(_) | Action::Select(_) => Kind::Type,
        Action::PressKey(_) => Kind::Press,
        Action::Hover(_) | Action::Scroll(_) | Action::Resize(_) => Kind::Move,
        Action::Upload(_) => Kind::Upload,
        Action::Eval(_) => Kind::Eval,
        Action::HandleDialog(_) => Kind::Dialog,
        Action::Tabs(_) | Action::Open(_) | Action::Close(_) | Action::SetOffline(_) => {
            Kind::Session
        }
        Action::ReadImage(_) => Kind::File,
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

/// What happened behind the caller's back comes first: a browser that crashed and was replaced.
fn with_notices(desk: &Desk, reply: Reply) -> Reply {
    let notices = desk.open_session().map(|session| session.take_notices()).unwrap_or_default();
    if notices.is_empty() {
        return reply;
    }
    Reply { text: format!("({})\n{}", notices.join("; "), reply.text), ..reply }
}
