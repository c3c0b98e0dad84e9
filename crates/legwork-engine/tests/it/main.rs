//! The engine in a real Chrome, against small pages and a server that behaves badly on request.

mod act;
mod listeners;
mod support;
