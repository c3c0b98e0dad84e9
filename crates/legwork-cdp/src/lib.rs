//! A thin, typed client of the Chrome DevTools Protocol.
