//! The doors, as programs that were started, with a real Chrome behind them.

mod sidecar;
mod support;
