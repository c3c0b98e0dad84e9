//! What a person does in a session that is recorded.

use serde::{Deserialize, Serialize};

use crate::args::act::Button;
use crate::known::Known;

/// Something a person did, and to what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserAct {
    /// The tab.
    pub tab: usize,
    /// What was done.
    #[serde(flatten)]
    pub deed: Deed,
    /// The element it was done to, by how it can be found again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element: Option<Known>,
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case")]
pub enum Deed {
    /// Clicked.
    Clicked {
        /// With this button.
        button: Button,
        /// So often in a row.
        count: u32,
    },
    /// Left a field with this in it.
    Filled {
        /// What it holds now.
        value: String,
    },
    /// Entered something in a field for passwords or codes; what, is told to nobody.
    EnteredSecret,
    /// Checked or unchecked a box.
    Checked {
        /// Whether it is checked now.
        on: bool,
    },
    /// Chose in a list.
    Chose {
        /// What is chosen now, as a person reads it.
        options: Vec<String>,
    },
    /// Pressed a key or chord that writes nothing.
    Pressed {
        /// Which, as `browser_press_key` takes it.
        key: String,
    },
    /// Chose files.
    GaveFiles {
        /// Their names; where they are is not known.
        files: Vec<String>,
    },
    /// Went to an address that no link led to; also where the recording begins.
    WentTo {
        /// The address.
        url: String,
    },
    /// Went back.
    WentBack,
    /// Went forward.
    WentForward,
    /// Loaded the page again.
    Reloaded,
}
