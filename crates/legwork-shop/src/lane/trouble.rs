//! What an error of a tool, or the status of a page, is to an errand.

use legwork_protocol::{Code, ToolError};

use crate::errand::Trouble;

/// An error of a tool as a trouble: the shop, the connection or the browser failed, or whoever shops cannot
/// go on.
pub fn trouble(error: ToolError) -> Trouble {
    let told = error.told();
    match error.code {
        Code::Timeout
        | Code::NavigationFailed
        | Code::BrowserCrashed
        | Code::PageCrashed
        | Code::PageClosed
        | Code::FrameGone
        | Code::SessionClosed
        | Code::SidecarFailed
        | Code::ProtocolError
        | Code::Cancelled => Trouble::Network(told),
        Code::BrowserNotFound | Code::LaunchFailed | Code::ProfileInUse => {
            Trouble::NoBrowser(error)
        }
        _ => Trouble::Agent(told),
    }
}

/// Whether there is no browser, or no session in it, to go on with.
pub(super) fn is_gone(code: Code) -> bool {
    matches!(
        code,
        Code::BrowserCrashed
            | Code::BrowserNotFound
            | Code::LaunchFailed
            | Code::ProfileInUse
            | Code::SessionClosed
            | Code::SidecarFailed
            | Code::Cancelled
    )
}

/// What a page's status says. A page that is missing is an answer, not a trouble.
pub(super) fn of_status(status: Option<u16>, signed_in: bool) -> Result<(), Trouble> {
    match status {
        None | Some(..=399 | 404 | 410) => Ok(()),
        Some(401 | 403) if signed_in => Err(Trouble::SignedOut),
        Some(status) => Err(Trouble::Network(format!("the shop answered with status {status}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_apart_by_whose_they_are() {
        let of = |code| trouble(ToolError::new(code, "x"));
        for code in
            [Code::Timeout, Code::NavigationFailed, Code::BrowserCrashed, Code::SessionClosed]
        {
            assert!(matches!(of(code), Trouble::Network(_)), "{code}");
        }
        for code in [Code::BrowserNotFound, Code::LaunchFailed, Code::ProfileInUse] {
            assert!(matches!(of(code), Trouble::NoBrowser(error) if error.code == code), "{code}");
        }
        for code in [Code::Denied, Code::NotFound, Code::Internal, Code::InvalidInput] {
            assert!(matches!(of(code), Trouble::Agent(_)), "{code}");
        }
        let denied = trouble(ToolError::new(
            Code::Denied,
            "paths.block says no (paths.block = \"**/checkout*\")",
        ));
        assert!(denied.to_string().contains("**/checkout*"), "{denied}");
    }

    #[test]
    fn a_status_is_a_trouble_unless_it_is_an_answer() {
        for status in [None, Some(200), Some(304), Some(404), Some(410)] {
            assert_eq!(of_status(status, true), Ok(()));
        }
        assert_eq!(of_status(Some(401), true), Err(Trouble::SignedOut));
        for (status, signed_in) in [(401, false), (429, true), (500, true), (503, false)] {
            assert!(
                matches!(of_status(Some(status), signed_in), Err(Trouble::Network(_))),
                "{status}"
            );
        }
    }
}
