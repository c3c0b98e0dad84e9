//! What touches the world: a real Home Assistant, and a real Chrome in shops on loopback.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails there")]

mod corner;
mod hass;
mod home_assistant;
mod protected;
