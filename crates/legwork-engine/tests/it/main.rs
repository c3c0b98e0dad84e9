//! The engine in a real Chrome, against small pages and a server that behaves badly on request.

mod act;
mod field;
mod frames;
mod hostile;
mod life;
mod navigate;
mod record;
mod see;
mod support;
mod wait;
