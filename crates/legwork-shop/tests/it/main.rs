//! Lists where people keep them: in a real Home Assistant.

mod hass;
mod home_assistant;
