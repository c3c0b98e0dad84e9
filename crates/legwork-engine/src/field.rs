//! Fields: typing, filling, checking, choosing, uploading, each verified by reading the field back.

use std::path::PathBuf;
use std::time::Duration;

use legwork_cdp::dom::SetFileInputFiles;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::act::{Acting, Click};
use crate::aftermath::Sending;
use crate::choose::Choice;
use crate::error::{Error, Obstacle, Result};
use crate::input::{self, Sent};
use crate::keys;
use crate::outcome::Outcome;
use crate::page::Page;
use crate::prepare::{Need, Prepared};
use crate::target::Target;

#[derive(Deserialize)]
struct Accepted {
    accepted: bool,
    #[serde(default)]
    expects: String,
}

/// What becomes of the caret when an element gets the focus.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Caret {
    /// Everything is selected, to be replaced.
    All,
    /// At the end, to add to what is there.
    End,
    /// Stays with its selection where the element has the focus already, else at the end: keys
    /// pressed one after the other go on from each other.
    Kept,
}

#[derive(Deserialize)]
struct Focused {
    focused: bool,
    #[serde(default)]
    empty: bool,
}

impl Page {
    /// Gives an element the focus and says whether it is empty.
    pub(crate) async fn focus(
        &self,
        prepared: &Prepared,
        caret: Caret,
        deadline: Instant,
    ) -> Result<bool> {
        let args = serde_json::json!({ "ref": prepared.reference, "caret": caret });
        let state: Focused = self.call(&prepared.world, "focusField", &args, deadline).await?;
        if !state.focused {
            return Err(Error::NotActionable {
                target: prepared.description.clone(),
                obstacle: Obstacle::NotEditable("it does not take the focus".into()),
            });
        }
        Ok(state.empty)
    }

    /// Types with real key events; `clear` empties the field first.
    pub async fn type_text(
        &self,
        target: &Target,
        text: &str,
        clear: bool,
        acting: &Acting,
    ) -> Result<Outcome> {
        let deadline = acting.deadline();
        let prepared = self.prepare(target, acting.need(Need::FIELD), None, deadline).await?;
        let caret = if clear { Caret::All } else { Caret::End };
        let empty = self.focus(&prepared, caret, deadline).await?;
        let mut sending = self.sending(Some(target), prepared, acting).await;
        let before = sending.prepared.field.value.clone().unwrap_or_default();
        // What a secret field held before is not known here, so only a whole one can be checked.
        // A date is typed as people write it, and held as forms do.
        let picked = ["date", "time", "month", "week", "datetime-local"];
        let picked = picked.contains(&sending.prepared.kind.as_str());
        sending.expect = match (clear || empty, sending.prepared.field.secret) {
            _ if picked => None,
            (true, _) => Some(text.to_owned()),
            (false, false) => Some(before + text),
            (false, true) => None,
        };
        let session = &self.tab.session;
        let cleared = if clear && !empty { delete(session)? } else { Sent::default() };
        self.finish(sending, cleared.then(input::type_text(session, text))).await
    }

    /// Types wherever the focus is, also where no field is to be seen: in a drawing, or on a page that
    /// listens to keys. With a target, only if that has the focus.
    pub async fn type_at_focus(
        &self,
        target: Option<&Target>,
        text: &str,
        acting: &Acting,
    ) -> Result<Outcome> {
        let deadline = acting.deadline();
        let prepared = match target {
            Some(target) => {
                let need = acting.need(Need::PRESENT);
                let prepared = self.prepare(target, need, None, deadline).await?;
                self.focus(&prepared, Caret::Kept, deadline).await?;
                prepared
            }
            None => self.focused(acting, deadline).await?,
        };
        let sending = self.sending(target, prepared, acting).await;
        self.finish(sending, input::type_text(&self.tab.session, text)).await
    }

    /// Sets a field to a value, whatever kind of field it is.
    pub async fn fill(&self, target: &Target, value: &str, acting: &Acting) -> Result<Outcome> {
        let deadline = acting.deadline();
        let need = Need { editable: false, ..acting.need(Need::FIELD) };
        let prepared = self.prepare(target, need, None, deadline).await?;
        let acting = &acting.until(deadline);
        match prepared.kind.as_str() {
            "checkbox" | "radio" | "switch" => {
                let on = wants_on(value).ok_or_else(|| {
                    Error::Invalid(format!(
                        "{} is checked or not: give true or false",
                        prepared.description
                    ))
                })?;
                self.check(target, on, acting).await
            }
            "select" | "combobox" | "listbox" => {
                self.select(target, &[Choice::Label(value.to_owned())], acting).await
            }
            "date" | "time" | "month" | "week" | "datetime-local" | "color" | "range" => {
                self.set_value(target, prepared, value, acting).await
            }
            "file" => self.upload(target, &[PathBuf::from(value)], acting).await,
            _ => self.insert(target, value, acting).await,
        }
    }

    /// Replaces the text of a field in one go, as pasting would: the browser's own input event.
    async fn insert(&self, target: &Target, value: &str, acting: &Acting) -> Result<Outcome> {
        let deadline = acting.deadline();
        let prepared = self.prepare(target, acting.need(Need::FIELD), None, deadline).await?;
        if prepared.kind == "number" && value.trim().parse::<f64>().is_err() && !value.is_empty() {
            return Err(Error::Invalid(format!("{} takes a number", prepared.description)));
        }
        let empty = self.focus(&prepared, Caret::All, deadline).await?;
        let mut sending = self.sending(Some(target), prepared, acting).await;
        sending.expect = Some(value.to_owned());
        let session = &self.tab.session;
        let sent = match (value.is_empty(), empty) {
            (false, _) => input::insert(session, value),
            (true, false) => delete(session)?,
            (true, true) => Sent::default(),
        };
        self.finish(sending, sent).await
    }

    async fn set_value(
        &self,
        target: &Target,
        prepared: Prepared,
        value: &str,
        acting: &Acting,
    ) -> Result<Outcome> {
        let sending = self.sending(Some(target), prepared, acting).await;
        let prepared = &sending.prepared;
        let args = serde_json::json!({ "ref": prepared.reference, "value": value });
        let deadline = acting.deadline();
        let set: Accepted = self.call(&prepared.world, "setValue", &args, deadline).await?;
        if !set.accepted {
            return Err(Error::Invalid(format!(
                "{} does not take {value:?}: it takes {}",
                prepared.description, set.expects
            )));
        }
        self.finish(sending, Sent::default()).await
    }

    /// What a field with a picker takes instead, if it does not take the value. Touches nothing.
    pub async fn expects_instead(
        &self,
        target: &Target,
        value: &str,
        within: Duration,
    ) -> Result<Option<String>> {
        let deadline = Instant::now() + within;
        let prepared = self.prepare(target, Need::PRESENT, None, deadline).await?;
        let args = serde_json::json!({ "ref": prepared.reference, "value": value });
        let taken: Accepted = self.call(&prepared.world, "takesValue", &args, deadline).await?;
        Ok((!taken.accepted).then_some(taken.expects))
    }

    /// Gives files to a file field, or to the one whose chooser a button opens.
    pub async fn upload(
        &self,
        target: &Target,
        files: &[PathBuf],
        acting: &Acting,
    ) -> Result<Outcome> {
        let files = files.iter().map(readable).collect::<Result<Vec<_>>>()?;
        let deadline = acting.deadline();
        let need = Need { visible: false, editable: false, ..acting.need(Need::FIELD) };
        let prepared = self.prepare(target, need, None, deadline).await?;
        if prepared.kind != "file" {
            return self.upload_by_chooser(target, files, &acting.until(deadline)).await;
        }
        if files.len() > 1 && !prepared.field.multiple {
            let (field, count) = (&prepared.description, files.len());
            return Err(Error::Invalid(format!("{field} takes one file, not {count}")));
        }
        let declaration = "(ref) => legwork.node(ref)";
        let object_id = self.handle(&prepared.world, declaration, &prepared.reference).await?;
        let session = prepared.world.session.clone();
        let sending = self.sending(Some(target), prepared, acting).await;
        let command = SetFileInputFiles { files, object_id, ..Default::default() };
        self.give_files(&session, command, sending).await
    }

    /// Clicks what opens a file chooser, and answers the chooser.
    async fn upload_by_chooser(
        &self,
        target: &Target,
        files: Vec<String>,
        acting: &Acting,
    ) -> Result<Outcome> {
        let deadline = acting.deadline();
        self.tab.state().chooser = None;
        let quick = Acting { observe: false, ..*acting };
        self.click(target, &Click { acting: quick, ..Default::default() }).await?;
        let soon = deadline.min(Instant::now() + Duration::from_secs(1));
        let chooser = self.tab.until(soon, |state| state.chooser.take()).await?;
        let prepared = self.prepare(target, Need::PRESENT, None, deadline).await?;
        let Some((session, node)) = chooser else {
            return Err(Error::Invalid(format!(
                "{} is no file field; it was clicked, and opened no file chooser",
                prepared.description
            )));
        };
        let sending = self.sending(Some(target), prepared, acting).await;
        let backend_node_id = Some(node);
        let command = SetFileInputFiles { files, backend_node_id, ..Default::default() };
        self.give_files(&session, command, sending).await
    }

    async fn give_files(
        &self,
        session: &legwork_cdp::Session,
        command: SetFileInputFiles,
        sending: Sending<'_>,
    ) -> Result<Outcome> {
        match self.tab.unless_blocked(session.send(&command)).await {
            Err(Error::Protocol(message)) => {
                let described = &sending.prepared.description;
                Err(Error::Invalid(format!("{described}: {message}")))
            }
            Err(error) => Err(error),
            Ok(_) => self.finish(sending, Sent::default()).await,
        }
    }
}

fn wants_on(value: &str) -> Option<bool> {
    match value.trim().to_ascii_lowercase().as_str() {
        "true" | "on" | "yes" | "checked" | "1" => Some(true),
        "false" | "off" | "no" | "unchecked" | "0" | "" => Some(false),
        _ => None,
    }
}

fn readable(path: &PathBuf) -> Result<String> {
    let refused = |reason: &str| Error::File { path: path.clone(), reason: reason.to_owned() };
    let metadata = std::fs::metadata(path).map_err(|e| refused(&e.to_string()))?;
    if metadata.is_dir() {
        return Err(refused("is a directory; give the files in it one by one"));
    }
    std::fs::File::open(path).map_err(|e| refused(&e.to_string()))?;
    let absolute = std::fs::canonicalize(path).map_err(|e| refused(&e.to_string()))?;
    Ok(absolute.display().to_string())
}

fn delete(session: &legwork_cdp::Session) -> Result<Sent> {
    let chord = keys::parse_chord("Delete").map_err(|error| Error::Invalid(error.to_string()))?;
    Ok(input::press(session, &chord))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yes_and_no_are_understood_in_the_usual_words() {
        for (word, expected) in [("true", Some(true)), ("Off", Some(false)), ("maybe", None)] {
            assert_eq!(wants_on(word), expected, "{word}");
        }
    }

    #[test]
    fn a_directory_is_refused_with_its_reason() {
        let error = readable(&std::env::temp_dir()).unwrap_err();
        assert!(error.to_string().contains("is a directory"), "{error}");
        assert!(readable(&PathBuf::from("/no/such/file")).is_err());
    }
}
