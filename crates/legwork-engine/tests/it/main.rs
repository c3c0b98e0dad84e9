//! The engine in a real Chrome, against small pages and a server that behaves badly on request.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails there")]

mod act;
mod banner;
mod beside;
mod confide;
mod controls;
mod downloads;
mod facts;
mod field;
mod frames;
mod frameworks;
mod guard;
mod hostile;
mod known;
mod life;
mod listeners;
mod miniwob;
mod navigate;
mod newcomer;
mod person;
mod point;
mod reading;
mod record;
mod refs;
mod see;
mod support;
mod targets;
mod told;
mod wait;
