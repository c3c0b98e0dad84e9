//! The protocol's identifiers, each a type of its own, so that none is taken for another.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

macro_rules! text_ids {
    ($( $(#[$meta:meta])* $name:ident, )*) => {
        $(
            $(#[$meta])*
            #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
            #[serde(transparent)]
            pub struct $name(String);

            impl $name {
                /// The identifier as the protocol writes it.
                pub fn as_str(&self) -> &str {
                    &self.0
                }
            }

            impl Deref for $name {
                type Target = str;

                fn deref(&self) -> &str {
                    &self.0
                }
            }

            impl Borrow<str> for $name {
                fn borrow(&self) -> &str {
                    &self.0
                }
            }

            impl From<String> for $name {
                fn from(text: String) -> Self {
                    $name(text)
                }
            }

            impl From<&str> for $name {
                fn from(text: &str) -> Self {
                    $name(text.to_owned())
                }
            }

            impl From<$name> for String {
                fn from(id: $name) -> String {
                    id.0
                }
            }

            impl fmt::Display for $name {
                fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                    out.write_str(&self.0)
                }
            }
        )*

        /// The names of the identifiers that are text on the wire.
        pub(crate) const TEXT_IDS: &[&str] = &[$( stringify!($name) ),*];
    };
}

macro_rules! number_ids {
    ($( $(#[$meta:meta])* $name:ident, )*) => {
        $(
            $(#[$meta])*
            pub type $name = i64;
        )*

        /// The names of the identifiers that are whole numbers on the wire.
        pub(crate) const NUMBER_IDS: &[&str] = &[$( stringify!($name) ),*];
    };
}

text_ids! {
    /// One flat session: our attachment to one target.
    SessionId,
    /// A page, frame process, worker or other thing that can be attached to.
    TargetId,
    /// A frame of a page.
    FrameId,
    /// One loading of a document into a frame.
    LoaderId,
    /// A browser context: cookies and storage of their own.
    BrowserContextId,
    /// One network request, or one paused by `Fetch`.
    RequestId,
    /// A JavaScript object that is kept alive for us (`RemoteObjectId`).
    ObjectId,
    /// A script, or an injected one.
    ScriptId,
}

number_ids! {
    /// A DOM node, for as long as it lives in its process.
    BackendNodeId,
    /// A DOM node that was pushed to this session, until the document changes.
    NodeId,
    /// A JavaScript context, unique only within its process.
    ExecutionContextId,
}
