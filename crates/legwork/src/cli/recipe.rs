//! Recipes as files: saved of a run, and what of it is another each time.

use std::path::Path;

use legwork_agent::recipe::{Recipe, RecipeError, Wanted, from_run};
use legwork_agent::run::Assistant;
use legwork_protocol::Code;
use legwork_protocol::assistant::StateUpdate;

use super::failure::{Exit, Failure};
use super::run::refused;
use crate::view::clean;

/// What should be another each time: `name=value` for whatever was that value, or the label of a field.
pub(super) fn wanted(text: &str) -> Result<Wanted, String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.is_empty() => {
            Ok(Wanted::Value { name: name.trim().to_owned(), value: value.to_owned() })
        }
        None if !text.trim().is_empty() => Ok(Wanted::Label(text.trim().to_owned())),
        _ => Err("expected name=value, or the label of a field".to_owned()),
    }
}

/// That a new recipe can have this file: none is there, and its folder is. Who works towards a recipe asks
/// first, so that nothing is done in vain.
pub(super) fn vacant(file: &Path) -> Result<(), Failure> {
    let refused = |message: String, hint: &str| {
        Err(Failure::new(Exit::Usage, Code::InvalidInput.text(), message).with_hint(hint))
    };
    // A link that leads nowhere is there as well.
    if file.symlink_metadata().is_ok() {
        let message = format!("{} is there already", file.display());
        return refused(message, "name another file, or delete that one first");
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder.filter(|folder| !folder.is_dir()) {
        Some(folder) => {
            let message = format!("{} is no folder", folder.display());
            refused(message, "make it, or name a file in another one")
        }
        None => Ok(()),
    }
}

/// Saves what was done in a run.
pub(super) fn save(
    assistant: &Assistant,
    state: &StateUpdate,
    file: &Path,
    wanted: &[Wanted],
) -> Result<(), Failure> {
    vacant(file)?;
    let steps = assistant.steps(&state.run_id).map_err(refused)?;
    let tasks = state.tasks.as_ref().map(|list| list.tasks.as_slice()).unwrap_or_default();
    let recipe = from_run(tasks, &steps, wanted).map_err(|error| unusable(&error))?;
    if let Some(error) = recipe.unmatched(wanted) {
        let (run, hint) = (&state.run_id, error.hint());
        let again = format!("legwork runs save {run} {} --parameter …", file.display());
        return Err(unusable(&error).with_hint(format!("no recipe was written; {hint}: {again}")));
    }
    // An instruction may say the password that a step enters by name.
    let about = if recipe.enters_secrets() { String::new() } else { clean(&state.instruction) };
    write(recipe, &about, file)
}

/// That a run which is not completed became no recipe, and how it still can.
pub(super) fn unsaved(state: &StateUpdate, file: &Path) -> String {
    let (run, file) = (&state.run_id, file.display());
    format!(
        "no recipe was written: once the run is completed, legwork runs save {run} {file} writes it"
    )
}

/// Writes a recipe, named as its file, and says so.
pub(super) fn write(recipe: Recipe, about: &str, file: &Path) -> Result<(), Failure> {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    // What nobody named is called as its file.
    let unnamed = ["", "recipe"].contains(&recipe.name.as_str()) && !stem.is_empty();
    let name = if unnamed { stem } else { recipe.name };
    let described = recipe.description.is_empty();
    let description = if described { about.to_owned() } else { recipe.description };
    let recipe = Recipe { name, description, ..recipe };
    recipe.write(file).map_err(|error| unusable(&error))?;
    let steps = match recipe.steps.len() {
        1 => "1 step".to_owned(),
        more => format!("{more} steps"),
    };
    eprintln!("saved: {} ({steps})", file.display());
    Ok(())
}

/// Why there is no recipe, or none that can be used.
pub(super) fn unusable(error: &RecipeError) -> Failure {
    let exit = match error {
        RecipeError::Syntax { .. }
        | RecipeError::File { .. }
        | RecipeError::Parameter(_)
        | RecipeError::Unmatched(_) => Exit::Usage,
        RecipeError::Live { .. } | RecipeError::Nothing | RecipeError::Unfindable { .. } => {
            Exit::Tool
        }
    };
    Failure::new(exit, error.code(), error.to_string()).with_hint(error.hint())
}
