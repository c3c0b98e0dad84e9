//! `browser_fill_form` (W1): finds every field, checks every value, then fills.

use legwork_protocol::{FillForm, Reply, ToolError};

use super::Execute;
use crate::desk::Desk;
use crate::policy::Permitted;

impl Execute for FillForm {
    async fn run(permitted: Permitted<FillForm>, _desk: &Desk) -> Result<Reply, ToolError> {
        let _form = permitted.into_action();
        Err(ToolError::invalid("not here yet"))
    }
}
