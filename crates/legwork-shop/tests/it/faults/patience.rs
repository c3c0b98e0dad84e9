//! A browser whose calls are timed: no fault may leave one without an answer.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use legwork_protocol::{Blocked, Boxed, Called, ToolCall, ToolError, ToolHost, Warden};
use legwork_tools::Host;

/// How long any call may take. A page has fifteen seconds to load, and machines may be slow.
const MOST: Duration = Duration::from_secs(30);

/// The browser, and the calls that took too long.
#[derive(Clone)]
pub struct Timed {
    host: Host,
    slow: Arc<Mutex<Vec<String>>>,
}

impl Timed {
    pub fn new(host: Host) -> Timed {
        Timed { host, slow: Arc::default() }
    }

    /// The calls that took too long since this was last asked.
    pub fn take_slow(&self) -> Vec<String> {
        std::mem::take(&mut self.slow.lock().unwrap())
    }

    fn timed(&self, what: String) -> Call<'_> {
        Call { timed: self, what, since: Instant::now() }
    }
}

/// A call under way; over when it is dropped, which is also how those end that nobody waits for any longer.
struct Call<'a> {
    timed: &'a Timed,
    what: String,
    since: Instant,
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        let took = self.since.elapsed();
        if took > MOST {
            let told = format!("{} took {:.1} s", self.what, took.as_secs_f32());
            self.timed.slow.lock().unwrap().push(told);
        }
    }
}

impl ToolHost for Timed {
    fn call(&self, call: ToolCall) -> Called<'_> {
        let timed = self.timed(format!("{} in {}", call.tool, call.session));
        Box::pin(async move {
            let _timed = timed;
            self.host.call(call).await
        })
    }

    fn end<'a>(&'a self, session: &'a str) -> Boxed<'a, ()> {
        self.host.end(session)
    }
}

impl Warden for Timed {
    fn govern<'a>(&'a self, policy: &'a str) -> Boxed<'a, Result<(), ToolError>> {
        let timed = self.timed("a change of the rules".into());
        Box::pin(async move {
            let _timed = timed;
            self.host.govern(policy).await
        })
    }

    fn beside<'a>(&'a self, session: &'a str, of: &'a str) -> Boxed<'a, Result<(), ToolError>> {
        self.host.beside(session, of)
    }

    fn banner<'a>(&'a self, session: &'a str, text: &'a str) -> Boxed<'a, Result<(), ToolError>> {
        let timed = self.timed(format!("the banner of {session}"));
        Box::pin(async move {
            let _timed = timed;
            self.host.banner(session, text).await
        })
    }

    fn blocked(&self) -> Vec<Blocked> {
        Warden::blocked(&self.host)
    }
}
