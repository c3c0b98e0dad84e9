//! What shopping needs of this program: a folder of its own, sites and lists by name, a browser that keeps
//! to a site's rules, and what was said put together with what is configured.

mod browser;
mod folder;
mod lists;
mod plan;
mod said;
mod sites;

pub use browser::{host, is_there as browser_is_there};
pub use folder::Folder;
pub use lists::Opened;
pub use plan::{Plan, chosen_site};
pub use said::Said;
pub use sites::{Found, all as sites, find as site};
