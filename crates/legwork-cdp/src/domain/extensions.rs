//! `Extensions`: what a browser is extended by.

protocol! { "Extensions";
    command LoadUnpacked = "loadUnpacked" { path: String, enable_in_incognito?: bool }
        -> LoadUnpackedReply { id: String }
}
