//! One list of fields against the published one, and one Rust type against a JSON type.

use std::collections::BTreeSet;

use legwork_cdp::describe::{Domain, Field, Item, Kind, NUMBER_IDS, TEXT_IDS};

use super::published::{Published, Schema};

/// Which way a list of fields travels.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// To the browser: what it requires must be there.
    Sent,
    /// From the browser: what it may leave out may be missing.
    Received,
    /// Either way.
    Both,
}

/// The declared types, by the names they go by in Rust.
pub struct Names<'a> {
    domains: &'a [Domain],
    sent: BTreeSet<(&'static str, &'static str)>,
}

impl<'a> Names<'a> {
    pub fn new(domains: &'a [Domain]) -> Names<'a> {
        let mut names = Names { domains, sent: BTreeSet::new() };
        for domain in domains {
            for item in domain.items.iter().filter(|item| item.kind == Kind::Command) {
                names.mark_sent(domain.name, item.fields);
            }
        }
        names
    }

    /// Whether the type is part of a command's parameters.
    pub fn is_sent(&self, domain: &str, rust: &str) -> bool {
        self.sent.iter().any(|sent| *sent == (domain, rust))
    }

    /// The type `rust`, as it is meant in `domain`, with the domain that declares it.
    fn find(&self, domain: &str, rust: &str) -> Option<(&'static str, &'a Item)> {
        let own = self.domains.iter().filter(|candidate| candidate.name == domain);
        let others = self.domains.iter().filter(|candidate| candidate.name != domain);
        let is_type = |item: &&Item| matches!(item.kind, Kind::Type | Kind::Shape);
        own.chain(others).find_map(|domain| {
            let mut items = domain.items.iter().filter(is_type);
            items.find(|item| item.rust == rust).map(|item| (domain.name, item))
        })
    }

    fn mark_sent(&mut self, domain: &'static str, fields: &[Field]) {
        for field in fields {
            let innermost = field.rust.rsplit('<').next().unwrap_or_default();
            let innermost = innermost.trim_end_matches('>').trim();
            if let Some((domain, item)) = self.find(domain, innermost)
                && self.sent.insert((domain, item.rust))
            {
                self.mark_sent(domain, item.fields);
            }
        }
    }
}

/// Where the fields that are compared stand.
pub struct Place<'a> {
    pub names: &'a Names<'a>,
    pub published: &'a Published,
    pub domain: &'a str,
}

impl Place<'_> {
    /// Every disagreement between our fields of `owner` and the published ones.
    pub fn compare(&self, owner: &str, ours: &[Field], theirs: &[Schema], way: Way) -> Vec<String> {
        let mut found = Vec::new();
        for field in ours {
            let name = field.wire_name();
            let Some(schema) = theirs.iter().find(|schema| schema.name == name) else {
                found.push(format!("{owner} has no field {name}."));
                continue;
            };
            found.extend(optionality(owner, field, schema, way));
            if let Err(expected) = self.fits(field.rust, schema, self.domain) {
                let ours = field.rust;
                found.push(format!("{owner}: the field {name} is {expected}, not {ours}."));
            }
        }
        if way != Way::Received {
            let missing = theirs.iter().filter(|schema| {
                !schema.optional && !ours.iter().any(|field| field.wire_name() == schema.name)
            });
            found.extend(missing.map(|schema| {
                format!("{owner}: the required field {} is not declared.", schema.name)
            }));
        }
        found
    }

    /// Whether the Rust type can hold what the schema describes; if not, what that is.
    fn fits(&self, rust: &str, schema: &Schema, domain: &str) -> Result<(), String> {
        let rust = rust.trim();
        if rust == "Box<RawValue>" {
            return Ok(());
        }
        if let Some(inner) = argument(rust, "Box") {
            return self.fits(inner, schema, domain);
        }
        if let Some(reference) = &schema.reference {
            return self.fits_reference(rust, &qualify(reference, domain));
        }
        let kind = schema.kind.as_deref().unwrap_or("of no type");
        let fitting = match kind {
            "string" | "binary" => rust == "String" || TEXT_IDS.contains(&rust),
            "integer" => rust == "i64" || NUMBER_IDS.contains(&rust),
            "number" => rust == "f64",
            "boolean" => rust == "bool",
            "object" => rust.starts_with("BTreeMap<String,") || self.is_shape(rust),
            "array" => match (argument(rust, "Vec"), &schema.items) {
                (Some(inner), Some(items)) => {
                    return self.fits(inner, items, domain).map_err(|it| format!("array of {it}"));
                }
                _ => false,
            },
            _ => false,
        };
        if fitting { Ok(()) } else { Err(kind.to_owned()) }
    }

    /// The same for a type of the protocol: ours must be declared as that very type.
    fn fits_reference(&self, rust: &str, qualified: &str) -> Result<(), String> {
        match self.names.find(self.domain, rust) {
            Some((domain, item)) if item.kind == Kind::Type => {
                let ours = format!("{domain}.{}", item.name);
                if ours == qualified { Ok(()) } else { Err(qualified.to_owned()) }
            }
            _ => {
                let unknown = || format!("{qualified}, which does not exist");
                let schema = self.published.resolve(qualified).ok_or_else(unknown)?;
                let domain = qualified.split('.').next().unwrap_or_default();
                self.fits(rust, schema, domain).map_err(|it| format!("{qualified} ({it})"))
            }
        }
    }

    fn is_shape(&self, rust: &str) -> bool {
        self.names.find(self.domain, rust).is_some_and(|(_, item)| item.kind == Kind::Shape)
    }
}

fn optionality(owner: &str, field: &Field, schema: &Schema, way: Way) -> Option<String> {
    let name = &schema.name;
    if way != Way::Received && field.optional && !schema.optional {
        return Some(format!("{owner}: the field {name} is required, but optional here."));
    }
    if way != Way::Sent && !field.optional && schema.optional {
        return Some(format!("{owner}: the field {name} may be missing, but is required here."));
    }
    None
}

/// `T` of `Outer<T>`.
fn argument<'a>(rust: &'a str, outer: &str) -> Option<&'a str> {
    rust.strip_prefix(outer)?.trim().strip_prefix('<')?.strip_suffix('>')
}

fn qualify(reference: &str, domain: &str) -> String {
    if reference.contains('.') { reference.to_owned() } else { format!("{domain}.{reference}") }
}
