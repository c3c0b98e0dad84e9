//! The commands, events and types that are used, one file for each protocol domain.
//!
//! `cargo xtask protocol` checks them against the published protocol.

use crate::describe::Domain;

pub mod accessibility;
pub mod browser;
pub mod dom;
pub mod dom_debugger;
pub mod emulation;
pub mod extensions;
pub mod fetch;
pub mod input;
pub mod inspector;
pub mod log;
pub mod network;
pub mod overlay;
pub mod page;
pub mod runtime;
pub mod service_worker;
pub mod target;

/// What all of them declare.
pub(crate) const TABLE: &[Domain] = &[
    accessibility::DOMAIN,
    browser::DOMAIN,
    dom::DOMAIN,
    dom_debugger::DOMAIN,
    emulation::DOMAIN,
    extensions::DOMAIN,
    fetch::DOMAIN,
    input::DOMAIN,
    inspector::DOMAIN,
    log::DOMAIN,
    network::DOMAIN,
    overlay::DOMAIN,
    page::DOMAIN,
    runtime::DOMAIN,
    service_worker::DOMAIN,
    target::DOMAIN,
];
