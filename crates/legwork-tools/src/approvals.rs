//! Asking a person. An approval is for one action on one element, is used once, and cannot be given by
//! whoever made the call.

/// A person said yes to exactly this action, just now.
#[derive(Debug)]
pub struct Approval(());
