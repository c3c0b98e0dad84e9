//! A shopping list in, a filled cart out. So far what needs no browser: lists and who keeps them, prices,
//! descriptions of sites, and the summary at the end.

pub mod item;
pub mod list;
pub mod money;
pub mod site;
pub mod summary;
