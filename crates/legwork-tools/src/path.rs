//! The path of a call, from JSON to its answer.

use legwork_protocol::{Action, Batch, Progress, Reply, ToolCall, ToolError};

use crate::answer::shortened;
use crate::audit::{Ending, Entry, Record};
use crate::desk::Desk;
use crate::host::Host;
use crate::policy::{Facts, permit};
use crate::tools;

impl Host {
    /// Runs a call and records it. The record is open before the call is read and closes however it
    /// ends, also when the caller drops it.
    pub(crate) async fn guarded(&self, call: ToolCall) -> Result<Reply, ToolError> {
        let entry = Entry { session: call.session.clone(), tool: call.tool.clone() };
        let record = Record::open(self.audit(), entry);
        let answer = self.answer(call).await.map_err(clipped);
        record.close(match &answer {
            Ok(_) => Ending::Answered,
            Err(error) => Ending::Failed(error.code),
        });
        answer
    }

    async fn answer(&self, mut call: ToolCall) -> Result<Reply, ToolError> {
        let arguments = std::mem::take(&mut call.arguments);
        let action = Action::parse(&call.tool, arguments)?;
        let desk = self.desk(&call.session);
        let _turn = desk.turn.lock().await;
        let reply = match tools::canonical(action, &desk)? {
            Action::Batch(batch) => self.batch(&desk, batch, &call).await?,
            action => self.perform(&desk, action).await?,
        };
        Ok(with_notices(&desk, reply))
    }

    /// Judges one action and does it.
    pub(crate) async fn perform(&self, desk: &Desk, action: Action) -> Result<Reply, ToolError> {
        let facts = facts(desk).await;
        let permitted = permit(self.policy(), action, &facts)?;
        tools::execute(desk, permitted).await
    }

    /// Every step is read before the first is done, and judged when its turn comes.
    async fn batch(&self, desk: &Desk, batch: Batch, call: &ToolCall) -> Result<Reply, ToolError> {
        let steps = tools::batch::read(batch, desk)?;
        let mut report = tools::batch::Report::new(steps.len());
        for step in steps {
            let (done, total) = (report.done() as u64, Some(report.total() as u64));
            call.report(Progress { done, total, message: step.tool().to_owned() });
            let tool = step.tool();
            let ended = self.perform(desk, report.prepared(step)).await;
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
async fn facts(desk: &Desk) -> Facts {
    let url = match desk.open_session() {
        Some(session) => session.page().await.ok().map(|page| page.url()),
        None => None,
    };
    Facts { session: desk.name.clone(), url }
}

/// What happened behind the caller's back comes first: a browser that crashed and was replaced.
fn with_notices(desk: &Desk, reply: Reply) -> Reply {
    let notices = desk.open_session().map(|session| session.take_notices()).unwrap_or_default();
    if notices.is_empty() {
        return reply;
    }
    Reply { text: format!("({})\n{}", notices.join("; "), reply.text), ..reply }
}
