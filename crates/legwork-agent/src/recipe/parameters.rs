//! Parameters: what was said in a run is replaced by names, and names by what is said in a replay.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Element, Expect, Parameter, Recipe, RecipeError, Step, Tool};

/// What should be another each time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// Whatever was this, wherever it was.
    Value {
        /// What to call it.
        name: String,
        /// What it was.
        value: String,
    },
    /// Whatever was entered in the field of this label.
    Label(String),
}

/// Names and what they were when the recipe was made, the longest first, so that a part of a value does
/// not stand for the whole.
#[derive(Debug, Clone, Default)]
pub(super) struct Values(Vec<(String, String)>);

impl Values {
    pub(super) fn new(mut values: Vec<(String, String)>) -> Values {
        values.retain(|(_, value)| !value.trim().is_empty());
        values.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
        Values(values)
    }

    /// The text with names for values, where these stand as whole words.
    pub(super) fn named(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        'next: while let Some(first) = rest.chars().next() {
            for (name, value) in &self.0 {
                if rest.starts_with(value.as_str()) && is_apart(&out, &rest[value.len()..], value) {
                    out += &format!("{{{{{name}}}}}");
                    rest = &rest[value.len()..];
                    continue 'next;
                }
            }
            out.push(first);
            rest = &rest[first.len_utf8()..];
        }
        out
    }

    /// A script with names for values, where these are a whole string of it: what is filled in later is a
    /// string by itself.
    pub(super) fn named_in_script(&self, script: &str) -> String {
        let mut out = script.to_owned();
        for (name, value) in &self.0 {
            for quote in QUOTES {
                out = out.replace(&format!("{quote}{value}{quote}"), &format!("{{{{{name}}}}}"));
            }
        }
        out
    }

    /// An element whose words depend on what was said is found by these words alone: its place and its
    /// ids were those of another thing.
    pub(super) fn element(&self, element: Element) -> Element {
        let name = self.named(&element.name);
        let worded = |way: &String| !way.starts_with("css=") && !way.starts_with("xpath=");
        let ways: Vec<String> = element
            .find
            .iter()
            .map(|way| if worded(way) { self.named(way) } else { way.clone() })
            .collect();
        let depends = name != element.name || ways != element.find;
        let find = match depends {
            true => ways.into_iter().filter(|way| !names_in(way).is_empty()).collect(),
            false => ways,
        };
        Element { name, find, ..element }
    }

    /// What has to come of a step, with names for values.
    pub(super) fn expect(&self, expect: &Expect) -> Expect {
        let text = |text: &Option<String>| text.as_ref().map(|text| self.named(text));
        let Expect { address, words, value, change } = expect;
        Expect { address: text(address), words: text(words), value: text(value), change: *change }
    }

    pub(super) fn used_in(&self, recipe: &Recipe) -> Vec<(String, String)> {
        let used = |name: &String| recipe.steps.iter().any(|step| named(step).contains(name));
        self.0.iter().filter(|(name, _)| used(name)).cloned().collect()
    }
}

const QUOTES: [char; 3] = ['"', '\'', '`'];

/// Whether a text would be read as more than text: `{{` begins the name of a parameter or of a secret.
pub(super) fn is_live(text: &str) -> bool {
    text.contains("{{")
}

/// Whether a value stays text wherever it is filled in, also right before another one.
pub(super) fn is_plain(value: &str) -> bool {
    !is_live(value) && !value.ends_with('{')
}

/// Whether a text is the name of one secret and nothing else.
pub(super) fn is_secret(text: &str) -> bool {
    let name = text.strip_prefix("{{secret:").and_then(|rest| rest.strip_suffix("}}"));
    name.is_some_and(|name| {
        !name.is_empty() && !name.contains(|letter: char| "{}".contains(letter) || letter == ' ')
    })
}

fn is_apart(before: &str, after: &str, value: &str) -> bool {
    let joins = |a: Option<char>, b: Option<char>| {
        a.zip(b).is_some_and(|(a, b)| a.is_alphanumeric() && b.is_alphanumeric())
    };
    // Behind a brace, the braces of a name would begin too early.
    !before.ends_with('{')
        && !joins(before.chars().last(), value.chars().next())
        && !joins(value.chars().last(), after.chars().next())
}

/// What a label would be called as a parameter: `E-mail address` is `e_mail_address`.
pub(super) fn name_of(label: &str) -> String {
    let plain: String = label
        .to_lowercase()
        .chars()
        .map(|letter| if letter.is_alphanumeric() { letter } else { '_' })
        .collect();
    let parts: Vec<&str> = plain.split('_').filter(|part| !part.is_empty()).collect();
    match parts.is_empty() {
        true => "value".to_owned(),
        false => parts.join("_").chars().take(40).collect(),
    }
}

/// The names in a text; secrets are none.
fn names_in(text: &str) -> Vec<String> {
    let parts = text.split("{{").skip(1).filter_map(|part| part.split_once("}}"));
    let names = parts.map(|(name, _)| name.trim().to_owned());
    names.filter(|name| !name.starts_with("secret:")).collect()
}

/// The names in a step.
pub(super) fn named(step: &Step) -> Vec<String> {
    let mut texts: Vec<&str> = step.value.iter().map(String::as_str).collect();
    for element in step.element.iter().chain(&step.onto) {
        texts.push(&element.name);
        texts.extend(element.find.iter().map(String::as_str));
    }
    let expect = &step.expect;
    texts.extend(
        [&expect.address, &expect.words, &expect.value].into_iter().flatten().map(String::as_str),
    );
    let mut names: Vec<String> = texts.into_iter().flat_map(names_in).collect();
    for value in step.with.values() {
        names.extend(names_in(&value.to_string()));
    }
    names
}

/// What each parameter is in a replay: what was said, or its default.
pub(super) fn settle(
    recipe: &Recipe,
    said: &BTreeMap<String, String>,
) -> Result<Filler, RecipeError> {
    let said = meant(recipe, said)?;
    let value = |one: &Parameter| {
        let name = &one.name;
        let value = said.get(name).or(one.default.as_ref()).cloned();
        let missing = || RecipeError::Parameter(format!("the parameter {name:?} has no value"));
        let value = value.ok_or_else(missing)?;
        // A value may come from anywhere; only the recipe itself says where a secret goes.
        if !is_plain(&value) {
            return Err(RecipeError::Parameter(format!(
                "the value of the parameter {name:?} contains \"{{{{\" or ends with \"{{\""
            )));
        }
        Ok((name.clone(), value))
    };
    recipe.parameters.iter().map(value).collect::<Result<_, _>>().map(Filler)
}

/// What was said, by the names of the recipe, which are found whatever their case, or by the label.
fn meant(
    recipe: &Recipe,
    said: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>, RecipeError> {
    let names: Vec<&str> = recipe.parameters.iter().map(|one| one.name.as_str()).collect();
    let mut meant = BTreeMap::new();
    for (name, value) in said {
        let same = |one: &&str| one.to_lowercase() == name.to_lowercase() || *one == name_of(name);
        let mut like = names.iter().copied().filter(same);
        let found = match names.iter().copied().find(|one| one == name) {
            Some(exact) => Some(exact),
            None => like.next().filter(|_| like.next().is_none()),
        };
        let Some(found) = found else {
            let there = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            let recipe = &recipe.name;
            let message = format!("{recipe} has no parameter {name:?}; there is {there}");
            return Err(RecipeError::Parameter(message));
        };
        if meant.insert(found.to_owned(), value.clone()).is_some() {
            let message = format!("the parameter {found:?} is said twice");
            return Err(RecipeError::Parameter(message));
        }
    }
    Ok(meant)
}

/// What the names stand for in a replay.
#[derive(Debug, Clone)]
pub(super) struct Filler(Vec<(String, String)>);

impl Filler {
    /// The values as they were said, to find names for them again.
    pub(super) fn values(&self) -> Values {
        Values::new(self.0.clone())
    }

    /// The text with what its names stand for; what is filled in is not read again.
    pub(super) fn fill(&self, text: &str) -> String {
        self.fill_as(text, str::to_owned)
    }

    fn fill_as(&self, text: &str, written: impl Fn(&str) -> String) -> String {
        let mut parts = text.split("{{");
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let named = part.split_once("}}").and_then(|(name, rest)| {
                let (_, value) = self.0.iter().find(|(known, _)| known == name.trim())?;
                Some((value, rest))
            });
            match named {
                Some((value, rest)) => out += &(written(value) + rest),
                None => out += &format!("{{{{{part}"),
            }
        }
        out
    }

    /// The step as it is to be done now.
    pub(super) fn step(&self, step: &Step) -> Step {
        let text = |text: &Option<String>| text.as_ref().map(|text| self.fill(text));
        let element = |one: &Element| self.element(one);
        let mut with = step.with.clone();
        with.values_mut().for_each(|value| self.value(value));
        let value = match step.tool {
            Tool::Evaluate => step.value.as_ref().map(|script| self.script(script)),
            _ => text(&step.value),
        };
        Step {
            tool: step.tool,
            value,
            with,
            element: step.element.as_ref().map(element),
            onto: step.onto.as_ref().map(element),
            expect: Expect {
                address: text(&step.expect.address),
                words: text(&step.expect.words),
                value: text(&step.expect.value),
                change: step.expect.change,
            },
        }
    }

    /// A script with values as strings of its own, whether the recipe put quotes around a name or not.
    fn script(&self, script: &str) -> String {
        let mut bare = script.to_owned();
        for (name, _) in &self.0 {
            for quote in QUOTES {
                let quoted = format!("{quote}{{{{{name}}}}}{quote}");
                bare = bare.replace(&quoted, &format!("{{{{{name}}}}}"));
            }
        }
        self.fill_as(&bare, literal)
    }

    /// Ways are filled as they are written: a name in quotes cannot end the quotes.
    fn element(&self, element: &Element) -> Element {
        let way = |way: &String| {
            let filled = match way.starts_with("role=") {
                true => self.fill_as(way, |value| {
                    let quoted = Value::from(value).to_string();
                    quoted[1..quoted.len() - 1].to_owned()
                }),
                false => self.fill(way),
            };
            let is_words = way.starts_with('"');
            let breaks_out = is_words && filled.matches('"').count() != way.matches('"').count();
            (!breaks_out).then_some(filled)
        };
        Element {
            name: self.fill(&element.name),
            find: element.find.iter().filter_map(way).collect(),
            ..element.clone()
        }
    }

    fn value(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.fill(text),
            Value::Array(all) => all.iter_mut().for_each(|one| self.value(one)),
            Value::Object(all) => all.values_mut().for_each(|one| self.value(one)),
            _ => {}
        }
    }
}

/// A JSON string of letters, digits and escapes only: in the midst of another string it cannot become
/// code either.
fn literal(value: &str) -> String {
    let unit = |unit: u16| match u8::try_from(unit) {
        Ok(byte) if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        _ => format!("\\u{unit:04x}"),
    };
    format!("\"{}\"", value.encode_utf16().map(unit).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(values: &[(&str, &str)]) -> Vec<(String, String)> {
        values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn values_become_names_where_they_stand_as_whole_words() {
        let values = Values::new(pairs(&[("day", "3"), ("item", "Oat milk"), ("first", "Oat")]));
        for (text, expected) in [
            ("3", "{{day}}"),
            ("Oat milk, 3 litres", "{{item}}, {{day}} litres"),
            ("Oats", "Oats"),
            ("{Oat} Oat}", "{Oat} {{first}}}"),
            ("13 of 3", "13 of {{day}}"),
            ("http://a/3/33", "http://a/{{day}}/33"),
            ("", ""),
        ] {
            assert_eq!(values.named(text), expected, "{text}");
        }
    }

    #[test]
    fn an_element_whose_name_is_said_is_not_found_by_its_place() {
        let values = Values::new(pairs(&[("item", "Oat milk")]));
        let find = ["\"Add\" in \"Oat milk\"", "css=#add", "xpath=/html/body/button"];
        let find: Vec<String> = find.map(str::to_owned).into();
        let add = Element { role: "button".into(), name: "Add".into(), find, ..Default::default() };
        assert_eq!(values.element(add.clone()).find, ["\"Add\" in \"{{item}}\""]);
        let other = Values::new(pairs(&[("item", "Bread")]));
        assert_eq!(other.element(add.clone()), add);
    }

    #[test]
    fn what_is_filled_in_cannot_break_out_of_its_quotes_and_is_not_read_again() {
        let filler = Filler(pairs(&[("item", "5\" \"nail\""), ("other", "{{item}}")]));
        assert_eq!(
            filler.fill("{{other}}, {{secret:pw}}, {{ item }}"),
            "{{item}}, {{secret:pw}}, 5\" \"nail\""
        );
        let find =
            ["role=button[name=\"{{item}}\" exact]", "\"Add\" in \"{{item}}\"", "text={{item}}"];
        let element = Element { find: find.map(str::to_owned).into(), ..Default::default() };
        let filled = filler.element(&element).find;
        assert_eq!(filled, ["role=button[name=\"5\\\" \\\"nail\\\"\" exact]", "text=5\" \"nail\""]);
    }

    #[test]
    fn what_is_filled_into_a_script_stays_a_string() {
        let filler = Filler(pairs(&[("item", "5\"; steal(`é`)"), ("plain", "Bread")]));
        let item = r#""5\u0022\u003b\u0020steal\u0028\u0060\u00e9\u0060\u0029""#;
        assert_eq!(serde_json::from_str::<String>(item).unwrap(), "5\"; steal(`é`)");
        for (script, expected) in [
            ("add({{item}})", format!("add({item})")),
            ("add('{{item}}', \"{{plain}}\")", format!("add({item}, \"Bread\")")),
            ("add('a {{item}}')", format!("add('a {item}')")),
            ("{{secret:pw}}", "{{secret:pw}}".to_owned()),
        ] {
            assert_eq!(filler.script(script), expected, "{script}");
        }
        let values = Values::new(pairs(&[("item", "Oat milk")]));
        let named = values.named_in_script("add('Oat milk', 'no Oat milk')");
        assert_eq!(named, "add({{item}}, 'no Oat milk')");
    }

    #[test]
    fn a_value_that_would_be_read_as_a_secret_is_refused() {
        let item = Parameter { name: "item".into(), ..Default::default() };
        let recipe = Recipe { parameters: vec![item], ..Default::default() };
        for (value, taken) in
            [("{{secret:pw}}", false), ("{{item}}", false), ("x{", false), ("{Oat}", true)]
        {
            let said = BTreeMap::from([("item".to_owned(), value.to_owned())]);
            assert_eq!(settle(&recipe, &said).is_ok(), taken, "{value}");
        }
    }

    #[test]
    fn a_parameter_is_found_whatever_its_case_and_by_its_label() {
        let named = |name: &str| Parameter { name: name.into(), ..Default::default() };
        let parameters = vec![named("city"), named("e_mail"), named("Day"), named("day")];
        let recipe = Recipe { name: "trip".into(), parameters, ..Default::default() };
        for (said, expected) in [
            (&["city"][..], Ok("city")),
            (&["City"], Ok("city")),
            (&["E-mail"], Ok("e_mail")),
            (&["day"], Ok("day")),
            (&["DAY"], Err("no parameter \"DAY\"; there is city, e_mail, Day, day")),
            (&["town"], Err("no parameter \"town\"")),
            (&["city", "City"], Err("said twice")),
        ] {
            let values = said.iter().map(|name| ((*name).to_owned(), "x".to_owned())).collect();
            match (meant(&recipe, &values), expected) {
                (Ok(meant), Ok(name)) => assert!(meant.contains_key(name), "{meant:?}"),
                (Err(error), Err(says)) => assert!(error.to_string().contains(says), "{error}"),
                (meant, _) => panic!("{said:?}: {meant:?}"),
            }
        }
    }

    #[test]
    fn a_secret_is_its_name_alone() {
        for (text, is) in [
            ("{{secret:shop-password}}", true),
            ("{{secret:}}", false),
            ("my {{secret:pw}}", false),
            ("{{secret:a}}{{secret:b}}", false),
            ("{{item}}", false),
        ] {
            assert_eq!(is_secret(text), is, "{text}");
        }
    }

    #[test]
    fn a_label_becomes_a_plain_name() {
        for (label, expected) in
            [("E-mail address", "e_mail_address"), ("  ", "value"), ("Größe *", "größe")]
        {
            assert_eq!(name_of(label), expected);
        }
    }
}
