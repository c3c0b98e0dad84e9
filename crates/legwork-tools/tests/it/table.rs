//! The table that every door must answer, asked of the host itself.

use legwork_protocol::{ToolCall, ToolHost};
use legwork_tools::{Files, Host, Settings};

use crate::conformance::{Site, rows};

#[tokio::test(flavor = "multi_thread")]
async fn every_row_of_the_table_is_answered_as_it_says() {
    let site = Site::start().await;
    let folder = tempfile::tempdir().unwrap();
    let files = Files::in_folder(folder.path());
    let host = Host::new(Settings { files, ..Default::default() });
    let rows = rows();
    assert!(rows.len() >= 200, "{} rows", rows.len());
    let mut faults = Vec::new();
    for row in &rows {
        let (tool, arguments) = site.fill(row);
        let answer = host.call(ToolCall::new("table", &tool, arguments)).await;
        let told = match answer {
            Ok(reply) => Ok(reply.text),
            Err(error) => Err((error.code.to_string(), error.told())),
        };
        faults.extend(site.fault(row, &told));
    }
    host.close().await;
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), rows.len(), faults.join("\n"));
}
