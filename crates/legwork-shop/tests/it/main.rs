//! Lists where people keep them, and a shop as others run it: a real Home Assistant, a real django-oscar.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails there")]

mod draft;
mod hass;
mod home_assistant;
mod oscar;
