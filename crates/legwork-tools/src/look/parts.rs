//! The several things that one action does, each with its own facts.

use legwork_engine::{ElementFacts, keys};

use crate::policy::{Facts, Kind};

/// A key that cannot be read counts: it is refused later.
pub(super) fn is_enter(key: &str) -> bool {
    keys::parse_chord(key).map_or(true, |chord| chord.key.key == "Enter")
}

/// The letter of a chord that a page's access keys answer to.
pub(super) fn access_key(key: &str) -> Option<char> {
    let chord = keys::parse_chord(key).ok()?;
    let mut letters = chord.key.key.chars();
    let letter =
        letters.next().filter(|letter| letter.is_alphanumeric() && letters.next().is_none());
    letter.filter(|_| chord.held.contains(&keys::Modifier::Alt))
}

pub(super) fn kind_of(facts: &Facts) -> &str {
    facts.element.as_ref().map_or("", |element| &element.kind)
}

/// Choosing in a list that is none of the browser's own: a click on it, and one on each option.
pub(super) fn choosing(list: Facts, options: &[String]) -> Vec<Facts> {
    if list.element.as_ref().is_some_and(|element| element.holds) {
        return vec![list];
    }
    let option = |name: &String| {
        let element = list.element.clone().map(|element| ElementFacts {
            role: "menuitem".into(),
            name: name.clone(),
            ..element
        });
        Facts { kind: Kind::Click, element, ..list.clone() }
    };
    let mut parts = vec![list.clone(), Facts { kind: Kind::Click, ..list.clone() }];
    parts.extend(options.iter().map(option));
    parts
}

/// Enter in a field does several things: what it does there, sending its form, or what it holds, and pressing
/// the button that the browser presses for it.
pub(super) fn with_sending(field: Facts) -> Vec<Facts> {
    let sends = |element: &ElementFacts| element.form.is_some() || element.holds;
    if !field.element.as_ref().is_some_and(sends) {
        return vec![field];
    }
    let mut parts = vec![field.clone()];
    parts.extend(entering(field));
    parts
}

/// Enter in a field whose form is sent: what that sends, and the button that the browser presses for it.
pub(super) fn entering(field: Facts) -> Vec<Facts> {
    let mut parts = vec![sending(field.clone())];
    parts.extend(pressing(field));
    parts
}

/// Sending the form of a field, by the rules of its button if it has one.
fn sending(field: Facts) -> Facts {
    let by_button = |element: ElementFacts| {
        let button = element.submitter.as_ref().and_then(|button| button.form.clone());
        ElementFacts { submits: true, form: button.or(element.form), ..element }
    };
    let element = field.element.map(by_button);
    Facts { kind: Kind::Press, to: sent_to(element.as_ref()), element, ..field }
}

/// Pressing the button that Enter in a field presses.
fn pressing(field: Facts) -> Option<Facts> {
    let button = *field.element?.submitter?;
    Some(Facts { kind: Kind::Press, to: sent_to(Some(&button)), element: Some(button), ..field })
}

fn sent_to(element: Option<&ElementFacts>) -> Option<url::Url> {
    element?.form.as_ref()?.action.parse().ok()
}
