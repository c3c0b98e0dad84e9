//! The declared commands, events and types as a table, for the check against the published
//! protocol. Nothing here is used at run time.

use crate::domain;
use crate::id;

/// All domains, with what is declared of each.
pub const DOMAINS: &[Domain] = domain::TABLE;

/// The Rust types that are identifiers and text on the wire.
pub const TEXT_IDS: &[&str] = id::TEXT_IDS;

/// The Rust types that are identifiers and whole numbers on the wire.
pub const NUMBER_IDS: &[&str] = id::NUMBER_IDS;

/// One protocol domain.
#[derive(Clone, Copy, Debug)]
pub struct Domain {
    /// Its name, such as `Page`.
    pub name: &'static str,
    /// What is declared of it.
    pub items: &'static [Item],
}

/// One command, event or type.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// What it is.
    pub kind: Kind,
    /// Its name in the protocol, without the domain.
    pub name: &'static str,
    /// The name of its Rust type.
    pub rust: &'static str,
    /// Its parameters or fields.
    pub fields: &'static [Field],
    /// The fields of its answer; only commands have any.
    pub reply: &'static [Field],
}

/// What an [`Item`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A command with its answer.
    Command,
    /// An event.
    Event,
    /// A type of the protocol.
    Type,
    /// An object whose fields the protocol does not spell out.
    Shape,
}

/// One field.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name in Rust.
    pub name: &'static str,
    /// Its name on the wire, where that is not the Rust name in camelCase.
    pub renamed: Option<&'static str>,
    /// Its Rust type, without the `Option` around it.
    pub rust: &'static str,
    /// Whether it may be missing.
    pub optional: bool,
}

impl Field {
    /// Its name on the wire.
    pub fn wire_name(&self) -> String {
        if let Some(renamed) = self.renamed {
            return renamed.to_owned();
        }
        let mut words = self.name.split('_');
        let first = words.next().unwrap_or_default().to_owned();
        words.fold(first, |name, word| {
            let (initial, rest) = word.split_at(word.len().min(1));
            name + &initial.to_ascii_uppercase() + rest
        })
    }
}
