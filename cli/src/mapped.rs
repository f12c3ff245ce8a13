//! Loading models: read, or mapped; alone, or in a container.
//!
//! Unsafe code: the map of the file, which nobody may change before the program ends. Options of the commands say so,
//! and `--copy` avoids it.

use std::path::Path;

use arenite::{Model, Source};
use arenite_litertlm::{Container, Section, WEIGHTS};
use clap::Args;

use crate::answer::{Failure, Result};

/// How a model comes into memory.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct Loading {
    /// Copy the model into memory. Otherwise it is mapped, which needs less memory: until the command ends, nothing may
    /// write to the file; replacing it by renaming is fine
    #[arg(long)]
    copy: bool,
}

impl Loading {
    /// Reads files, which may change afterwards.
    pub(crate) const READ: Loading = Loading { copy: true };

    /// Loads a model, or the language model of a container. Errors name the file.
    pub(crate) fn model(self, path: &Path) -> Result<Model> {
        self.attempt(path).map_err(|text| {
            let name = path.display().to_string();
            if text.contains(&name) { Failure::new(text) } else { Failure::with(name, text) }
        })
    }

    fn attempt(self, path: &Path) -> Result<Model, String> {
        let failed = |error: arenite::Error| error.to_string();
        if !Container::is_at(path) {
            return match self.copy {
                true => Model::from_file(path).map_err(failed),
                // SAFETY: the option requires that nothing writes to the file before the command ends.
                false => unsafe { Model::map_file(path) }.map_err(failed),
            };
        }
        let container = Container::open(path).map_err(|error| error.to_string())?;
        let model = container.model().map_err(|error| error.to_string())?;
        let mut weights = Vec::new();
        if let Some(section) = container.weights(model) {
            weights.push((WEIGHTS, self.part(&container, section)?));
        }
        Model::with_groups(self.part(&container, model)?, &weights).map_err(failed)
    }

    fn part(self, container: &Container, section: &Section) -> Result<Source, String> {
        let (file, begin, length) = (container.file(), section.begin, section.length());
        let part = match self.copy {
            true => Source::from_file_part(file, begin, length),
            // SAFETY: the option requires that nothing writes to the file before the command ends.
            false => unsafe { Source::map_file_part(file, begin, length) },
        };
        part.map_err(|error| format!("{}: {error}", section.kind))
    }
}
