//! What was chosen for an item once, to be used first the next time.

use serde::{Deserialize, Serialize};
use url::Url;

/// A choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preference {
    /// What the shop calls the product.
    pub product: String,
    /// Its page.
    pub url: Url,
    /// Its size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<String>,
    /// Its brand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brand: Option<String>,
    /// The most that one may cost, as a price is written: `$5.00`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_ceiling: Option<String>,
}
