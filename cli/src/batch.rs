//! `--batch`: another batch size than the file's.

use std::sync::Arc;

use arenite::{Model, Registry};
use arenite_common::batch::Batch;
use clap::Args;

use crate::answer::{Failure, Result};
use crate::options::Common;
use crate::session::{Session, subgraph_of};

#[derive(Args, Clone, Copy)]
#[command(next_help_heading = "Inputs")]
pub(crate) struct BatchOptions {
    /// Change the batch size: dimension 0 of the inputs, with constant shapes that begin with it.
    /// If a node fixes it, the error names the node
    #[arg(long, value_name = "N", conflicts_with = "resize", value_parser = clap::value_parser!(i32).range(1..))]
    batch: Option<i32>,
}

/// A model, and its batch size if it was changed.
pub(crate) struct Rebatched {
    pub(crate) model: Model,
    batch: Option<Batch>,
}

impl BatchOptions {
    /// Changes the batch size of a model.
    ///
    /// # Errors
    /// A node fixes it, or the model cannot be prepared.
    pub(crate) fn change(self, model: &Model, signature: Option<&str>, common: &Common) -> Result<Rebatched> {
        let Some(wanted) = self.batch else {
            return Ok(Rebatched { model: model.clone(), batch: None });
        };
        let config = common.settings()?;
        let registry = Arc::new(Registry::discover(&config)?);
        let subgraph = subgraph_of(model, signature)?;
        let changed = Batch::change(model, subgraph, Some(wanted), &config, &registry);
        let Some((model, batch)) = changed else {
            return Err(Failure::new(
                "--batch needs a model that can be prepared, whose first input has a dimension 0",
            ));
        };
        match batch.resizable {
            true => Ok(Rebatched { model, batch: Some(batch) }),
            false => Err(Failure::new(batch.refusal())),
        }
    }
}

impl Rebatched {
    /// Gives the inputs that have the file's batch size the other one. The caller must allocate afterwards.
    ///
    /// # Errors
    /// An input cannot be resized.
    pub(crate) fn resize(&self, session: &mut Session<'_>) -> Result<()> {
        let Some(Batch { size, tried, .. }) = self.batch else { return Ok(()) };
        for i in 0..session.inputs().len() {
            let mut shape = session.input(i)?.shape.to_vec();
            if shape.first() == Some(&size) {
                shape.iter_mut().take(1).for_each(|dim| *dim = tried);
                session.resize(i, &shape)?;
            }
        }
        Ok(())
    }
}
