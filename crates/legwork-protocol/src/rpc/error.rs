//! Why a request has no result: a number for JSON-RPC, a sentence, and our own code with a hint.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::error::{Code, ToolError};

/// An error as JSON-RPC writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Error {
    /// A number that JSON-RPC defines, or -32000 for what went wrong in a tool.
    pub code: i64,
    /// A sentence.
    pub message: String,
    /// Our own code and a hint.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient")]
    pub data: Option<Details>,
}

/// What programs look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Details {
    /// Such as `ERR_TIMEOUT`.
    pub code: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Error {
    /// What came is no JSON.
    pub const PARSE: i64 = -32700;
    /// It is JSON, but no request.
    pub const INVALID_REQUEST: i64 = -32600;
    /// There is no such method.
    pub const UNKNOWN_METHOD: i64 = -32601;
    /// The method does not take these parameters.
    pub const INVALID_PARAMS: i64 = -32602;
    /// A defect of the sidecar.
    pub const INTERNAL: i64 = -32603;
    /// A tool did not do what was asked; `data.code` says why.
    pub const TOOL: i64 = -32000;
    /// The caller gave up; the number that the Language Server Protocol uses.
    pub const CANCELLED: i64 = -32800;

    /// What came cannot be read.
    pub fn parse(message: impl Into<String>) -> Error {
        Error::plain(Error::PARSE, message, "ERR_PARSE")
    }

    /// What came is no request.
    pub fn invalid_request(message: impl Into<String>) -> Error {
        Error::plain(Error::INVALID_REQUEST, message, "ERR_INVALID_REQUEST")
    }

    fn plain(code: i64, message: impl Into<String>, own: &str) -> Error {
        let data = Some(Details { code: own.to_owned(), hint: None });
        Error { code, message: message.into(), data }
    }

    /// Whether the sidecar could not read what it was sent, so that no tool is to blame.
    pub fn is_of_the_wire(&self) -> bool {
        matches!(self.code, Error::PARSE | Error::INVALID_REQUEST)
    }

    /// The error of a tool. A code that is not known here, a newer sidecar's, is kept in the sentence.
    pub fn into_tool_error(self) -> ToolError {
        let Some(details) = self.data else {
            return ToolError::new(by_number(self.code), self.message);
        };
        let error = match Code::parse(&details.code) {
            Some(code) => ToolError::new(code, self.message),
            None => {
                ToolError::new(by_number(self.code), format!("{}: {}", details.code, self.message))
            }
        };
        ToolError { hint: details.hint, ..error }
    }
}

fn by_number(code: i64) -> Code {
    match code {
        Error::UNKNOWN_METHOD => Code::UnknownTool,
        Error::INVALID_PARAMS => Code::InvalidInput,
        Error::CANCELLED => Code::Cancelled,
        _ => Code::Internal,
    }
}

impl From<ToolError> for Error {
    fn from(error: ToolError) -> Error {
        let code = match error.code {
            Code::InvalidInput => Error::INVALID_PARAMS,
            Code::UnknownTool => Error::UNKNOWN_METHOD,
            Code::Cancelled => Error::CANCELLED,
            Code::Internal => Error::INTERNAL,
            _ => Error::TOOL,
        };
        let data = Some(Details { code: error.code.sidecar(), hint: error.hint });
        Error { code, message: error.message, data }
    }
}

/// `data` is for anybody to define: what is not ours is not looked at.
fn lenient<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Details>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).ok())
}
