//! The envelope around every command, answer and event, and the log of what is on the wire.
//!
//! Payloads stay unparsed (`RawValue`) until someone who knows their type asks for them.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::error::Error;
use crate::protocol::Event;

/// How much is shown of a function in the log, and of an error of the browser that has no message.
const SHOWN: usize = 256;

/// A command as it is written to the wire.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Outgoing<'a, P: Serialize + ?Sized> {
    pub id: u64,
    pub method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<&'a str>,
    pub params: &'a P,
}

/// Whatever the browser sent.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Incoming<'a> {
    pub id: Option<u64>,
    #[serde(borrow)]
    pub method: Option<Text<'a>>,
    #[serde(borrow)]
    pub session_id: Option<Text<'a>>,
    #[serde(borrow)]
    pub params: Option<&'a RawValue>,
    #[serde(borrow)]
    pub result: Option<&'a RawValue>,
    #[serde(borrow)]
    pub error: Option<&'a RawValue>,
}

/// A string that is borrowed from the message unless it holds escapes.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub Cow<'a, str>);

/// An event as it came, not parsed yet.
#[derive(Clone, Copy, Debug)]
pub struct RawEvent<'a> {
    /// The session it belongs to; none for the browser itself.
    pub session: Option<&'a str>,
    /// Its name, such as `Page.frameNavigated`.
    pub method: &'a str,
    /// Its payload.
    pub params: &'a RawValue,
}

impl RawEvent<'_> {
    /// The payload as a typed event, or nothing (and a warning) when it does not fit.
    ///
    /// The caller has compared [`RawEvent::method`] with [`Event::METHOD`].
    pub fn parse<E: Event>(&self) -> Option<E> {
        serde_json::from_str(self.params.get())
            .inspect_err(|error| {
                let reason = misfit(error);
                tracing::warn!(method = self.method, %reason, "event has an unexpected shape");
            })
            .ok()
    }
}

/// What the answer in `message` says: the result, or the browser's error.
pub(crate) fn outcome(message: &Incoming<'_>, method: &str) -> Result<Box<RawValue>, Error> {
    match (message.error, message.result) {
        (Some(error), _) => Err(remote_error(error, method)),
        (None, Some(result)) => Ok(result.to_owned()),
        (None, None) => Err(Error::BadReply {
            method: method.to_owned(),
            message: "it has neither a result nor an error".to_owned(),
        }),
    }
}

#[derive(Deserialize)]
struct RemoteError<'a> {
    #[serde(default)]
    code: i64,
    message: String,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

fn remote_error(error: &RawValue, method: &str) -> Error {
    let method = method.to_owned();
    match serde_json::from_str::<RemoteError<'_>>(error.get()) {
        Ok(RemoteError { code, message, data }) => {
            Error::Remote { method, code, message, data: data.map(text_of) }
        }
        Err(_) => {
            let message = shorten(error.get().as_bytes(), SHOWN).into_owned();
            Error::Remote { method, code: 0, message, data: None }
        }
    }
}

/// The string that `value` holds, or its JSON when it is something else.
fn text_of(value: &RawValue) -> String {
    serde_json::from_str(value.get()).unwrap_or_else(|_| value.get().to_owned())
}

/// The log tells what was sent and came, never what it says: that may be a secret, or anybody's page.
pub(crate) fn log_sent(message: &str) {
    if tracing::enabled!(target: "legwork_cdp::wire", tracing::Level::TRACE) {
        tracing::trace!(target: "legwork_cdp::wire", sent = %outline(message));
    }
}

/// A command by its number, its method, and the function where it calls one.
fn outline(message: &str) -> String {
    #[derive(Deserialize)]
    struct Sent<'a> {
        id: u64,
        method: &'a str,
        #[serde(borrow)]
        params: &'a RawValue,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Called {
        function_declaration: String,
    }
    let bytes = message.len();
    let Ok(Sent { id, method, params }) = serde_json::from_str(message) else {
        return format!("({bytes} bytes)");
    };
    let called = serde_json::from_str::<Called>(params.get());
    let function = called.map(|called| called.function_declaration).unwrap_or_default();
    let function = shorten(function.as_bytes(), SHOWN);
    let space = if function.is_empty() { "" } else { " " };
    format!("{id} {method}{space}{function} ({bytes} bytes)")
}

pub(crate) fn log_received(message: &Incoming<'_>, bytes: usize) {
    let (id, method) = (message.id, message.method.as_ref().map(|method| &*method.0));
    tracing::trace!(target: "legwork_cdp::wire", answer = id, event = method, bytes);
}

/// Where a message does not fit, without what stands there.
fn misfit(error: &serde_json::Error) -> String {
    format!("{:?} error at byte {}", error.classify(), error.column())
}

pub(crate) fn warn_malformed(bytes: usize, error: Option<&serde_json::Error>) {
    let reason = error.map_or("it is neither an answer nor an event".to_owned(), misfit);
    tracing::warn!(%reason, bytes, "ignored a malformed message from the browser");
}

fn shorten(message: &[u8], limit: usize) -> Cow<'_, str> {
    if message.len() <= limit {
        return String::from_utf8_lossy(message);
    }
    let start = String::from_utf8_lossy(&message[..limit]);
    Cow::Owned(format!("{start}… ({} bytes)", message.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Incoming<'_> {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_remote_error_keeps_code_message_and_data() {
        for (text, expected) in [
            (r#"{"id":1,"error":{"code":-32000,"message":"No node"}}"#, "X.y failed: No node"),
            (
                r#"{"id":1,"error":{"code":-32602,"message":"Bad","data":"url: missing"}}"#,
                "X.y failed: Bad (url: missing)",
            ),
            (
                r#"{"id":1,"error":{"message":"Bad","data":{"a":1}}}"#,
                r#"X.y failed: Bad ({"a":1})"#,
            ),
            (r#"{"id":1,"error":"odd"}"#, r#"X.y failed: "odd""#),
        ] {
            let error = outcome(&parse(text), "X.y").unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn an_answer_with_neither_result_nor_error_is_a_bad_reply() {
        let error = outcome(&parse(r#"{"id":1}"#), "X.y").unwrap_err();
        assert!(matches!(error, Error::BadReply { .. }), "{error}");
    }

    #[test]
    fn the_log_tells_what_is_done_and_nothing_that_is_said() {
        let cases = [
            ("Input.insertText", r#"{"text":"hunter2"}"#, "7 Input.insertText ("),
            ("Page.navigate", r#"{"url":"https://a.example/?q=hunter2"}"#, "7 Page.navigate ("),
            (
                "Runtime.callFunctionOn",
                r#"{"functionDeclaration":"(a) => set(a)","arguments":[{"value":"hunter2"}]}"#,
                "7 Runtime.callFunctionOn (a) => set(a) (",
            ),
        ];
        for (method, params, begins) in cases {
            let message = format!(r#"{{"id":7,"method":"{method}","params":{params}}}"#);
            let shown = outline(&message);
            assert!(!shown.contains("hunter2") && shown.starts_with(begins), "{shown}");
        }
        let error = serde_json::from_str::<Incoming<'_>>(r#"{"id":"hunter2"}"#).err().unwrap();
        assert!(error.to_string().contains("hunter2") && !misfit(&error).contains("hunter2"));
    }

    #[test]
    fn a_long_message_is_shortened_in_the_log_even_within_a_character() {
        let shown = shorten("aé".as_bytes(), 2);
        assert_eq!(shown, "a\u{fffd}… (3 bytes)");
    }
}
