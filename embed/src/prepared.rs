//! A model that is prepared with the reference ops and planned by the planner `exact`.

use arenite_abi::UsageRecord;
use arenite_micro::{EmbeddableOp, Embedding, PointerWidth, Records, RustSource};
use arenite_ops::{FORMS, PATHS, PLUGIN, STATES};
use arenite_planners::exact;

/// The reference ops, with their symbols in `libarenite_micro.a` and their paths in `arenite-ops`.
pub fn reference_ops() -> Vec<EmbeddableOp> {
    let op = |(i, path): (usize, &&str)| Some(EmbeddableOp::of_path(*PLUGIN.op(i)?.0, path));
    PATHS.iter().enumerate().filter_map(op).collect()
}

/// A prepared model.
pub struct Prepared(Embedding);

/// Alignment that the interpreter requires of a model.
const ALIGNMENT: usize = 16;

impl Prepared {
    /// Verifies, prepares and plans a model for a machine with such pointers.
    ///
    /// # Errors
    /// The model is malformed, or a node cannot be embedded.
    pub fn new(model: &[u8], width: PointerWidth) -> arenite_micro::Result<Self> {
        let mut memory = vec![0; model.len() + ALIGNMENT];
        let padding = memory.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT - 1);
        let aligned = &mut memory[padding..][..model.len()];
        aligned.copy_from_slice(model);
        Embedding::new(width, aligned, &reference_ops(), &mut plan).map(Prepared)
    }

    /// The file `NAME.rs`. `title` is the comment at its head; `arena` the path of an arena that models share.
    ///
    /// # Errors
    /// A node runs a C function.
    pub fn to_rust(&self, name: &str, title: &str, arena: Option<&str>) -> arenite_micro::Result<String> {
        let source = RustSource { name, title, states: STATES, forms: FORMS, arena };
        self.0.to_rust(&source).map(|file| file.text)
    }
}

/// Places the records. The number of steps is limited, not the time, so that each build gives the same plan.
fn plan(records: &mut dyn Records) -> arenite_abi::Result<()> {
    let list: Vec<UsageRecord> = (0..records.count()).map(|i| records.record(i)).collect();
    let mut offsets = vec![0; list.len()];
    exact::place(&list, &mut offsets)?;
    offsets.iter().enumerate().for_each(|(i, &offset)| records.set_offset(i, offset));
    Ok(())
}
