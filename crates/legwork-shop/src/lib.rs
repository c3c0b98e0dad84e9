//! A shopping list in, a filled cart out: lists and who keeps them, prices, descriptions of sites, the protected
//! browser, shoppers with and without a model, whole trips, and the summary at the end.

pub mod agent;
pub mod cart;
pub mod config;
pub mod errand;
pub mod item;
pub mod lane;
pub mod list;
pub mod money;
pub mod page;
pub mod preferences;
pub mod shopper;
pub mod sign_in;
pub mod site;
pub mod steering;
pub mod summary;
pub mod trip;
mod visible;
