//! The sections of a container.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::path::Path;

use arenite_litertlm::Container;
use serde::Serialize;

use crate::answer::{Failure, Result};
use crate::text::{HEAD, Visible, thousands};

/// The contents of a container's header.
#[derive(Serialize)]
pub(super) struct ContainerText {
    version: String,
    items: BTreeMap<String, String>,
    sections: Vec<Section>,
    /// Why no model can be shown.
    #[serde(skip)]
    failure: Option<String>,
}

/// A container alone, whose models cannot be shown.
#[derive(Serialize)]
pub(super) struct Sections {
    container: ContainerText,
}

#[derive(Serialize)]
struct Section {
    contents: String,
    begin: u64,
    bytes: u64,
    items: BTreeMap<String, String>,
}

impl ContainerText {
    /// Reads the header; `None` if the file is not a container.
    pub(super) fn of(path: &Path) -> Result<Option<Self>> {
        if !Container::is_at(path) {
            return Ok(None);
        }
        let container = Container::open(path).map_err(|error| Failure::with(path.display(), error))?;
        let texts = |items: &arenite_litertlm::Items| {
            items.iter().map(|(key, value)| (key.clone(), value.to_string())).collect()
        };
        let sections = container.sections.iter().map(|section| Section {
            contents: section.kind.to_string(),
            begin: section.begin,
            bytes: section.length(),
            items: texts(&section.items),
        });
        Ok(Some(ContainerText {
            version: container.version.map(|number| number.to_string()).join("."),
            items: texts(&container.items),
            sections: sections.collect(),
            failure: container.model().err().map(|error| error.to_string()),
        }))
    }

    /// The sections and the failure, if the container has no model that can be shown.
    pub(super) fn alone(self, path: &Path) -> Result<Self, (Sections, Failure)> {
        match self.failure.clone() {
            Some(failure) => Err((Sections { container: self }, Failure::with(path.display(), failure))),
            None => Ok(self),
        }
    }
}

impl Display for ContainerText {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n{HEAD}container{HEAD:#}  version {}{}", self.version, Items(&self.items))?;
        self.sections.iter().enumerate().try_for_each(|(k, section)| {
            let Section { contents, begin, bytes, items } = section;
            let (begin, bytes) = (thousands(*begin), thousands(*bytes));
            writeln!(f, "  {k}  {contents}: {bytes} bytes from {begin}{}", Items(items))
        })
    }
}

impl Display for Sections {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.container.fmt(f)
    }
}

/// Names and values, each after a comma.
struct Items<'a>(&'a BTreeMap<String, String>);

impl Display for Items<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(key, value)| write!(f, ", {} {}", Visible(key), Visible(value)))
    }
}
