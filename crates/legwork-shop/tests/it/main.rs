//! Lists where people keep them: in a real Home Assistant.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails there")]

mod hass;
mod home_assistant;
