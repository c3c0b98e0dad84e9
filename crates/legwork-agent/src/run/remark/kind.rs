//! `The blue one`: said of a task to come that names another colour. Where several things may be meant, the
//! person says which.

use legwork_protocol::assistant::{Reaction, Task};

use super::said::says;
use super::{Heard, each_text, replace, replace_in, to_come};
use crate::interpret::english::English;
use crate::run::direct::question;
use crate::run::direct::words::chosen;
use crate::run::hands::About;
use crate::run::worker::Worker;

/// What may be meant for several tasks to come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::run) struct Unclear {
    /// The word.
    pub(super) word: String,
    /// What tasks to come name, and the word in it that this one would take the place of.
    pub(super) among: Vec<(String, String)>,
}

/// Where tasks to come name one other word of its kind, this is meant instead.
pub(super) fn same_kind(word: &str, tasks: &mut [Task]) -> Heard {
    let Some(kind) = English::get().alike(word) else { return Heard::Kept };
    let mut among: Vec<(String, String)> = Vec::new();
    for task in tasks.iter().filter(|task| to_come(task)) {
        each_text(&mut task.work.clone(), |text| {
            let others = kind.iter().filter(|other| *other != word && !text.contains("{{"));
            let named = others.filter(|other| says(&text.to_lowercase(), other));
            let same = |(known, _): &(String, String)| known.eq_ignore_ascii_case(text);
            if !among.iter().any(same) {
                among.extend(named.map(|other| (text.clone(), other.clone())));
            }
        });
    }
    match among.as_slice() {
        [] => Heard::Kept,
        [(_, other)] => replace(other, word, tasks),
        _ => Heard::Unclear(Unclear { word: word.to_owned(), among }),
    }
}

impl Worker {
    /// Asks what was meant by what may be said of several tasks, and changes those. `true` if the person
    /// ends the run.
    pub(in crate::run) async fn clear_up(&mut self) -> bool {
        while let Some(Unclear { word, among }) = self.unclear.pop() {
            let message = format!("Which one is to be {word:?}?");
            let about = format!("{word:?} was said, and several tasks to come may be meant");
            let choices: Vec<String> = among.iter().map(|(text, _)| text.clone()).collect();
            let request = question(message, about, choices.clone());
            let said = match self.put(request, About::Interruption).await {
                Reaction::Said(said) => said,
                Reaction::Stop => return true,
                Reaction::Done | Reaction::Skip => continue,
            };
            let meant = chosen(&said, &choices);
            let Some((text, other)) = among.iter().find(|(text, _)| Some(text) == meant) else {
                self.say_doing(&format!("{said:?} is none of them: nothing changes"));
                continue;
            };
            let Some(list) = self.list() else { continue };
            let fits = |named: &str| named.eq_ignore_ascii_case(text);
            if let Heard::Changed(how) = replace_in(fits, (other, &word), &mut list.tasks) {
                self.say_doing(&format!("as you said: {how}"));
            }
        }
        false
    }
}
