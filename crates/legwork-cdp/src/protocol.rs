//! What commands and events have in common, and the macro that declares them.

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

/// A command's parameters.
pub trait Command: Serialize {
    /// The command's name, such as `Page.navigate`.
    const METHOD: &'static str;
    /// What the browser answers.
    type Reply: DeserializeOwned + Send + 'static;
}

/// An event's payload.
pub trait Event: DeserializeOwned {
    /// The event's name, such as `Page.frameNavigated`.
    const METHOD: &'static str;
}

/// The reply that says no more than that the command was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Empty {}

impl<'de> Deserialize<'de> for Empty {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Empty {})
    }
}

impl Empty {
    /// `{}`, for an event that came without a payload.
    pub(crate) fn json() -> &'static RawValue {
        const TEXT: &str = "{}";
        serde_json::from_str(TEXT).expect("an empty object is JSON")
    }
}

/// Reads an optional field so that a `null` that is there differs from a field that is not.
pub(crate) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// Declares one protocol domain: its commands, events and types, and the table of them.
///
/// ```ignore
/// protocol! { "Page";
///     command Navigate = "navigate" { url: String, referrer?: String }
///         -> NavigateReply { frame_id: FrameId, loader_id?: LoaderId }
///     event FrameNavigated = "frameNavigated" { frame: Frame }
///     type Frame = "Frame" { id: FrameId, kind as "type": String }
///     shape Extra = "what Chrome sends, but the protocol does not spell out" { a: bool }
/// }
/// ```
///
/// `name?: T` is an optional field, an `Option<T>` that is left out when there is none. Names are
/// camelCase on the wire, or as `as` says. A command without `->` is answered with [`Empty`].
macro_rules! protocol {
    ($domain:literal; $(
        $(#[$meta:meta])*
        $kind:ident $name:ident = $wire:literal { $($fields:tt)* }
        $( -> $reply:ident { $($reply_fields:tt)* } )?
    )*) => {
        $(
            item! {
                $domain $(#[$meta])* $kind $name = $wire { $($fields)* }
                $( -> $reply { $($reply_fields)* } )?
            }
        )*

        /// The table of what is declared here.
        pub(crate) const DOMAIN: $crate::describe::Domain = $crate::describe::Domain {
            name: $domain,
            items: &[$(
                $crate::describe::Item {
                    kind: kind!($kind),
                    name: $wire,
                    rust: stringify!($name),
                    fields: fields!($($fields)*),
                    reply: fields!($( $($reply_fields)* )?),
                },
            )*],
        };
    };
}

macro_rules! item {
    (
        $domain:literal $(#[$meta:meta])* command $name:ident = $wire:literal { $($fields:tt)* }
        $( -> $reply:ident { $($reply_fields:tt)* } )?
    ) => {
        record! {
            #[doc = concat!("The command `", $domain, ".", $wire, "`.")]
            #[derive(serde::Serialize)]
            $(#[$meta])*
            $name { $($fields)* }
        }
        $(
            record! {
                #[doc = concat!("The answer to `", $domain, ".", $wire, "`.")]
                #[derive(serde::Deserialize)]
                $reply { $($reply_fields)* }
            }
        )?
        impl $crate::Command for $name {
            const METHOD: &'static str = concat!($domain, ".", $wire);
            type Reply = reply!($($reply)?);
        }
    };
    ($domain:literal $(#[$meta:meta])* event $name:ident = $wire:literal { $($fields:tt)* }) => {
        record! {
            #[doc = concat!("The event `", $domain, ".", $wire, "`.")]
            #[derive(serde::Deserialize)]
            $(#[$meta])*
            $name { $($fields)* }
        }
        impl $crate::Event for $name {
            const METHOD: &'static str = concat!($domain, ".", $wire);
        }
    };
    ($domain:literal $(#[$meta:meta])* type $name:ident = $wire:literal { $($fields:tt)* }) => {
        record! {
            #[doc = concat!("The type `", $domain, ".", $wire, "`.")]
            #[derive(serde::Serialize, serde::Deserialize)]
            $(#[$meta])*
            $name { $($fields)* }
        }
    };
    ($domain:literal $(#[$meta:meta])* shape $name:ident = $what:literal { $($fields:tt)* }) => {
        record! {
            #[doc = $what]
            #[derive(serde::Serialize, serde::Deserialize)]
            $(#[$meta])*
            $name { $($fields)* }
        }
    };
}

/// One struct. Its fields are those of the protocol, which documents them.
macro_rules! record {
    (
        $(#[$meta:meta])* $name:ident { $(
            $(#[$field_meta:meta])*
            $field:ident $(as $wire:literal)? $(? : $optional:ty)? $(: $required:ty)?
        ),* $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default)]
        #[serde(rename_all = "camelCase")]
        #[allow(missing_docs)]
        pub struct $name {
            $(
                $(#[$field_meta])*
                $( #[serde(rename = $wire)] )?
                $(
                    #[serde(default, skip_serializing_if = "Option::is_none")]
                    pub $field: Option<$optional>,
                )?
                $( pub $field: $required, )?
            )*
        }
    };
}

/// The description of a list of fields.
macro_rules! fields {
    ($(
        $(#[$field_meta:meta])*
        $field:ident $(as $wire:literal)? $(? : $optional:ty)? $(: $required:ty)?
    ),* $(,)?) => {
        &[$(
            $crate::describe::Field {
                name: stringify!($field),
                renamed: renamed!($($wire)?),
                optional: optional!($($optional)?),
                rust: stringify!($($optional)? $($required)?),
            },
        )*]
    };
}

macro_rules! kind {
    (command) => {
        $crate::describe::Kind::Command
    };
    (event) => {
        $crate::describe::Kind::Event
    };
    (type) => {
        $crate::describe::Kind::Type
    };
    (shape) => {
        $crate::describe::Kind::Shape
    };
}

macro_rules! reply {
    () => {
        $crate::Empty
    };
    ($reply:ident) => {
        $reply
    };
}

macro_rules! renamed {
    () => {
        None
    };
    ($wire:literal) => {
        Some($wire)
    };
}

macro_rules! optional {
    () => {
        false
    };
    ($optional:ty) => {
        true
    };
}
