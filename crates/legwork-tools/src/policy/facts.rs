//! What is known about an action when it is judged, found out once, before anything is done.

use std::path::PathBuf;
use std::time::SystemTime;

use legwork_engine::ElementFacts;
use url::Url;

/// What is known about one action.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// The session it is for.
    pub session: String,
    /// The tool's name.
    pub tool: &'static str,
    /// What kind of thing it does.
    pub kind: Kind,
    /// The address of the page it would act on; none if no browser runs yet.
    pub page: Option<Url>,
    /// The address of the document that holds the element, where it is a frame's.
    pub frame: Option<Url>,
    /// Where it leads: the address to open, a link's target, where a form is sent.
    pub to: Option<Url>,
    /// The element, where one is acted on. The action is done to this one or not at all.
    pub element: Option<ElementFacts>,
    /// Files that would be given to the page.
    pub files: Vec<PathBuf>,
    /// A profile that would be opened and is not the one that was configured.
    pub profile: Option<PathBuf>,
    /// Names of the secrets that would be entered.
    pub secrets: Vec<String>,
    /// What a dialog of the page asks, where it would be answered.
    pub dialog: Option<String>,
    /// The page holds something that was entered and not sent, and this would leave it.
    pub unsaved: bool,
    /// The page came of sending something, and this would send it again.
    pub resends: bool,
    /// When it is judged. Rules about times of day refuse what has none.
    pub at: Option<SystemTime>,
    /// What doing it would mean, as far as it is recognised: see [`super::meanings`].
    pub meanings: Vec<Meaning>,
}

/// Gives an enum one word for each of its variants, as policy files write it.
macro_rules! words {
    ($(#[$about:meta])* $type:ident { $($(#[$each:meta])* $name:ident = $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $type {
            $($(#[$each])* $name,)*
        }

        impl $type {
            /// All of them.
            pub const ALL: &[$type] = &[$($type::$name,)*];

            /// The word for it in a policy file.
            pub fn word(self) -> &'static str {
                match self { $($type::$name => $word,)* }
            }

            /// The one that a word stands for.
            pub fn of(word: &str) -> Option<$type> {
                $type::ALL.iter().copied().find(|one| one.word() == word)
            }
        }
    };
}

words! {
    /// What kind of thing an action does.
    Kind {
        /// Looks at the page or at records; changes nothing.
        Read = "read",
        /// Goes to an address, back, forward, or loads again.
        Navigate = "navigate",
        /// Presses a button of the mouse on something, or drags it.
        Click = "click",
        /// Enters text, chooses options, fills a form.
        Type = "type",
        /// Presses a key.
        Press = "press",
        /// Moves pointer, page, window or tabs: scroll, hover, resize.
        Move = "move",
        /// Gives files of this machine to the page.
        Upload = "upload",
        /// Runs JavaScript in the page.
        Eval = "eval",
        /// Answers a dialog of the page.
        Dialog = "dialog",
        /// Opens or closes tabs and sessions, sets them offline.
        Session = "session",
        /// Reads a file of this machine.
        File = "file",
    }
}

words! {
    /// What doing something would mean, beyond the click itself.
    Meaning {
        /// Pays, or places an order.
        Pay = "pay",
        /// Deletes something.
        Delete = "delete",
        /// Sends a message, an application, an answer.
        Send = "send",
        /// Makes something public.
        Publish = "publish",
        /// Grants somebody or something a right.
        Grant = "grant",
        /// Changes a password, an e-mail address, a second factor.
        Credentials = "credentials",
        /// Gives files away.
        Upload = "upload",
        /// Leaves a form with data that was not sent.
        Leave = "leave",
    }
}
