//! The host's half of `prepare` and `eval`: persistent memory comes from the arena's tail at once, scratch buffers are queued until the
//! plan. The model around the node is lent by `called`.

use core::ffi::c_void;
use core::ptr::null_mut;

use arenite_abi::host_side::{
    CallerSide, ConstantsSide, EvalSide, HostSide, MAX_RANK, MemorySide, NodeSide, PrepareSide, Said, Share,
};
use arenite_abi::raw::{ArStatus, ArTensorV1, TENSOR_CONSTANT, slice};
use arenite_abi::{
    AssignmentMut, ElementType, Error, ObjectAssignment, ObjectRequest, UsageRecord, unsupported,
};
use arenite_planners::micro_greedy;

use crate::arena::Temp;
use crate::called::Called;
use crate::describe::Described;
use crate::error;
use crate::machine::Site;
use crate::message;
use crate::node::Piece;
use crate::sizes::Category;
use crate::work::{self, Work};

/// Scratch buffers that one op may have, as in TensorFlow Lite Micro.
pub(crate) const MOST_SCRATCH: usize = 12;

/// Pieces of persistent memory that one op may have.
pub(crate) const MOST_PERSISTENT: usize = 32;

/// What an op has asked for, up to so many.
pub(crate) struct Pieces<const MOST: usize> {
    list: [Piece; MOST],
    count: u8,
}

impl<const MOST: usize> Pieces<MOST> {
    fn none() -> Self {
        const { assert!(MOST <= u8::MAX as usize) };
        Pieces { list: [Piece { data: null_mut(), bytes: 0 }; MOST], count: 0 }
    }

    pub fn list(&self) -> &[Piece] {
        &self.list[..usize::from(self.count)]
    }

    /// Adds one, and gives its number; `None` if there are as many as there may be.
    fn add(&mut self, piece: Piece) -> Option<u32> {
        let number = self.count;
        *self.list.get_mut(usize::from(number))? = piece;
        self.count += 1;
        Some(u32::from(number))
    }
}

/// What stands behind `prepare`.
pub(crate) struct PrepareHost<'h, 'a> {
    pub site: Site<'h, 'a>,
    node: usize,
    described: Described<'h>,
    pub work: Work<'h>,
    pub said: Temp<'h, Said>,
    /// Persistent memory; scratch buffers with their alignment in place of an address.
    pub persistent: Pieces<MOST_PERSISTENT>,
    pub scratch: Pieces<MOST_SCRATCH>,
    /// What went wrong where that is more than the op can be told: the arena was too small, a called subgraph failed.
    pub failed: Option<error::Error>,
}

impl<'h, 'a> PrepareHost<'h, 'a> {
    pub fn new(site: Site<'h, 'a>, node: usize, work: Work<'h>) -> error::Result<Self> {
        let said = site.arena.temporary(work.outputs().len(), |_| Said::Nothing)?;
        Ok(PrepareHost {
            site,
            node,
            described: Described::default(),
            work,
            said,
            persistent: Pieces::none(),
            scratch: Pieces::none(),
            failed: None,
        })
    }

    /// What is too large for the arena is told to the op, and kept as it is for the caller.
    fn keep<T>(&mut self, result: error::Result<T>) -> Result<T, Error> {
        result.map_err(|error| {
            let told = Error::new(error.status(), format_args!("{error}"));
            self.failed.get_or_insert(error);
            told
        })
    }
}

/// What every host of a node says of it.
macro_rules! of_work {
    ($($host:ty),*) => {$(
        impl HostSide for $host {
            type Refused = Error;

            fn report(refused: Error) -> ArStatus {
                message::keep(refused)
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

            /// What is larger than the arena is refused before an op looks at each of its elements.
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

    fn said(&mut self, output: usize) -> &mut Said {
        &mut self.said[output]
    }

    fn set_shape(&mut self, t: usize, dims: &[i32], ty: ElementType) {
        if dims == shape(&self.work, t) {
            return;
        }
        // Elsewhere than the shape that views of this call show.
        let count = dims.len().min(MAX_RANK);
        let list = self.site.arena.persistent(count, Category::Shapes, |d| dims[d]);
        if let Ok(list) = self.keep(list) {
            self.work.set(t, work::reshaped(self.work.get(t), list, ty));
        }
    }

    fn set_dynamic(&mut self, _: usize) {
        let error =
            unsupported!("the shape of an output depends on data: plan such models with the large runtime");
        self.failed.get_or_insert(error::Error::Plan(error));
    }

    fn set_constant(&mut self, t: usize, value: &[u8]) -> Result<(), Error> {
        self.set_value(t, value)?;
        let entry = self.work.get(t);
        self.work.set(t, work::constant(entry, entry.data.cast()));
        Ok(())
    }

    fn set_value(&mut self, t: usize, value: &[u8]) -> Result<(), Error> {
        let copy =
            self.site.arena.persistent_bytes(value.len(), crate::arena::ALIGNMENT, Category::Constants);
        let copy = self.keep(copy)?.as_ptr();
        // SAFETY: new memory of that size.
        unsafe { copy.copy_from_nonoverlapping(value.as_ptr(), value.len()) };
        let entry = ArTensorV1 { bytes: value.len() as u64, data: copy.cast(), ..self.work.get(t) };
        self.work.set(t, entry);
        Ok(())
    }

    fn take_persistent(&mut self, bytes: usize, alignment: usize) -> Result<(u32, *mut c_void), Error> {
        let data = self.site.arena.persistent_bytes(bytes, alignment, Category::Persistent);
        let data = self.keep(data)?.as_ptr();
        let number = self.persistent.add(Piece { data, bytes }).ok_or_else(|| {
            unsupported!("it asks for more than {MOST_PERSISTENT} pieces of persistent memory")
        })?;
        Ok((number, data.cast()))
    }

    fn note_scratch(&mut self, bytes: usize, alignment: usize) -> Result<u32, Error> {
        let data = core::ptr::without_provenance_mut(alignment);
        let number = self.scratch.add(Piece { data, bytes });
        let number =
            number.ok_or_else(|| unsupported!("it asks for more than {MOST_SCRATCH} scratch buffers"))?;
        self.site.arena.note_scratch(bytes);
        Ok(number)
    }

    /// Nothing lies over anything else.
    fn note_share(&mut self, _: Share) -> Result<(), Error> {
        Ok(())
    }

    fn plan(&self, records: &[UsageRecord], mut plan: AssignmentMut<'_>) -> Result<(), Error> {
        micro_greedy::place_few(records, plan.offsets())
    }

    fn assign(&self, _: &str, _: &ObjectRequest<'_>, _: ObjectAssignment<'_>) -> Result<(), Error> {
        Err(unsupported!("shared objects are for delegates, which only the large runtime has"))
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
        Err(Error::invalid(format_args!("{bytes} bytes are held by an op, which asks the host for them")))
    }
}

impl<'h, 'a> CallerSide for PrepareHost<'h, 'a> {
    const LENDS_MODEL: bool = LENDS_MODEL;

    type Model<'m>
        = Called<'m, 'h, 'a>
    where
        Self: 'm;

    fn model(&mut self) -> Called<'_, 'h, 'a> {
        let PrepareHost { site, node, failed, described, .. } = self;
        Called { site: *site, node: *node, runs: false, failed, described: Some(described) }
    }
}

/// Without the feature, ops like IF and READ_VARIABLE refuse their nodes.
const LENDS_MODEL: bool = cfg!(feature = "subgraphs");

/// What stands behind `eval`.
pub(crate) struct EvalHost<'h, 'a> {
    site: Site<'h, 'a>,
    node: usize,
    work: &'h Work<'h>,
    /// What went wrong in a called subgraph.
    pub failed: Option<error::Error>,
}

impl<'h, 'a> EvalHost<'h, 'a> {
    pub fn new(site: Site<'h, 'a>, node: usize, work: &'h Work<'h>) -> Self {
        EvalHost { site, node, work, failed: None }
    }
}

impl EvalSide for EvalHost<'_, '_> {
    /// Never asked for: `prepare` was refused where an output is dynamic.
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
        = Called<'m, 'h, 'a>
    where
        Self: 'm;

    fn model(&mut self) -> Called<'_, 'h, 'a> {
        let EvalHost { site, node, failed, .. } = self;
        Called { site: *site, node: *node, runs: true, failed, described: None }
    }
}

fn shape<'w>(work: &'w Work<'_>, t: usize) -> &'w [i32] {
    let entry = work.get(t);
    // SAFETY: the shape lies in the model or at the arena's tail, and is not written any more.
    unsafe { slice(entry.dims, entry.rank as usize) }
}
