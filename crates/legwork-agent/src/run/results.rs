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
    let mut out = text.to_owned();
    for id in named(text) {
        let read = tasks.iter().find(|task| task.id == id && task.status == TaskStatus::Completed);
        let read = read.filter(|task| matches!(task.work, Work::Extract(_)));
        let result = read.and_then(|task| task.outcome.as_deref());
        let result =
            result.ok_or_else(|| format!("{id} has read nothing that could be entered"))?;
        // What a page says must not become the name of a secret, which would be filled in for it.
        if result.contains("{{") {
            return Err(format!("what {id} read has braces in it that are not entered"));
        }
        if result.ends_with('…') {
            return Err(format!("what {id} read is too long to be entered whole"));
        }
        out = out.replace(&format!("{MARK}{id}}}}}"), result);
    }
    Ok(out)
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
        for (text, read) in [
            ("{{result:t9}}", "42"),
            ("{{result:t2}}", "42"),
            ("{{result:t1}}", "my {{secret:SHOP}}"),
            ("{{result:t1}}", "and so on…"),
        ] {
            assert!(entering(text, read).is_err(), "{text} {read}");
        }
    }
}
