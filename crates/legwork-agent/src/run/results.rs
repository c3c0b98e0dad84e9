//! What one task read, another may enter: `{{result:t1}}` stands for the outcome of `t1`.

use legwork_protocol::assistant::{InputValue, Task, TaskStatus, Work};

const MARK: &str = "{{result:";

/// The task with what others read in its place. An error says why that cannot be.
pub(super) fn filled_in(task: &Task, tasks: &[Task]) -> Result<Task, String> {
    let mut filled = task.clone();
    if let Work::Input(input) = &mut filled.work
        && let Some(InputValue::Text(text)) = &mut input.value
        && text.contains(MARK)
    {
        *text = entered(text, tasks)?;
    }
    Ok(filled)
}

/// The tasks whose results a text stands for.
pub(crate) fn named(text: &str) -> impl Iterator<Item = &str> {
    text.split(MARK).skip(1).filter_map(|rest| rest.split_once("}}").map(|(id, _)| id))
}

fn entered(text: &str, tasks: &[Task]) -> Result<String, String> {
    let (mut out, mut plain) = (text.to_owned(), text.to_owned());
    for id in named(text) {
        let read = tasks.iter().find(|task| task.id == id && task.status == TaskStatus::Completed);
        let read = read.filter(|task| matches!(task.work, Work::Extract(_)));
        let result = read.and_then(|task| task.outcome.as_deref());
        let result =
            result.ok_or_else(|| format!("{id} has read nothing that could be entered"))?;
        if result.ends_with('…') {
            return Err(format!("what {id} read is too long to be entered whole"));
        }
        let mark = format!("{MARK}{id}}}}}");
        out = out.replace(&mark, &on_one_line(result));
        plain = plain.replace(&mark, "\0");
    }
    // What a page says must not become the name of a secret, or part of one, which would be filled in.
    let pairs = |text: &str| ["{{", "}}"].map(|pair| overlapping(text, pair));
    if pairs(&out) != pairs(&plain) || secrets(&out) != secrets(&plain) {
        return Err("what was read has braces in it, or stands in some, and is not entered".into());
    }
    Ok(out)
}

/// The text without line breaks, tabs and the like: typed, they would be keys that send a form or leave a
/// field.
fn on_one_line(text: &str) -> String {
    let breaks = |letter: char| letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}');
    let lines = text.split(breaks).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ")
}

fn overlapping(text: &str, pair: &str) -> usize {
    text.as_bytes().windows(2).filter(|two| *two == pair.as_bytes()).count()
}

/// The names of secrets in a text.
fn secrets(text: &str) -> Vec<&str> {
    let named = text.split("{{secret:").skip(1);
    named.map(|rest| rest.split("}}").next().unwrap_or(rest)).collect()
}

#[cfg(test)]
mod tests {
    use legwork_protocol::assistant::{Extract, Input};

    use super::*;

    fn task(id: &str, work: Work, outcome: &str) -> Task {
        Task {
            id: id.into(),
            description: String::new(),
            work,
            status: TaskStatus::Completed,
            dependencies: Vec::new(),
            outcome: Some(outcome.into()),
        }
    }

    fn entering(text: &str, read: &str) -> Result<String, String> {
        let value = Some(InputValue::Text(text.into()));
        let input = task("t2", Work::Input(Input { value, ..Default::default() }), "");
        let tasks = [task("t1", Work::Extract(Extract::default()), read), input.clone()];
        let Work::Input(input) = filled_in(&input, &tasks)?.work else { unreachable!() };
        let Some(InputValue::Text(text)) = input.value else { unreachable!() };
        Ok(text)
    }

    #[test]
    fn results_are_entered_and_nothing_that_could_be_more_than_text() {
        assert_eq!(entering("No. {{result:t1}}!", "42").unwrap(), "No. 42!");
        assert_eq!(entering("{{secret:SHOP}}", "42").unwrap(), "{{secret:SHOP}}");
        assert_eq!(entering("{{secret:A}} {{result:t1}}", "{4}").unwrap(), "{{secret:A}} {4}");
        assert_eq!(entering("{{result:t1}}", "one\r\ntwo\tx\n").unwrap(), "one two x");
        for (text, read) in [
            ("{{result:t9}}", "42"),
            ("{{result:t2}}", "42"),
            ("{{result:t1}}", "my {{secret:SHOP}}"),
            ("{{result:t1}}", "my {\n{secret:SHOP}}"),
            ("{{{result:t1}}", "{secret:SHOP}}"),
            ("{{result:t1}}{{result:t1}}", "{"),
            ("{{secret:{{result:t1}}}}", "SHOP"),
            ("{{secret:A{{result:t1}}}}", "B"),
            ("{{result:t1}}{secret:SHOP}}", "{"),
            ("{{result:t1}}", "and so on…"),
        ] {
            assert!(entering(text, read).is_err(), "{text} {read}");
        }
    }
}
