//! The models that a command measures.

use std::path::PathBuf;

use clap::Args;

use crate::definitions::{Definitions, Places, Subject};
use crate::failure::{Failure, Result};

#[derive(Args)]
pub(crate) struct Selection {
    /// Only models whose name contains one of these
    names: Vec<String>,

    /// Only these kinds
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    kind: Vec<String>,

    /// Measure this .tflite file, or all of this folder, in place of the defined models (repeatable)
    #[arg(long, value_name = "PATH")]
    models: Vec<PathBuf>,
}

impl Selection {
    /// The selected files that exist.
    pub(crate) fn subjects(&self, definitions: &Definitions, places: &Places) -> Result<Vec<Subject>> {
        let all = match self.models.is_empty() {
            true => definitions.subjects(places),
            false => {
                let found = self.models.iter().map(|path| Subject::all_in(path));
                found.collect::<Result<Vec<_>>>()?.concat()
            }
        };
        let named = |subject: &Subject| {
            let names = &self.names;
            names.is_empty() || names.iter().any(|name| subject.model.contains(name))
        };
        let of_kind = |subject: &Subject| self.kind.is_empty() || self.kind.contains(&subject.kind);
        let (there, missing): (Vec<_>, Vec<_>) = all
            .into_iter()
            .filter(|subject| named(subject) && of_kind(subject))
            .partition(|subject| subject.file.is_file());
        if !missing.is_empty() {
            let titles: Vec<String> = missing.iter().map(Subject::title).collect();
            eprintln!("missing: {} (make the zoo, see README.md)", titles.join(", "));
        }
        match there.is_empty() {
            true => Err(Failure::new("no model is selected")),
            false => Ok(there),
        }
    }
}
