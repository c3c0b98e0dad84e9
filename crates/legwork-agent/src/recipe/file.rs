//! The file of a recipe: TOML, read strictly and written whole.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::{Recipe, Tool, parameters};

/// Why there is no recipe, or none that can be used.
#[derive(Debug, thiserror::Error)]
pub enum RecipeError {
    /// The text is not a recipe.
    #[error("line {line}: {message}")]
    Syntax {
        /// Where, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A parameter has no value, or a value no parameter.
    #[error("{0}")]
    Parameter(String),
    /// What was wanted as a parameter stands in no step.
    #[error("{0}")]
    Unmatched(String),
    /// What was entered or seen would be read as the name of a parameter or a secret.
    #[error("step {step} ({what}): its {part} contains \"{{{{\", which a recipe reads as a name")]
    Live {
        /// The step, from 1.
        step: usize,
        /// What it does.
        what: &'static str,
        /// Which part of it.
        part: &'static str,
    },
    /// Nothing was done that could be done again.
    #[error("nothing was done that could be done again")]
    Nothing,
    /// It is not known how to find an element again.
    #[error("step {step} acted on {target}, and nothing tells how to find that again")]
    Unfindable {
        /// The step of the run.
        step: u32,
        /// What it was called.
        target: String,
    },
}

impl RecipeError {
    /// For programs.
    pub fn code(&self) -> &'static str {
        match self {
            RecipeError::Syntax { .. } => "recipe_syntax",
            RecipeError::File { .. } => "file_error",
            RecipeError::Parameter(_) | RecipeError::Unmatched(_) => "recipe_parameter",
            RecipeError::Live { .. } => "recipe_live",
            RecipeError::Nothing => "recipe_empty",
            RecipeError::Unfindable { .. } => "recipe_unfindable",
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            RecipeError::Syntax { .. } => "docs/recipes.md shows every field of a recipe",
            RecipeError::File { .. } => "check the path and who may read and write it",
            RecipeError::Parameter(_) => {
                "give each parameter without a default as name=value; a value is text, without {{"
            }
            RecipeError::Unmatched(_) => {
                "a parameter is name=value, of a value that a step has, or the label of a field"
            }
            RecipeError::Live { .. } => {
                "record it with another text; secrets go into password fields"
            }
            RecipeError::Nothing => "record a run that acts on a page",
            RecipeError::Unfindable { .. } => "record it again with this version",
        }
    }
}

impl Recipe {
    /// Reads a recipe.
    pub fn parse(text: &str) -> Result<Recipe, RecipeError> {
        let recipe: Recipe = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            RecipeError::Syntax { line: line_at(text, at), message: error.message().to_owned() }
        })?;
        recipe.check(text)?;
        Ok(recipe)
    }

    /// Reads a recipe's file.
    pub fn read(path: &Path) -> Result<Recipe, RecipeError> {
        let failed = |source| RecipeError::File { path: path.to_owned(), source };
        Recipe::parse(&std::fs::read_to_string(path).map_err(failed)?)
    }

    /// The recipe as text.
    pub fn text(&self) -> Result<String, RecipeError> {
        toml::to_string_pretty(self)
            .map_err(|error| RecipeError::Syntax { line: 1, message: error.to_string() })
    }

    /// Writes the file: beside the old one first, which it then replaces.
    pub fn write(&self, path: &Path) -> Result<(), RecipeError> {
        let failed = |source| RecipeError::File { path: path.to_owned(), source };
        let text = self.text()?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let beside = path.with_file_name(format!(".{name}.{}", std::process::id()));
        let written = std::fs::File::create(&beside).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            std::fs::rename(&beside, path)
        });
        written.map_err(|source| {
            let _ = std::fs::remove_file(&beside);
            failed(source)
        })
    }

    /// What the types cannot say: what each kind of step needs, and that its parameters are there.
    fn check(&self, text: &str) -> Result<(), RecipeError> {
        if self.steps.is_empty() {
            return Err(RecipeError::Syntax { line: 1, message: "there are no steps".into() });
        }
        for (index, step) in self.steps.iter().enumerate() {
            let wrong =
                |message: String| RecipeError::Syntax { line: line_of(text, index), message };
            let number = index + 1;
            let kind = step.tool.verb();
            if step.tool.needs_element() && step.element.is_none() {
                return Err(wrong(format!("step {number} ({kind}) needs an element")));
            }
            if step.tool.needs_value() && step.value.is_none() {
                return Err(wrong(format!("step {number} ({kind}) needs a value")));
            }
            if step.tool == Tool::Drag && step.onto.is_none() {
                return Err(wrong(format!("step {number} ({kind}) needs onto")));
            }
            let elements = step.element.iter().chain(&step.onto);
            if elements.clone().any(|element| element.find.is_empty()) {
                return Err(wrong(format!(
                    "step {number} ({kind}) says no way to find its element"
                )));
            }
            for name in parameters::named(step) {
                if !self.parameters.iter().any(|known| known.name == name) {
                    return Err(wrong(format!(
                        "step {number} names {{{{{name}}}}}, which is no parameter"
                    )));
                }
            }
        }
        Ok(())
    }
}

fn line_at(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

/// The line where a step begins.
fn line_of(text: &str, step: usize) -> usize {
    let begins = |line: &(usize, &str)| line.1.trim_start().starts_with("[[steps]]");
    text.lines().enumerate().filter(begins).nth(step).map_or(1, |(line, _)| line + 1)
}
