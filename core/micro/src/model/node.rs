//! A node in two forms: `NodeRecord` is stored in the arena's tail; `Spec` is the full description, recalled from the
//! record or read from the model.

use core::cell::Cell;
use core::ffi::c_void;
use core::ptr::{null, null_mut};

use arenite_abi::op::Registration as OpRegistration;
use arenite_abi::raw::{ArStr, OP_STATEFUL, slice};
use arenite_model::{List, Model, Operator, OperatorCode, RawTable};

/// Maximum number of scratch buffers per op, as in TensorFlow Lite Micro.
pub(crate) const MAX_SCRATCH: usize = 12;

/// Maximum number of persistent buffers per op.
pub(crate) const MAX_PERSISTENT: usize = 32;

/// A buffer that an op requested.
#[derive(Clone, Copy)]
pub(crate) struct Piece {
    /// For a scratch buffer without an address, its alignment.
    pub data: *mut u8,
    pub bytes: usize,
}

/// The description of a node.
pub(crate) struct Spec<'a> {
    pub builtin_code: i32,
    pub version: i32,
    pub custom_name: ArStr,
    /// Inputs, outputs and intermediates. `places` has the positions of the first two in the file.
    pub lists: [Numbers<'a>; 3],
    places: [u32; 2],
    pub options: [Option<RawTable<'a>>; 2],
    pub custom_options: &'a [u8],
    /// Number of tensors, and of tensors with scales; known only if no tensor occurs twice.
    pub counted: Option<[u8; 2]>,
}

/// Tensor numbers in the file's representation, little-endian.
pub(crate) type Numbers<'a> = &'a [[u8; 4]];

#[inline]
fn numbers<'a>(list: List<'a, i32>) -> Numbers<'a> {
    list.bytes().as_chunks().0
}

/// The tensor with this number; `None` if the port is unconnected.
#[inline]
pub(crate) fn tensor(number: [u8; 4]) -> Option<usize> {
    usize::try_from(i32::from_le_bytes(number)).ok()
}

impl<'a> Spec<'a> {
    pub(crate) fn new(operator: &Operator<'a>, code: &OperatorCode<'a>) -> Self {
        let (inputs, outputs) = (operator.inputs(), operator.outputs());
        Spec {
            builtin_code: code.builtin_code(),
            version: code.version(),
            custom_name: ArStr::borrowed(code.custom_code().unwrap_or("")),
            lists: [inputs, outputs, operator.intermediates()].map(numbers),
            places: [inputs, outputs].map(|list| list.place() as u32),
            options: [operator.builtin_options(), operator.builtin_options_2()],
            custom_options: operator.custom_options(),
            counted: None,
        }
    }

    /// Version and counts as bits, if they and a [`NodeRecord`] describe the node completely.
    fn pack(&self, counted: Option<[u8; 2]>) -> Option<u32> {
        let is_all = self.lists[2].is_empty() && self.options[1].is_none() && self.custom_options.is_empty();
        let [tensors, scaled] = counted.filter(|_| is_all && self.version != 0)?;
        let version = VERSION.put(u32::try_from(self.version).ok()?)?;
        Some(version | TENSORS.put(u32::from(tensors))? | SCALED.put(u32::from(scaled))?)
    }
}

/// A range of bits in a word.
struct Bits {
    first: u32,
    count: u32,
}

impl Bits {
    const fn behind(other: &Bits, count: u32) -> Self {
        Bits { first: other.first + other.count, count }
    }

    const fn of(&self, word: u32) -> u32 {
        word >> self.first & ((1 << self.count) - 1)
    }

    /// `number` shifted to these bits; `None` if it is too large.
    fn put(&self, number: u32) -> Option<u32> {
        if number >> self.count == 0 { Some(number << self.first) } else { None }
    }
}

/// The layout of `NodeRecord::few`: the tag of the options, the numbers of buffers, and, if the node can be recalled,
/// version (else 0) and counts.
const TAG: Bits = Bits { first: 0, count: 8 };
const PERSISTENT: Bits = Bits::behind(&TAG, 6);
const SCRATCH: Bits = Bits::behind(&PERSISTENT, 4);
const VERSION: Bits = Bits::behind(&SCRATCH, 4);
const TENSORS: Bits = Bits::behind(&VERSION, 5);
const SCALED: Bits = Bits::behind(&TENSORS, 5);
const _: () = assert!(SCALED.first + SCALED.count == u32::BITS);
const _: () = assert!(MAX_PERSISTENT >> PERSISTENT.count == 0 && MAX_SCRATCH >> SCRATCH.count == 0);

/// The compact record of a node.
#[derive(Clone, Copy)]
pub(crate) struct NodeRecord<'a> {
    /// `None` before `prepare`, and if all results are constant. In the latter case `pieces` has one value per output,
    /// for variables.
    op: Option<&'a OpRegistration>,
    pub state: *mut c_void,
    /// Persistent buffers, then scratch buffers, then, for stateful ops, the first values of the persistent buffers.
    pieces: *const Cell<Piece>,
    /// Positions of inputs, outputs and options in the file.
    places: [u32; 2],
    options: u32,
    few: u32,
}

impl<'a> NodeRecord<'a> {
    pub(crate) const UNPREPARED: Self =
        NodeRecord { op: None, state: null_mut(), pieces: null(), places: [0; 2], options: 0, few: 0 };

    /// The record of a prepared node. `counted` is set if no tensor occurs twice. Without `op` the node does not run.
    /// Returns [`UNPREPARED`](Self::UNPREPARED) if `pieces` is shorter than the counts.
    pub(crate) fn new(
        (spec, counted): (&Spec<'_>, Option<[u8; 2]>),
        op: Option<&'a OpRegistration>,
        state: *mut c_void,
        pieces: &'a [Cell<Piece>],
        [persistent, scratch]: [usize; 2],
    ) -> Self {
        let first_values = usize::from(op.is_some_and(is_stateful));
        if persistent + scratch + first_values > pieces.len() {
            return Self::UNPREPARED;
        }
        let (tag, options) = spec.options[0].map_or((0, 0), |table| (table.tag, table.position as u32));
        let counts = PERSISTENT.put(persistent as u32).zip(SCRATCH.put(scratch as u32));
        let Some((persistent, scratch)) = counts else { return Self::UNPREPARED };
        NodeRecord {
            op,
            state,
            pieces: pieces.as_ptr(),
            places: spec.places,
            options,
            few: u32::from(tag) | persistent | scratch | spec.pack(counted).unwrap_or(0),
        }
    }

    pub(crate) fn op(&self) -> Option<&'a OpRegistration> {
        self.op
    }

    /// Removes the op, so that the node no longer runs.
    pub(crate) fn take_op(&mut self) -> Option<&'a OpRegistration> {
        self.op.take()
    }

    pub(crate) fn persistent_count(&self) -> usize {
        PERSISTENT.of(self.few) as usize
    }

    /// Persistent buffers, then scratch buffers.
    pub(crate) fn pieces(&self) -> &'a [Cell<Piece>] {
        // SAFETY: `new` checked that `pieces` has at least this many elements; it lives for `'a`.
        unsafe { slice(self.pieces, self.persistent_count() + SCRATCH.of(self.few) as usize) }
    }

    pub(crate) fn persistent(&self) -> &'a [Cell<Piece>] {
        &self.pieces()[..self.persistent_count()]
    }

    pub(crate) fn scratch(&self) -> &'a [Cell<Piece>] {
        &self.pieces()[self.persistent_count()..]
    }

    /// First values of the persistent buffers of a stateful op, one buffer after the other.
    pub(crate) fn first_values(&self) -> Option<*const u8> {
        self.op.filter(|op| is_stateful(op))?;
        // SAFETY: for a stateful op, `new` checked that `pieces` has one more element.
        let piece = unsafe { &*self.pieces.add(self.pieces().len()) };
        Some(piece.get().data.cast_const())
    }

    /// Whether [`recall`](Self::recall) gives the complete node; if not, it must be read from the model.
    pub(crate) fn is_complete(&self) -> bool {
        VERSION.of(self.few) != 0
    }

    /// The node from this record. Code and name come from the op, which serves only nodes with that code and name.
    #[inline]
    pub(crate) fn recall(&self, model: Model<'a>, op: &OpRegistration) -> Spec<'a> {
        // SAFETY: `new` took these positions from a node of this verified model, whose bytes are borrowed for `'a`.
        let [inputs, outputs] = self.places.map(|place| unsafe { model.numbers_at(place as usize) });
        let tag = TAG.of(self.few) as u8;
        let options = RawTable { tag, buffer: model.bytes(), position: self.options as usize };
        Spec {
            builtin_code: op.builtin_code,
            version: VERSION.of(self.few) as i32,
            custom_name: op.custom_name,
            lists: [inputs, outputs, &[]],
            places: self.places,
            options: [(tag != 0).then_some(options), None],
            custom_options: &[],
            counted: Some([TENSORS.of(self.few) as u8, SCALED.of(self.few) as u8]),
        }
    }
}

pub(crate) fn is_stateful(op: &OpRegistration) -> bool {
    op.flags & OP_STATEFUL != 0
}

/// Drops the state of an op.
pub(crate) fn destroy(op: &OpRegistration, state: *mut c_void) {
    if let Some(drop) = op.drop {
        // SAFETY: `prepare` initialized the state, and the caller does not use it again.
        unsafe { drop(state) };
    }
}
