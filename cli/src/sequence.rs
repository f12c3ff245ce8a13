//! Values of an input for one step of `--each` after another.

use std::path::Path;

use crate::answer::{Failure, Result};
use crate::inputs::{self, Binding, InputValue, Sources};
use crate::npy;
use crate::session::Session;
use crate::sound_input::{Span, Track};

/// The values of one input.
pub(crate) enum Sequence<'o> {
    /// One value per step, as given on the command line.
    Given(Vec<&'o Binding>),
    /// The rows of a NumPy array.
    Rows(&'o Path, Vec<Vec<u8>>),
    /// The frames of a sound.
    Sound(&'o Path, Track),
}

impl<'o> Sequence<'o> {
    /// The values that these bindings of input `i` give; a single binding can be a sequence itself.
    pub(crate) fn read(
        session: &Session<'_>,
        i: usize,
        bindings: Vec<&'o Binding>,
        sources: &Sources<'_>,
        hop: Option<usize>,
    ) -> Result<Self> {
        let &[binding] = &bindings[..] else { return Ok(Sequence::Given(bindings)) };
        Ok(match &binding.value {
            InputValue::Sound(path) => {
                let track = inputs::sound_track(session, i, path, sources, Span::All { hop })?;
                Sequence::Sound(path, track)
            }
            InputValue::Npy(path) => match npy::read_steps(path, &session.input(i)?, i)? {
                Some(rows) => Sequence::Rows(path, rows),
                None => Sequence::Given(bindings),
            },
            _ => Sequence::Given(bindings),
        })
    }

    /// Number of values; `None` if one value serves all steps.
    pub(crate) fn steps(&self) -> Option<usize> {
        match self {
            Sequence::Given(bindings) => (bindings.len() > 1).then_some(bindings.len()),
            Sequence::Rows(_, rows) => Some(rows.len()),
            Sequence::Sound(_, track) => Some(track.steps),
        }
    }

    /// Seconds from one step to the next.
    pub(crate) fn period(&self) -> Option<f64> {
        match self {
            Sequence::Sound(_, track) => Some(track.period),
            Sequence::Given(_) | Sequence::Rows(..) => None,
        }
    }

    /// Fills input `i` for a step, and returns the source of the value.
    pub(crate) fn fill(
        &self,
        session: &mut Session<'_>,
        i: usize,
        step: usize,
        sources: &Sources<'_>,
    ) -> Result<String> {
        match self {
            Sequence::Given(bindings) => {
                let binding = bindings.get(step).or(bindings.last());
                let binding = binding.ok_or_else(|| Failure::new("an input has no value"))?;
                inputs::fill_from(session, i, binding, sources)
            }
            Sequence::Rows(path, rows) => {
                let row =
                    rows.get(step).ok_or_else(|| Failure::with(path.display(), "it has too few rows"))?;
                session.input_mut(i)?.copy_from_bytes(row)?;
                Ok(path.display().to_string())
            }
            Sequence::Sound(path, track) => {
                let bytes = track.bytes(&session.input(i)?, step);
                inputs::store(session, i, bytes)?;
                Ok(path.display().to_string())
            }
        }
    }
}
