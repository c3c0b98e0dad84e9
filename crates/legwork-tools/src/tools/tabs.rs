//! `browser_tabs`.

use legwork_engine::{NAVIGATION, Page};
use legwork_protocol::{Observe, Reply, TabAction, Tabs, ToolError};
use serde_json::{Value, json};

use super::Execute;
use super::navigate::arrived;
use crate::answer;
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::Permitted;

impl Execute for Tabs {
    async fn run(permitted: Permitted<Tabs>, desk: &Desk) -> Result<Reply, ToolError> {
        let wanted = permitted.into_action();
        let session = desk.session();
        match wanted.action {
            TabAction::List => {}
            TabAction::New => {
                let before = front(desk).await;
                let page = session.new_tab().await.map_err(from_engine)?;
                desk.history.note_tab(before.as_deref(), &page);
                if let Some(url) = &wanted.url {
                    let outcome = page.navigate(url, NAVIGATION).await.map_err(from_engine)?;
                    return arrived(desk, &page, outcome, wanted.observe).await;
                }
            }
            TabAction::Select => {
                let (before, page) = (front(desk).await, numbered(desk, wanted.tab).await?);
                page.bring_to_front().await.map_err(from_engine)?;
                desk.history.note_front(before, &page);
                if wanted.observe == Some(Observe::Full) && page.dialog().is_none() {
                    let seen = answer::look(desk, &page, None).await?;
                    let mut reply = list(desk).await?;
                    reply.text = format!("{}\n{seen}", reply.text);
                    reply.data["page"] = seen.into();
                    return Ok(reply);
                }
            }
            TabAction::Close => {
                let page = numbered(desk, wanted.tab).await?;
                page.close().await.map_err(from_engine)?;
                desk.history.cannot(&page, "closed a tab", "its page is gone; open it again");
            }
        }
        list(desk).await
    }
}

/// The tab of that number, or the one in front.
async fn numbered(desk: &Desk, number: Option<usize>) -> Result<Page, ToolError> {
    let Some(number) = number else { return desk.page().await };
    let tabs = desk.session().tabs().await.map_err(from_engine)?;
    let count = tabs.len();
    let found = number.checked_sub(1).and_then(|index| tabs.into_iter().nth(index));
    found.ok_or_else(|| {
        let there = match count {
            0 => "no tab is open".to_owned(),
            1 => "the only tab is 1".to_owned(),
            count => format!("tabs are 1 to {count}"),
        };
        ToolError::invalid(format!("there is no tab {number}; {there}"))
    })
}

/// The tab in front, if there is any.
async fn front(desk: &Desk) -> Option<String> {
    let session = desk.open_session()?;
    if session.tabs().await.ok()?.is_empty() {
        return None;
    }
    Some(session.page().await.ok()?.id().to_owned())
}

async fn list(desk: &Desk) -> Result<Reply, ToolError> {
    let session = desk.session();
    let front = session.page().await.map_err(from_engine)?;
    let tabs = session.tabs().await.map_err(from_engine)?;
    let mut lines = Vec::new();
    let mut data: Vec<Value> = Vec::new();
    for (index, tab) in tabs.iter().enumerate() {
        let (number, in_front) = (index + 1, tab.id() == front.id());
        let mark = if in_front { " (in front)" } else { "" };
        let url = answer::shortened(&tab.url(), answer::URL);
        lines.push(format!("{number}. {url}{mark}"));
        data.push(json!({ "tab": number, "url": tab.url(), "front": in_front }));
    }
    let text = desk.within(&lines.join("\n"), None);
    Ok(Reply::text(text).with_data(json!({ "tabs": data })))
}
