//! What touches the world: a real Home Assistant, a real django-oscar, and a real Chrome in shops on
//! loopback.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails there")]

mod corner;
mod customer;
mod draft;
mod expiry;
mod faults;
mod floor;
mod foreign;
mod hass;
mod home_assistant;
mod hostile;
mod lists;
mod model;
mod oscar;
mod protected;
#[path = "../../../legwork-tools/tests/it/records.rs"]
mod records;
#[path = "../../../legwork-agent/tests/it/scripted.rs"]
mod scripted;
mod shopper;
mod stall;
mod unattended;
mod world;
