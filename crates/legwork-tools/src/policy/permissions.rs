//! What pages are given that Chrome would ask a person for: `[permissions]`.

use std::collections::BTreeMap;

use legwork_engine::{Grant, PERMISSIONS};
use serde::Deserialize;
use url::Url;

/// What is granted, and to whom.
pub(super) type Permissions = BTreeMap<Permission, Vec<Origin>>;

/// Something that pages ask for, by its place in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Permission(usize);

impl Permission {
    fn name(self) -> &'static str {
        PERMISSIONS[self.0]
    }
}

impl TryFrom<String> for Permission {
    type Error = String;

    fn try_from(name: String) -> Result<Permission, String> {
        let known = PERMISSIONS.iter().position(|known| **known == name);
        known.map(Permission).ok_or_else(|| {
            format!("there is no permission {name:?}; there is {}", PERMISSIONS.join(", "))
        })
    }
}

/// Scheme, host and port.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Origin(String);

impl TryFrom<String> for Origin {
    type Error = String;

    fn try_from(text: String) -> Result<Origin, String> {
        let origin = Url::parse(&text).ok().map(|url| url.origin());
        let whole =
            origin.filter(|origin| origin.is_tuple()).map(|origin| origin.ascii_serialization());
        whole.filter(|whole| *whole == text.trim_end_matches('/')).map(Origin).ok_or_else(|| {
            format!(
                "{text:?} is no origin; write it as https://maps.example, with nothing after it"
            )
        })
    }
}

/// As the engine takes them.
pub(super) fn grants(permissions: &Permissions) -> Vec<Grant> {
    let one = |(permission, origins): (&Permission, &Vec<Origin>)| {
        let permission = permission.name();
        let grant = move |origin: &Origin| Grant { permission, origin: origin.0.clone() };
        origins.iter().map(grant).collect::<Vec<_>>()
    };
    permissions.iter().flat_map(one).collect()
}

/// As they stand in the file.
pub(super) fn told(permissions: &Permissions) -> impl Iterator<Item = String> {
    permissions.iter().map(|(permission, origins)| {
        let origins: Vec<&str> = origins.iter().map(|origin| origin.0.as_str()).collect();
        format!("{} = {origins:?}", permission.name())
    })
}
