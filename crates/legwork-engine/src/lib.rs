//! Browser semantics in plain Rust types.
//!
//! - [`Engine`] starts Chrome and hands out [`Session`]s, each an isolated browser context.
//! - A [`Session`] has tabs; [`Session::page`] is the active [`Page`].
//! - A [`Page`] is seen by [`Page::snapshot`], [`Page::query`], [`Page::screenshot`] and acted on by
//!   [`Page::click`], [`Page::fill`], [`Page::press`] …; every action answers with an [`Outcome`].
//!
//! The engine never serialises for a model and never knows policy.

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

mod act;
mod activity;
mod address;
mod adopt;
mod aftermath;
#[cfg(test)]
mod agreement;
mod banner;
mod browser;
mod choose;
mod confide;
mod config;
mod console;
mod context;
mod download;
mod error;
mod evaluate;
mod events;
mod extensions;
pub mod extract;
mod facts;
mod field;
pub mod find;
mod folders;
mod frame;
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing;
mod guard;
mod highlight;
mod input;
pub mod keys;
mod launch;
mod locate;
mod messages;
mod navigate;
mod network;
mod offline;
mod outcome;
mod page;
mod permission;
mod person;
pub mod picture;
mod prepare;
mod query;
mod refs;
mod registry;
mod running;
mod screenshot;
mod scroll;
mod session;
mod settle;
mod snapshot;
mod tab;
mod target;
mod wait;
mod walker;
mod workers;

pub use act::{Acting, Click, Count, LONGEST_HOLD};
pub use address::address;
pub use choose::Choice;
pub use confide::{Allows, Confidence};
pub use config::{Config, SessionOptions};
pub use console::{Entry, Origin};
pub use context::{Event, TabAt, Viewport};
pub use download::{Download, Keeping, Progress};
pub use error::{Error, Obstacle, Result};
pub use evaluate::Evaluate;
pub use facts::{ElementFacts, FormFacts, Intent, Known};
pub use guard::resolve::{Lookup, Resolver};
pub use guard::{Blocked, Guard, Guarded, Refused, Wanted, request as proxy_request};
pub use input::Button;
pub use launch::Launch;
pub use navigate::NAVIGATION;
pub use network::{Request, Source};
pub use outcome::{Effect, Outcome, Settled, Verdict};
pub use page::Page;
pub use permission::{Grant, PERMISSIONS};
pub use person::Deed;
pub use prepare::Point;
pub use query::{Area, Around, Found, Item, Window};
pub use refs::Ref;
pub use screenshot::{Hides, Picture, Screenshot, Shot, Subject};
pub use scroll::Scroll;
pub use session::{Engine, Session, Terms};
pub use settle::Bounds;
pub use snapshot::{Change, More, Shown, Snapshot, SnapshotOptions};
pub use tab::Dialog;
pub use target::Target;
pub use wait::Condition;
pub use workers::ServiceWorker;
