//! The host's side of `prepare` and `eval`. Persistent memory comes from the arena's tail immediately; scratch buffers
//! wait for the plan. `model_access` lends the rest of the model.

use core::ffi::c_void;

use arenite_abi::host_side::{
    CallerSide, ConstantsSide, Declaration, EvalSide, HostSide, MAX_RANK, MemorySide, NodeSide, PrepareSide,
    Share,
};
use arenite_abi::raw::{ArStatus, ArTensorV1, TENSOR_CONSTANT, slice};
use arenite_abi::{
    AssignmentMut, ElementType, Error, ObjectAssignment, ObjectRequest, UsageRecord, unsupported,
};
use arenite_planners::micro_greedy;

use super::describe::GraphViews;
use super::message;
use super::model_access::ModelAccess;
use super::requests::Requests;
use super::room::{self, ExpandedNode};
use crate::arena::{Category, Temp};
use crate::error;
use crate::model::node::{MAX_PERSISTENT, MAX_SCRATCH, Piece, tensor};
use crate::model::site::Site;

/// The host during `prepare`.
pub(crate) struct PrepareHost<'h, 'a> {
    pub site: Site<'h, 'a>,
    pub node: usize,
    described: GraphViews<'h>,
    pub work: ExpandedNode<'h>,
    pub said: Temp<'h, Declaration>,
    /// Persistent buffers; then scratch buffers, which have an alignment in place of an address.
    pub persistent: Requests,
    pub scratch: Requests,
    /// The full error, where the op only gets a short one: the arena is too small, or a called subgraph failed.
    pub failed: Option<error::Error>,
}

impl<'h, 'a> PrepareHost<'h, 'a> {
    /// `said` has a place for each output.
    #[inline(always)] // in the place where it stays
    pub(super) fn new(
        site: Site<'h, 'a>,
        node: usize,
        work: ExpandedNode<'h>,
        said: Temp<'h, Declaration>,
    ) -> Self {
        PrepareHost {
            site,
            node,
            described: GraphViews::default(),
            work,
            said,
            persistent: Requests::default(),
            scratch: Requests::default(),
            failed: None,
        }
    }

    /// Copies a known value to the arena, and gives it to the tensor.
    fn copy_value(&mut self, t: usize, value: &[u8]) -> Result<(), Error> {
        let copy =
            self.site.arena.persistent_bytes(value.len(), crate::arena::ALIGNMENT, Category::Constants);
        let copy = self.keep(copy)?.as_ptr();
        // SAFETY: `persistent_bytes` returned `value.len()` new bytes.
        unsafe { copy.copy_from_nonoverlapping(value.as_ptr(), value.len()) };
        let entry = ArTensorV1 { bytes: value.len() as u64, data: copy.cast(), ..self.work.get(t) };
        self.work.set(t, entry);
        Ok(())
    }

    /// The number in the model of the output with this number in `work`.
    fn number_of_output(&self, local: usize) -> Option<usize> {
        let spec = self.site.spec(self.node).ok()?;
        let at = self.work.outputs().iter().position(|&output| usize::try_from(output) == Ok(local))?;
        tensor(*spec.lists[1].get(at)?)
    }

    /// Keeps the full error for the caller of the interpreter, and returns a short one for the op.
    fn keep<T>(&mut self, result: error::Result<T>) -> Result<T, Error> {
        result.map_err(|error| {
            let told = Error::new(error.status(), format_args!("{error}"));
            self.failed.get_or_insert(error);
            told
        })
    }
}

/// Implements what both hosts of a node have in common.
macro_rules! of_work {
    ($($host:ty),*) => {$(
        impl HostSide for $host {
            type Refused = Error;

            fn report(refused: Error) -> ArStatus {
                message::store(refused)
            }
        }

        impl NodeSide for $host {
            fn outputs(&self) -> &[i32] {
                self.work.outputs()
            }

            fn tensor(&self, t: usize) -> ArTensorV1 {
                self.work.get(t)
            }

            fn shape(&self, t: usize) -> &[i32] {
                shape(&self.work, t)
            }

            /// Refuses tensors larger than the arena before an op visits their elements.
            fn limit(&self) -> u64 {
                self.site.arena.room() as u64
            }
        }
    )*};
}
of_work!(PrepareHost<'_, '_>, EvalHost<'_, '_>);

impl PrepareSide for PrepareHost<'_, '_> {
    const LENDS_OBJECTS: bool = false;

    fn input_count(&self) -> usize {
        self.work.input_count()
    }

    fn declaration(&mut self, output: usize) -> &mut Declaration {
        &mut self.said[output]
    }

    fn set_shape(&mut self, t: usize, dims: &[i32], ty: ElementType) {
        if dims == shape(&self.work, t) {
            return;
        }
        // Allocates a new list, because views from this call still point to the old one.
        let count = dims.len().min(MAX_RANK);
        let list = self.site.arena.persistent(count, Category::Shapes, |d| dims[d]);
        if let Ok(list) = self.keep(list) {
            self.work.set(t, room::with_shape(self.work.get(t), list, ty));
        }
    }

    fn set_dynamic(&mut self, local: usize) {
        let number = if cfg!(feature = "messages") { self.number_of_output(local) } else { None };
        let tensor = number.and_then(|t| self.site.graph.tensor(t).ok());
        let name = tensor.as_ref().and_then(|tensor| tensor.name()).unwrap_or_default();
        let t = number.unwrap_or_default();
        let error = unsupported!(
            "the shape of its output, tensor {t} '{name}', depends on data, so its memory cannot be planned; make the \
             inputs that set the shape constants of the model, or run it with the large runtime"
        );
        self.failed.get_or_insert(error::Error::Plan(error));
    }

    fn set_constant(&mut self, t: usize, value: &[u8]) -> Result<(), Error> {
        self.copy_value(t, value)?;
        let entry = self.work.get(t);
        self.work.set(t, room::as_constant(entry, entry.data.cast()));
        Ok(())
    }

    fn set_value(&mut self, t: usize, value: &[u8]) -> Result<(), Error> {
        if !cfg!(feature = "subgraphs") {
            return Err(unsupported!("a variable with a value from prepare needs the feature `subgraphs`"));
        }
        self.copy_value(t, value)
    }

    fn take_persistent(&mut self, bytes: usize, alignment: usize) -> Result<(u32, *mut c_void), Error> {
        let data = self.site.arena.persistent_bytes(bytes, alignment, Category::Persistent);
        let data = self.keep(data)?.as_ptr();
        if self.persistent.len() == MAX_PERSISTENT {
            return Err(unsupported!("it requests more than {MAX_PERSISTENT} persistent buffers"));
        }
        let number = self.persistent.add(self.site.arena, Piece { data, bytes });
        Ok((self.keep(number)?, data.cast()))
    }

    fn note_scratch(&mut self, bytes: usize, alignment: usize) -> Result<u32, Error> {
        let data = core::ptr::without_provenance_mut(alignment);
        if self.scratch.len() == MAX_SCRATCH {
            return Err(unsupported!("it requests more than {MAX_SCRATCH} scratch buffers"));
        }
        let number = self.scratch.add(self.site.arena, Piece { data, bytes });
        self.site.arena.note_scratch(bytes);
        self.keep(number)
    }

    /// The plan never lets tensors share memory.
    fn note_share(&mut self, _: Share) -> Result<(), Error> {
        Ok(())
    }

    fn plan(&self, records: &[UsageRecord], mut plan: AssignmentMut<'_>) -> Result<(), Error> {
        micro_greedy::place_few(records, plan.offsets())
    }

    fn assign(&self, _: &str, _: &ObjectRequest<'_>, _: ObjectAssignment<'_>) -> Result<(), Error> {
        Err(unsupported!("shared objects need the large runtime"))
    }
}

impl ConstantsSide for PrepareHost<'_, '_> {
    fn release(&mut self, t: usize) -> bool {
        self.work.get(t).flags & TENSOR_CONSTANT != 0
    }
}

impl MemorySide for PrepareHost<'_, '_> {
    fn room(&self) -> u64 {
        0
    }

    fn hold(&mut self, bytes: u64) -> Result<(), Error> {
        Err(Error::invalid(format_args!("an op holds {bytes} bytes outside the arena")))
    }
}

impl<'h, 'a> CallerSide for PrepareHost<'h, 'a> {
    const LENDS_MODEL: bool = LENDS_MODEL;

    type Model<'m>
        = ModelAccess<'m, 'h, 'a>
    where
        Self: 'm;

    fn model(&mut self) -> ModelAccess<'_, 'h, 'a> {
        let PrepareHost { site, node, failed, described, .. } = self;
        ModelAccess { site: *site, node: *node, runs: false, failed, described: Some(described) }
    }
}

/// Without the feature, ops like IF and READ_VARIABLE refuse their nodes.
const LENDS_MODEL: bool = cfg!(feature = "subgraphs");

/// The host during `eval`.
pub(crate) struct EvalHost<'h, 'a> {
    site: Site<'h, 'a>,
    node: usize,
    work: &'h ExpandedNode<'h>,
    /// The error of a called subgraph.
    pub failed: Option<error::Error>,
}

impl<'h, 'a> EvalHost<'h, 'a> {
    pub(super) fn new(site: Site<'h, 'a>, node: usize, work: &'h ExpandedNode<'h>) -> Self {
        EvalHost { site, node, work, failed: None }
    }
}

impl EvalSide for EvalHost<'_, '_> {
    const RESIZES: bool = false;

    /// Unreachable: this host does not support it.
    fn resize(&mut self, output: u32, _: usize, _: &[i32], _: ElementType, _: usize) -> Result<(), Error> {
        Err(unsupported!("output {output} cannot be resized here"))
    }

    fn is_cancelled(&self) -> bool {
        false
    }
}

impl<'h, 'a> CallerSide for EvalHost<'h, 'a> {
    const LENDS_MODEL: bool = LENDS_MODEL;

    type Model<'m>
        = ModelAccess<'m, 'h, 'a>
    where
        Self: 'm;

    fn model(&mut self) -> ModelAccess<'_, 'h, 'a> {
        let EvalHost { site, node, failed, .. } = self;
        ModelAccess { site: *site, node: *node, runs: true, failed, described: None }
    }
}

fn shape<'w>(work: &'w ExpandedNode<'_>, t: usize) -> &'w [i32] {
    let entry = work.get(t);
    // SAFETY: the `rank` dimensions are in the model or in the arena's tail, and neither changes after it was written.
    unsafe { slice(entry.dims, entry.rank as usize) }
}
