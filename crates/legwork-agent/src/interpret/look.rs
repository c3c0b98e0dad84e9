//! What is done to see more, to wait, and to read.

use legwork_protocol::assistant::{Extract, ExtractAs, Scroll, ScrollBy, Wait, WaitFor, Work};

use super::english::{English, Sense};
use super::fault::{Fault, span};
use super::gap::{Gap, joined, number, time};
use super::mean::{Reading, at};
use super::phrase::{self, is_stage, said};
use super::scene::Scene;
use super::token::{Kind, Token};
use super::value;

/// How far "scroll down" goes: most of a usual window.
const SCREEN: i32 = 600;

pub fn scrolling(reading: &Reading, scene: &mut Scene) -> Result<Vec<Work>, Fault> {
    let words = reading.gap(Gap::Target);
    if matches!(reading.sense, Sense::Find | Sense::Scope) {
        let scope = phrase::surroundings(reading.need(Gap::Target), scene)?;
        scene.scope = Some(scope.clone());
        scene.dangling = (reading.sense == Sense::Scope).then(|| span(reading.tokens));
        let find = Work::Scroll(Scroll { target: Some(scope), by: ScrollBy::IntoView });
        return Ok(if reading.sense == Sense::Find { vec![find] } else { Vec::new() });
    }
    let pixels = reading.gap(Gap::Number).and_then(|words| number(&words[0]));
    let pixels = pixels.map_or(SCREEN, |pixels| pixels as i32);
    let by = match reading.sense {
        Sense::ScrollDown => ScrollBy::Pixels(pixels),
        Sense::ScrollUp => ScrollBy::Pixels(-pixels),
        Sense::ScrollBottom => ScrollBy::Bottom,
        Sense::ScrollTop => ScrollBy::Top,
        _ => ScrollBy::IntoView,
    };
    let words = words.filter(|words| !is_stage(words));
    let target = words.map(|words| at(words, scene)).transpose()?;
    Ok(vec![Work::Scroll(Scroll { target, by })])
}

pub fn waiting(reading: &Reading, scene: &Scene) -> Result<Vec<Work>, Fault> {
    let span = reading.gap(Gap::Time).and_then(time);
    let target = |scene: &Scene| at(reading.need(Gap::Target), scene);
    let (until, timeout) = match reading.sense {
        Sense::WaitTime => (WaitFor::Time(span.unwrap_or_default()), None),
        Sense::WaitQuiet => (WaitFor::Quiet, None),
        Sense::WaitUrl => (WaitFor::Url(value::text(reading.need(Gap::Value), scene)?), None),
        Sense::WaitGone => (WaitFor::Gone(target(scene)?), None),
        _ => (WaitFor::Visible(target(scene)?), span),
    };
    Ok(vec![Work::Wait(Wait { until: Some(until), timeout })])
}

pub fn reading_out(reading: &Reading, scene: &Scene) -> Result<Vec<Work>, Fault> {
    let words = reading.gap(Gap::Target).filter(|words| !is_stage(words));
    if reading.sense == Sense::Ask {
        let question = !English::get().has("asks", &reading.tokens[0].lower);
        let words = if question { reading.tokens } else { reading.need(Gap::What) };
        let what = Some(said(words));
        return Ok(vec![Work::Extract(Extract { what, ..Default::default() })]);
    }
    let target = words.map(|words| what_is_read(words, scene)).transpose()?;
    let last = words.and_then(|words| words.last()).map(|last| last.lower.as_str());
    let markdown = reading.gap(Gap::Form).is_some_and(|form| form[0].is("markdown"));
    let form = match (reading.sense, last) {
        (Sense::Picture, _) => ExtractAs::Picture,
        (_, Some("table" | "list")) => ExtractAs::Data,
        _ if markdown => ExtractAs::Markdown,
        _ => ExtractAs::Text,
    };
    let what = reading.gap(Gap::What).map(said);
    Ok(vec![Work::Extract(Extract { what, target, form })])
}

/// What is read from. A lone "list" is a list that is shown, where elsewhere it is one to choose from.
fn what_is_read(words: &[Token], scene: &Scene) -> Result<String, Fault> {
    let (name, _) = phrase::without_article(words);
    // What is quoted or begins with a capital letter is a name.
    let plain = name.iter().all(|word| word.kind == Kind::Word && !word.capital());
    match English::get().shown.get(&joined(name)).filter(|_| plain) {
        // Tools know a place in words only of what has a name.
        Some(_) if scene.scope.is_some() => Err(Fault::beyond(words, "say its name")),
        Some(shown) => Ok(shown.clone()),
        None => at(words, scene),
    }
}
