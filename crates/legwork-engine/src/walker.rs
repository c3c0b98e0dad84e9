//! The script that runs in an isolated world of every frame, and the calls to it. What the script
//! knows is in `walker/*.js`; nothing of it is visible to the page.

use std::borrow::Cow;
use std::time::Duration;

use legwork_cdp::{FrameId, ObjectId, Session, runtime};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::error::{Error, Result};
use crate::frame::{Frame, WorldId};
use crate::page::Page;
use crate::refs::Turn;

/// Name of the isolated world.
pub(crate) const WORLD: &str = "legwork";
/// Function in that world that tells the engine of changes.
pub(crate) const BINDING: &str = "__legworkPulse";

#[cfg(test)]
macro_rules! for_tests {
    () => {
        include_str!("walker/dump.js")
    };
}
#[cfg(not(test))]
macro_rules! for_tests {
    () => {
        ""
    };
}

pub(crate) const SOURCE: &str = concat!(
    "(() => { \"use strict\"; if (Object.hasOwn(globalThis, \"legwork\") && legwork.document === document) return;\n",
    include_str!("walker/dom.js"),
    include_str!("walker/aria.js"),
    include_str!("walker/name.js"),
    include_str!("walker/refs.js"),
    include_str!("walker/items.js"),
    include_str!("walker/flow.js"),
    include_str!("walker/rows.js"),
    include_str!("walker/popups.js"),
    include_str!("walker/folding.js"),
    include_str!("walker/render.js"),
    include_str!("walker/snapshot.js"),
    include_str!("walker/diff.js"),
    include_str!("walker/ticking.js"),
    include_str!("walker/change.js"),
    include_str!("walker/query.js"),
    include_str!("walker/reading.js"),
    include_str!("walker/near.js"),
    include_str!("walker/words.js"),
    include_str!("walker/point.js"),
    include_str!("walker/ready.js"),
    include_str!("walker/motion.js"),
    include_str!("walker/facts.js"),
    include_str!("walker/ways.js"),
    include_str!("walker/act.js"),
    include_str!("walker/fields.js"),
    include_str!("walker/confide.js"),
    include_str!("walker/scroll.js"),
    include_str!("walker/picture.js"),
    include_str!("walker/recorder.js"),
    include_str!("walker/banner.js"),
    include_str!("walker/api.js"),
    for_tests!(),
    "})()"
);

/// Turns an object of the page into JSON text without being thrown by cycles, functions or getters.
pub(crate) const BY_VALUE: &str = include_str!("walker/by_value.js");

/// The functions of the walker that take their time; the others answer at once.
const PROMISING: &[&str] = &["nextChange", "aftermath"];

/// A document in which the walker can be called.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) frame: FrameId,
    pub(crate) key: u32,
    pub(crate) session: Session,
    pub(crate) id: WorldId,
}

impl World {
    pub(crate) fn of(frame: &Frame) -> Option<World> {
        Some(World {
            frame: frame.id.clone(),
            key: frame.key,
            session: frame.session.clone(),
            id: frame.world.clone()?,
        })
    }
}

/// Every call answers with the next free ref number beside its own result. It is read by itself: a
/// flattened struct would copy the whole answer first.
#[derive(serde::Deserialize)]
struct Numbered {
    next: Option<u64>,
}

impl Page {
    /// The document of a frame, waited for while it is being replaced.
    pub(crate) async fn world(&self, frame: &FrameId, deadline: Instant) -> Result<World> {
        let found = self
            .tab
            .until(deadline, |state| {
                if let Some(error) = state.dialog_error() {
                    return Some(Err(error));
                }
                let Some(frame) = state.frames.get(frame) else {
                    return Some(Err(Error::FrameGone));
                };
                World::of(frame).map(Ok)
            })
            .await?;
        found.unwrap_or_else(|| {
            Err(Error::Timeout { what: "the document".into(), after: Duration::from_secs(5) })
        })
    }

    pub(crate) async fn main_world(&self, deadline: Instant) -> Result<World> {
        let root = self.tab.state().frames.root().map(|frame| frame.id.clone());
        self.world(&root.ok_or(Error::PageClosed)?, deadline).await
    }

    /// The documents of all frames that have one now, the main one first.
    pub(crate) async fn worlds(&self, deadline: Instant) -> Result<Vec<World>> {
        let main = self.main_world(deadline).await?;
        let mut worlds = vec![main.clone()];
        let state = self.tab.state();
        let mut frames: Vec<_> = state.frames.iter().filter(|f| f.id != main.frame).collect();
        frames.sort_by_key(|frame| frame.key);
        worlds.extend(frames.into_iter().filter_map(World::of));
        Ok(worlds)
    }

    /// Calls a function of the walker; refs it gives out are noted as that document's.
    pub(crate) async fn call<A: Serialize, T: DeserializeOwned>(
        &self,
        world: &World,
        function: &str,
        args: &A,
        deadline: Instant,
    ) -> Result<T> {
        let mut turn = self.turn().await?;
        self.call_in(&mut turn, world, function, args, deadline).await
    }

    /// The session's turn to give out refs.
    pub(crate) async fn turn(&self) -> Result<Turn> {
        let numbers = self.context()?.inner().numbers.clone();
        Ok(numbers.turn().await)
    }

    /// Calls a function of the walker in a turn that goes on after it.
    pub(crate) async fn call_in<A: Serialize, T: DeserializeOwned>(
        &self,
        turn: &mut Turn,
        world: &World,
        function: &str,
        args: &A,
        deadline: Instant,
    ) -> Result<T> {
        let first = turn.lend();
        // One script: a function that is called has one of its own for itself and for each argument.
        let call = runtime::Evaluate {
            expression: format!("legwork.{function}({first},{})", value(args)?.get()),
            unique_context_id: Some(world.id.unique.clone()),
            await_promise: Some(PROMISING.contains(&function)),
            return_by_value: Some(true),
            ..Default::default()
        };
        let json = match self.ask(world, &call, deadline).await {
            Ok(json) => json,
            // The document is gone, and whatever refs it gave out with it.
            Err(error @ (Error::Protocol(_) | Error::PageClosed | Error::FrameGone)) => {
                turn.used(None);
                return Err(error);
            }
            Err(error) => return Err(error),
        };
        let text = unwritten(json.get()).map_err(damaged)?;
        self.read(turn, world, &text)
    }

    /// What the walker said, with the refs it gave out noted.
    pub(crate) fn read<T: DeserializeOwned>(
        &self,
        turn: &mut Turn,
        world: &World,
        text: &str,
    ) -> Result<T> {
        let answer: T = serde_json::from_str(text).map_err(damaged)?;
        let numbered: Numbered = serde_json::from_str(text).map_err(damaged)?;
        let first = turn.lend();
        turn.used(numbered.next);
        if let Some(next) = numbered.next {
            self.tab.state().refs.used(&world.id.unique, first, next);
        }
        Ok(answer)
    }

    /// Sends a call and gives its answer as JSON. A walker that was stopped before it was there, with
    /// whatever script the page was stopped in, is brought in again.
    async fn ask(
        &self,
        world: &World,
        call: &runtime::Evaluate,
        deadline: Instant,
    ) -> Result<Box<RawValue>> {
        let left =
            || deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(50));
        let mut reply = self.tab.unless_blocked(world.session.send(call).within(left())).await?;
        if reply.exception_details.as_ref().is_some_and(is_missing) {
            let bring = runtime::Evaluate {
                expression: SOURCE.to_owned(),
                unique_context_id: Some(world.id.unique.clone()),
                ..Default::default()
            };
            self.tab.unless_blocked(world.session.send(&bring).within(left())).await?;
            reply = self.tab.unless_blocked(world.session.send(call).within(left())).await?;
        }
        match reply.exception_details {
            Some(thrown) => {
                let text = thrown.exception.and_then(|e| e.description).unwrap_or(thrown.text);
                Err(Error::Protocol(format!("the walker failed: {text}")))
            }
            None => Ok(reply.result.value.unwrap_or_else(|| RawValue::NULL.to_owned())),
        }
    }

    /// Calls a function and keeps a handle of what it returns.
    pub(crate) async fn handle<A: Serialize>(
        &self,
        world: &World,
        declaration: &str,
        args: &A,
    ) -> Result<Option<ObjectId>> {
        let call = runtime::CallFunctionOn {
            function_declaration: declaration.to_owned(),
            unique_context_id: Some(world.id.unique.clone()),
            arguments: Some(vec![argument(args)?]),
            ..Default::default()
        };
        let reply = self.tab.unless_blocked(world.session.send(&call)).await?;
        Ok(reply.result.object_id)
    }

    /// The documents of all frames but one.
    pub(crate) fn other_worlds(&self, world: &World) -> Vec<World> {
        let state = self.tab.state();
        state.frames.iter().filter(|f| f.id != world.frame).filter_map(World::of).collect()
    }

    /// Calls a function whose answer nobody needs.
    pub(crate) fn notify(&self, world: &World, declaration: &str) {
        world.session.notify(&runtime::CallFunctionOn {
            function_declaration: declaration.to_owned(),
            unique_context_id: Some(world.id.unique.clone()),
            ..Default::default()
        });
    }

    /// Calls a function with elements as its arguments.
    pub(crate) fn give(
        &self,
        world: &World,
        declaration: &str,
        objects: &[Option<ObjectId>],
        extra: Option<u32>,
    ) {
        let mut arguments: Vec<runtime::CallArgument> = objects
            .iter()
            .map(|id| runtime::CallArgument { object_id: id.clone(), ..Default::default() })
            .collect();
        if let Some(extra) = extra {
            arguments.extend(argument(&extra));
        }
        world.session.notify(&runtime::CallFunctionOn {
            function_declaration: declaration.to_owned(),
            unique_context_id: Some(world.id.unique.clone()),
            arguments: Some(arguments),
            ..Default::default()
        });
    }
}

fn damaged(error: serde_json::Error) -> Error {
    Error::Protocol(format!("the walker's answer: {error}"))
}

/// The JSON of an answer, also where the walker wrote it itself.
fn unwritten(json: &str) -> serde_json::Result<Cow<'_, str>> {
    if json.starts_with('"') {
        return serde_json::from_str(json).map(Cow::Owned);
    }
    Ok(Cow::Borrowed(json))
}

fn is_missing(thrown: &runtime::ExceptionDetails) -> bool {
    let text = thrown.exception.as_ref().and_then(|thrown| thrown.description.as_deref());
    text.is_some_and(|text| text.contains("legwork is not defined"))
}

fn argument<T: Serialize>(given: &T) -> Result<runtime::CallArgument> {
    Ok(runtime::CallArgument { value: Some(value(given)?), ..Default::default() })
}

fn value<T: Serialize>(value: &T) -> Result<Box<RawValue>> {
    serde_json::value::to_raw_value(value)
        .map_err(|error| Error::Invalid(format!("cannot be sent to the page: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_files_of_the_walker_declare_the_same_name() {
        let mut names: Vec<&str> = SOURCE
            .lines()
            .filter_map(|line| {
                let rest =
                    ["function ", "const ", "let "].iter().find_map(|k| line.strip_prefix(k))?;
                rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
            })
            .filter(|name| !name.is_empty())
            .collect();
        names.sort_unstable();
        let twice: Vec<_> = names.windows(2).filter(|pair| pair[0] == pair[1]).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }
}
