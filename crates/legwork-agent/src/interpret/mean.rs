//! What is done for each sense of a clause.

use legwork_protocol::assistant::{
    Click, Drag, Gesture, Input, InputValue, Navigate, WaitFor, Work,
};

use super::english::Sense;
use super::fault::Fault;
use super::gap::{Gap, joined, key};
use super::pattern::Fit;
use super::phrase::{self, is_stage, placed, quoted, said};
use super::scene::{self, Scene, is_field};
use super::token::Token;
use super::{again, list, look, place, value};

/// A clause that fits a pattern.
pub struct Reading<'a> {
    /// What it means.
    pub sense: Sense,
    /// All of its words.
    pub tokens: &'a [Token],
    /// What is in the gaps.
    pub fit: &'a Fit,
}

impl<'a> Reading<'a> {
    /// What is in the gap of this kind.
    pub fn gap(&self, gap: Gap) -> Option<&'a [Token]> {
        let (_, range) = self.fit.gaps.iter().find(|(kind, _)| *kind == gap)?;
        Some(&self.tokens[range.clone()])
    }

    /// The same of a gap that every pattern of the sense has.
    pub fn need(&self, gap: Gap) -> &'a [Token] {
        self.gap(gap).unwrap_or(self.tokens)
    }

    fn all(&self, gap: Gap) -> Vec<&'a [Token]> {
        let ranges = self.fit.gaps.iter().filter(|(kind, _)| *kind == gap);
        ranges.map(|(_, range)| &self.tokens[range.clone()]).collect()
    }

    fn has_word(&self, word: &str) -> bool {
        self.tokens.iter().any(|token| token.is(word))
    }
}

/// The tasks of a clause.
pub fn works(reading: &Reading, scene: &mut Scene) -> Result<Vec<Work>, Fault> {
    let works = by_sense(reading, scene)?;
    if !works.is_empty() {
        scene.dangling = None;
    }
    for work in &works {
        scene.spoken(work);
        if let Work::Navigate(Navigate::Url(url)) = work {
            scene.here.clone_from(url);
        }
    }
    Ok(works)
}

fn by_sense(reading: &Reading, scene: &mut Scene) -> Result<Vec<Work>, Fault> {
    match reading.sense {
        Sense::Go | Sense::GoName | Sense::Back | Sense::Forward | Sense::Reload | Sense::Tab => {
            going(reading, scene)
        }
        Sense::Key
        | Sense::Double
        | Sense::Right
        | Sense::Hover
        | Sense::Click
        | Sense::Submit
        | Sense::Close
        | Sense::Drag => pointing(reading, scene),
        Sense::Until | Sense::UntilGone => repeating(reading, scene),
        Sense::Type | Sense::Upper | Sense::Lower | Sense::TypeOn | Sense::FillWhat => {
            typing(reading, scene)
        }
        Sense::Clear | Sense::Choose | Sense::Nothing | Sense::Pick => choosing(reading, scene),
        Sense::Tick | Sense::Untick => ticking(reading, scene),
        Sense::Upload => uploading(reading, scene),
        Sense::ScrollDown
        | Sense::ScrollUp
        | Sense::ScrollBottom
        | Sense::ScrollTop
        | Sense::ScrollTo
        | Sense::Find
        | Sense::Scope => look::scrolling(reading, scene),
        Sense::WaitTime | Sense::WaitQuiet | Sense::WaitUrl | Sense::WaitGone | Sense::WaitFor => {
            look::waiting(reading, scene)
        }
        Sense::Picture | Sense::Read | Sense::ReadFrom | Sense::ReadPage | Sense::Ask => {
            look::reading_out(reading, scene)
        }
        Sense::Search | Sense::SearchAt | Sense::LogIn | Sense::LogInAt | Sense::Paste => {
            errand(reading, scene)
        }
        Sense::Prefer => preferring(reading, scene),
        Sense::Again | Sense::AgainWith | Sense::AgainAt => again::works(reading, scene),
    }
}

fn going(reading: &Reading, scene: &Scene) -> Result<Vec<Work>, Fault> {
    let to = match reading.sense {
        Sense::Back => Navigate::Back,
        Sense::Forward => Navigate::Forward,
        Sense::Reload => Navigate::Reload,
        Sense::Tab => Navigate::Tab(tab_number(reading)?),
        Sense::GoName => return Ok(vec![by_name(reading, scene)?]),
        _ => Navigate::Url(address(reading.need(Gap::Url), scene)?),
    };
    Ok(vec![Work::Navigate(to)])
}

fn address(tokens: &[Token], scene: &Scene) -> Result<String, Fault> {
    let word = tokens.first().map_or("", |token| &token.text);
    place::address(word, &scene.here).ok_or_else(|| {
        let message = format!("On which site is {word}? No page is open that says so.");
        Fault::doubt(tokens, message, Vec::new()).framed("", word)
    })
}

fn tab_number(reading: &Reading) -> Result<u32, Fault> {
    let tokens = reading.gap(Gap::Number).or(reading.gap(Gap::Ordinal)).unwrap_or_default();
    let word = tokens.first().map_or("", |token| &token.lower);
    let named = super::english::English::get().list("ordinals").iter();
    let named = named.zip(1..).find(|(name, _)| *name == word).map(|(_, number)| number);
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number = named.or_else(|| digits.parse().ok().filter(|number| *number > 0));
    number.ok_or_else(|| Fault::beyond(tokens, "name a tab by its number: switch to tab 2"))
}

/// "Go to Settings": a link if the page is known to have it, else nobody knows.
fn by_name(reading: &Reading, scene: &Scene) -> Result<Work, Fault> {
    let words = reading.need(Gap::Target);
    if let [first, joint, rest @ ..] = words
        && (joint.is("and") || joint.is("&"))
        && place::looks_like_one(&first.text)
    {
        return Err(Fault::beyond(rest, phrase::EACH_WITH_A_VERB));
    }
    let target = phrase::target(words, scene)?;
    match scene.named(&target).len() {
        1 => Ok(click(target, Gesture::Click)),
        _ => {
            let message =
                format!("{} is no address. What is meant?", quoted(target.trim_matches('"')));
            let choices = vec![format!("click {}", quoted(target.trim_matches('"')))];
            Err(Fault::doubt(reading.tokens, message, choices).framed("go to ", ""))
        }
    }
}

fn pointing(reading: &Reading, scene: &mut Scene) -> Result<Vec<Work>, Fault> {
    if reading.sense == Sense::Drag {
        return dragging(reading, scene);
    }
    if reading.sense == Sense::Key {
        return pressing(reading, scene);
    }
    let gesture = match reading.sense {
        Sense::Double => Gesture::Double,
        Sense::Right => Gesture::Right,
        Sense::Hover => Gesture::Hover,
        Sense::Submit => return Ok(vec![click("Submit".into(), Gesture::Click)]),
        Sense::Close => return Ok(vec![click("Close".into(), Gesture::Click)]),
        _ => Gesture::Click,
    };
    if let Some(one) = reading.gap(Gap::One) {
        let target = phrase::target(one, scene)?;
        let before = scene.context.previous_tasks.iter().rev();
        let before = before.map(|done| &done.task.work).find(|w| scene::target_of(w).is_some());
        let same = before.map(|work| scene::retargeted(work, target.clone()));
        return Ok(vec![same.unwrap_or_else(|| click(target, gesture))]);
    }
    let words = reading.gap(Gap::Target).or(reading.gap(Gap::Tabname)).unwrap_or_default();
    let mut target = at(words, scene)?;
    if reading.gap(Gap::Tabname).is_some() {
        target.push_str(" tab");
    }
    Ok(vec![click(target, gesture)])
}

/// A click, again and again until something is there or gone.
fn repeating(reading: &Reading, scene: &Scene) -> Result<Vec<Work>, Fault> {
    let [on, awaited] = reading.all(Gap::Target)[..] else { return Ok(Vec::new()) };
    if key(on).is_some() {
        let hint = "a key is pressed once for each time it is said; what is repeated is a click";
        return Err(Fault::beyond(reading.tokens, hint));
    }
    let target = Some(at(on, scene)?);
    let awaited = phrase::target(awaited, scene)?;
    let until = Some(match reading.sense {
        Sense::UntilGone => WaitFor::Gone(awaited),
        _ => WaitFor::Visible(awaited),
    });
    Ok(vec![Work::Click(Click { target, until, ..Default::default() })])
}

/// What is dragged onto a row, card or column goes where its name is.
fn dragging(reading: &Reading, scene: &Scene) -> Result<Vec<Work>, Fault> {
    let [from, to] = reading.all(Gap::Target)[..] else { return Ok(Vec::new()) };
    let from = Some(phrase::target(from, scene)?);
    let to = Some(phrase::surroundings(to, scene)?);
    Ok(vec![Work::Drag(Drag { from, to })])
}

fn pressing(reading: &Reading, scene: &Scene) -> Result<Vec<Work>, Fault> {
    let words = reading.need(Gap::Key);
    let pressed = key(words).unwrap_or_default();
    let named = super::english::English::get().twofold(&joined(words));
    if named && !reading.has_word("key") && words[0].capital() {
        let name = said(words);
        let message = format!("Is {name} the key, or something on the page?");
        let choices = vec![format!("press the {name} key"), format!("click {}", quoted(&name))];
        return Err(Fault::doubt(reading.tokens, message, choices));
    }
    let target = reading.gap(Gap::Target).map(|words| at(words, scene)).transpose()?;
    Ok(vec![input(target, InputValue::Key(pressed))])
}

/// A target, with the surroundings that the sentence speaks of.
pub fn at(words: &[Token], scene: &Scene) -> Result<String, Fault> {
    let target = phrase::target(words, scene)?;
    Ok(if phrase::is_pronoun(words) { target } else { placed(target, scene.scope.as_deref()) })
}

fn typing(reading: &Reading, scene: &mut Scene) -> Result<Vec<Work>, Fault> {
    if reading.gap(Gap::Target).is_some_and(is_stage) {
        let hint = "name each field: fill Name with Jane Doe and City with Oslo";
        return Err(Fault::beyond(reading.tokens, hint));
    }
    let entered = [Gap::Quoted, Gap::Value, Gap::Number].iter().find_map(|gap| reading.gap(*gap));
    let Some(entered) = entered else {
        let field = phrase::target(reading.need(Gap::Target), scene)?;
        let message = format!("What should be filled into {}?", quoted(field.trim_matches('"')));
        let before = format!("fill {field} with ");
        return Err(Fault::doubt(reading.tokens, message, Vec::new()).framed(&before, ""));
    };
    let text = value::text(entered, scene)?;
    let text = match reading.sense {
        Sense::Upper => text.to_uppercase(),
        Sense::Lower => text.to_lowercase(),
        _ => text,
    };
    if reading.sense == Sense::TypeOn {
        return typing_on(reading, scene, text);
    }
    let field = reading.gap(Gap::Target).or(reading.gap(Gap::Label)).unwrap_or_default();
    if let Some(both) = phrase::both(field) {
        return Ok(both.map(|field| input(Some(field), InputValue::Text(text.clone()))).into());
    }
    let field = at(field, scene)?;
    Ok(vec![input(Some(field), InputValue::Text(text))])
}

/// Text without a field goes to what was just clicked; else it is asked about.
fn typing_on(reading: &Reading, scene: &Scene, text: String) -> Result<Vec<Work>, Fault> {
    match scene.last.clone().filter(|_| scene.focused) {
        Some(field) => Ok(vec![input(Some(field), InputValue::Text(text))]),
        None => {
            let before = format!("type {} into ", quoted(&text));
            let message = format!("Into which field should {} go?", quoted(&text));
            let fields = scene.names(is_field);
            let choices = fields.iter().map(|field| format!("{before}{field}")).collect();
            Err(Fault::doubt(reading.tokens, message, choices).framed(&before, ""))
        }
    }
}

fn choosing(reading: &Reading, scene: &mut Scene) -> Result<Vec<Work>, Fault> {
    match reading.sense {
        Sense::Nothing => return Ok(Vec::new()),
        Sense::Clear => {
            let field = at(reading.need(Gap::Target), scene)?;
            return Ok(vec![input(Some(field), InputValue::Text(String::new()))]);
        }
        _ => {}
    }
    if let Some(options) = reading.gap(Gap::Values).or(reading.gap(Gap::Value)) {
        let options = list::parts(options, |part| value::text(part, scene), "select", "")?;
        let field = at(reading.need(Gap::Target), scene)?;
        return Ok(vec![input(Some(field), InputValue::Options(options))]);
    }
    if let Some(steps) = reading.gap(Gap::Path) {
        let said = said(steps);
        let steps = said.split(['>', '›', '→']).map(str::trim).filter(|step| !step.is_empty());
        return Ok(steps.map(|step| click(step.to_owned(), Gesture::Click)).collect());
    }
    let words = reading.need(Gap::Targets);
    if let Some(liked) = scene.preferences.0.get(&joined(phrase::without_article(words).0)) {
        let value = InputValue::Options(vec![liked.clone()]);
        return Ok(vec![input(Some(at(words, scene)?), value)]);
    }
    let targets = list::parts(words, |part| at(part, scene), "select", "")?;
    let chosen = targets.into_iter().map(|target| match scene.named(&target)[..] {
        [one] if scene::is_box(one) => input(Some(target), InputValue::Checked(true)),
        _ => click(target, Gesture::Click),
    });
    Ok(chosen.collect())
}

fn ticking(reading: &Reading, scene: &Scene) -> Result<Vec<Work>, Fault> {
    let on = reading.sense == Sense::Tick;
    let verb = if on { "tick" } else { "untick" };
    let boxes = list::parts(reading.need(Gap::Targets), |part| at(part, scene), verb, "")?;
    // What is ticked and called a box is a checkbox: "the box next to Newsletter".
    let named = |one: String| match one.strip_prefix("the ").unwrap_or(&one).strip_prefix("box") {
        Some("") => "the checkbox".to_owned(),
        Some(rest) if rest.starts_with(' ') => format!("checkbox{rest}"),
        _ => one,
    };
    let ticked = boxes.into_iter().map(named);
    let ticked = ticked.map(|one| input(Some(one), InputValue::Checked(on)));
    Ok(ticked.collect())
}

fn uploading(reading: &Reading, scene: &Scene) -> Result<Vec<Work>, Fault> {
    let file = reading.need(Gap::File).first().map_or("", |token| &token.text);
    let field = reading.gap(Gap::Target).map(|words| at(words, scene)).transpose()?;
    let field = field.unwrap_or_else(|| "css=input[type=file]".into());
    Ok(vec![input(Some(field), InputValue::Files(vec![file.to_owned()]))])
}

fn errand(reading: &Reading, scene: &Scene) -> Result<Vec<Work>, Fault> {
    let mut works = Vec::new();
    if let Some(url) = reading.gap(Gap::Url) {
        works.push(Work::Navigate(Navigate::Url(address(url, scene)?)));
    }
    if reading.sense == Sense::Paste {
        let text = value::read(reading.tokens, scene)?;
        let field = at(reading.need(Gap::Target), scene)?;
        return Ok(vec![input(Some(field), InputValue::Text(text))]);
    }
    let values = reading.all(Gap::Value).into_iter().chain(reading.all(Gap::Quoted));
    let values = values.map(|words| value::text(words, scene)).collect::<Result<Vec<_>, _>>()?;
    let sent = |field: String, text: &String| {
        let value = Some(InputValue::Text(text.clone()));
        Work::Input(Input { target: Some(field), value, submit: true })
    };
    match &values[..] {
        [user, password] => {
            let field = if user.contains('@') { "Email field" } else { "Username field" };
            works.push(input(Some(field.into()), InputValue::Text(user.clone())));
            works.push(sent("Password field".into(), password));
        }
        [text] => {
            let field = reading.gap(Gap::Target).map(|words| at(words, scene)).transpose()?;
            works.push(sent(field.unwrap_or_else(|| "Search field".into()), text));
        }
        _ => {}
    }
    Ok(works)
}

fn preferring(reading: &Reading, scene: &mut Scene) -> Result<Vec<Work>, Fault> {
    let topic = joined(reading.need(Gap::Topic));
    let liked = value::text(reading.need(Gap::Value), scene)?;
    scene.preferences.0.insert(topic, liked);
    Ok(Vec::new())
}

fn click(target: String, gesture: Gesture) -> Work {
    Work::Click(Click { target: Some(target), gesture, until: None })
}

fn input(target: Option<String>, value: InputValue) -> Work {
    Work::Input(Input { target, value: Some(value), submit: false })
}
