//! What several crates need of the machine they run on: the time as it is written, folders that only their
//! user can look into, and whether a process still lives. Knows nothing of browsers, tools or runs.

pub mod clock;
pub mod folder;
pub mod process;
