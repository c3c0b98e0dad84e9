//! How much is logged to standard error.

use clap::ValueEnum;

/// How much is logged.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Level {
    /// Defects.
    Error,
    /// What may be wrong.
    Warn,
    /// What happens.
    Info,
    /// How it happens.
    Debug,
    /// Everything.
    Trace,
}

impl Level {
    /// The level as `tracing` names it.
    pub fn tracing(self) -> tracing::Level {
        match self {
            Level::Error => tracing::Level::ERROR,
            Level::Warn => tracing::Level::WARN,
            Level::Info => tracing::Level::INFO,
            Level::Debug => tracing::Level::DEBUG,
            Level::Trace => tracing::Level::TRACE,
        }
    }
}
