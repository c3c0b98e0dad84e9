//! Everything that was recorded of calls, as text.

use std::sync::Mutex;
use std::time::Duration;

use legwork_protocol::ToolError;
use legwork_tools::{Audit, Ending, Entry, Judged};

#[derive(Default)]
pub struct Records(Mutex<String>);

impl Records {
    pub fn all(&self) -> String {
        self.0.lock().unwrap().clone()
    }

    fn add(&self, line: &str) {
        let mut all = self.0.lock().unwrap();
        all.push_str(line);
        all.push('\n');
    }
}

impl Audit for Records {
    fn opened(&self, entry: &Entry) -> Result<u64, ToolError> {
        self.add(&format!("{entry:?}"));
        Ok(0)
    }

    fn judged(&self, _: u64, judged: &Judged<'_>) -> Result<(), ToolError> {
        self.add(&format!("{} {judged:?}", judged.arguments));
        Ok(())
    }

    fn closed(&self, _: u64, ending: Ending, told: &str, _: Duration) {
        self.add(&format!("{ending:?} {told}"));
    }
}
