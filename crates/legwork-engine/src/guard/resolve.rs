//! Looks names up for the proxy.

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;

/// What a lookup will answer.
pub type Lookup<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Looks names up for guarded sessions. The browsers themselves look nothing up.
pub trait Resolver: fmt::Debug + Send + Sync {
    /// The addresses that a name stands for, best first.
    fn resolve<'a>(&'a self, host: &'a str) -> Lookup<'a>;
}

/// As the system does it.
#[derive(Debug)]
pub(crate) struct System;

impl Resolver for System {
    fn resolve<'a>(&'a self, host: &'a str) -> Lookup<'a> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((host, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}
