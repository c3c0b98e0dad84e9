//! The store described for the shopper, as any shop is: the template beside this crate, with the port filled
//! in.

use crate::Store;

const TEMPLATE: &str = include_str!("../data/site.toml");

/// The variable that holds the name to sign in with.
pub const USERNAME_VARIABLE: &str = "LEGWORK_DEMO_USERNAME";
/// The variable that holds the password.
pub const PASSWORD_VARIABLE: &str = "LEGWORK_DEMO_PASSWORD";

pub(crate) fn text(store: &Store) -> String {
    TEMPLATE.replace("127.0.0.1:0", &store.address.to_string())
}
