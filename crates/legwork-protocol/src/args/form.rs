//! Arguments for filling a form in one call.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use super::common::{Observe, Span};

/// Fills several fields, checks them first, and may submit. One call for a whole form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FillForm {
    /// Label, name, placeholder or ref to value; true or false for boxes, a list for several options
    pub fields: FormFields,
    /// true, or the button to click
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submit: Option<Submit>,
    /// Default change
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observe: Option<Observe>,
    /// Default 5s a field
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub timeout: Option<Span>,
}

/// Fields and their values, in the order given.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FormFields(pub Vec<(String, FormValue)>);

/// What a field is to hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a string, a number, true, false or a list of strings")]
pub enum FormValue {
    /// A box checked or not.
    Checked(bool),
    /// A number.
    Number(f64),
    /// Text, a date, an option's label.
    Text(String),
    /// Several options.
    Options(Vec<String>),
}

impl FormValue {
    /// As it would be typed.
    pub fn text(&self) -> String {
        match self {
            FormValue::Checked(checked) => checked.to_string(),
            FormValue::Number(number) => number.to_string(),
            FormValue::Text(text) => text.clone(),
            FormValue::Options(options) => options.join(", "),
        }
    }
}

impl Serialize for FormFields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (field, value) in &self.0 {
            map.serialize_entry(field, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for FormFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FormFields, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = FormFields;
            fn expecting(&self, out: &mut fmt::Formatter) -> fmt::Result {
                out.write_str("an object of fields and values, such as {\"Email\": \"a@b.c\"}")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<FormFields, A::Error> {
                let mut fields = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    fields.push(entry);
                }
                Ok(FormFields(fields))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

impl JsonSchema for FormFields {
    fn schema_name() -> Cow<'static, str> {
        "FormFields".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "additionalProperties": true })
    }

    fn inline_schema() -> bool {
        true
    }
}

/// How the form is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected true, false or the button to click")]
pub enum Submit {
    /// By the form's own button, or not.
    Own(bool),
    /// By this button.
    Button(String),
}

impl JsonSchema for Submit {
    fn schema_name() -> Cow<'static, str> {
        "Submit".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["boolean", "string"] })
    }

    fn inline_schema() -> bool {
        true
    }
}
