//! The table that every door must answer, asked of the command line.

use crate::conformance::{Site, Told, rows};
use crate::support::{Ended, User};

#[tokio::test(flavor = "multi_thread")]
async fn every_row_of_the_table_is_answered_by_the_command_line() {
    let site = Site::start().await;
    let user = User::new();
    let rows = rows();
    let mut faults = Vec::new();
    for row in &rows {
        let (tool, arguments) = site.fill(row);
        // A name longer than the system passes to a program cannot be asked for here.
        if tool.len() > 100_000 {
            continue;
        }
        let arguments = serde_json::Value::Object(arguments).to_string();
        let ended = user.fed(&["--json", "call", &tool, "-"], &arguments);
        faults.extend(site.fault(row, &told(&ended)));
    }
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), rows.len(), faults.join("\n"));
}

fn told(ended: &Ended) -> Told {
    let read = |text: &str| -> serde_json::Value {
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}{}", ended.err))
    };
    if ended.code == 0 {
        return Ok(read(&ended.out)["text"].as_str().unwrap().to_owned());
    }
    let error = &read(&ended.err)["error"];
    let part = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
    Err((part("code"), format!("{}: {}\nHint: {}", part("code"), part("message"), part("hint"))))
}
