//! `browser_select`.

use legwork_engine::Choice;
use legwork_protocol::{Reply, Select, SelectBy, ToolError};

use super::Execute;
use crate::answer;
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::Permitted;
use crate::secrets::{self, has_secret};

impl Execute for Select {
    async fn run(permitted: Permitted<Select>, desk: &Desk) -> Result<Reply, ToolError> {
        let (select, bound) = permitted.into_parts();
        let named = |option: &String| choice(select.by, option);
        let choices = select.option.0.iter().map(named).collect::<Result<Vec<_>, _>>()?;
        let page = bound.page(desk).await?;
        let how = desk.acting(select.timeout, select.observe);
        let target = bound.target(&select.target)?;
        let outcome = match &select.option.0[..] {
            [text] if has_secret(text) => {
                let text = (text.as_str(), true);
                secrets::enter(&desk.vault(), &page, &target, text, &how).await?.unwrap_or_default()
            }
            options if options.iter().any(|option| has_secret(option)) => {
                return Err(ToolError::invalid("a secret can be chosen by itself only"));
            }
            _ => page.select(&target, &choices, &how).await.map_err(from_engine)?,
        };
        let itself = outcome.acted_on.as_deref().is_some_and(|what| what.starts_with("option"));
        let verb = if itself { "chose" } else { "chose in" };
        answer::of(desk, &page, verb, outcome, select.observe).await
    }
}

fn choice(by: SelectBy, option: &str) -> Result<Choice, ToolError> {
    Ok(match by {
        SelectBy::Label => Choice::Label(option.to_owned()),
        SelectBy::Value => Choice::Value(option.to_owned()),
        SelectBy::Index => Choice::Index(
            option.parse().map_err(|_| ToolError::invalid(format!("{option:?} is no index")))?,
        ),
    })
}
