//! What is kept of a node at the arena's tail, and what ops see of it: the latter comes from the former, or from the model.

use core::cell::Cell;
use core::ffi::c_void;
use core::ptr::{null, null_mut};

use arenite_abi::raw::{ArStr, OP_STATEFUL, slice};
use arenite_model::{List, Model, Operator, OperatorCode, RawTable};

use crate::host::{MOST_PERSISTENT, MOST_SCRATCH};
use crate::ops::OpRegistration;

/// Memory that an op asked for.
#[derive(Clone, Copy)]
pub(crate) struct Piece {
    /// Of a scratch buffer that is not placed yet: its alignment.
    pub data: *mut u8,
    pub bytes: usize,
}

/// A node as the model has it.
pub(crate) struct Spec<'a> {
    pub builtin_code: i32,
    pub version: i32,
    pub custom_name: ArStr,
    /// Its inputs, outputs and intermediates; where the model has the first two.
    pub lists: [Numbers<'a>; 3],
    places: [u32; 2],
    pub options: [Option<RawTable<'a>>; 2],
    pub custom_options: &'a [u8],
    /// How many tensors there are, and how many with scales, of a node of which it is known that it names none of them twice.
    pub counted: Option<[u8; 2]>,
}

/// Numbers of tensors as the file has them: little-endian.
pub(crate) type Numbers<'a> = &'a [[u8; 4]];

#[inline]
fn numbers<'a>(list: List<'a, i32>) -> Numbers<'a> {
    list.bytes().as_chunks().0
}

/// The tensor that a number stands for.
#[inline]
pub(crate) fn tensor(number: [u8; 4]) -> Option<usize> {
    usize::try_from(i32::from_le_bytes(number)).ok()
}

impl<'a> Spec<'a> {
    pub fn new(operator: &Operator<'a>, code: &OperatorCode<'a>) -> Self {
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

    /// The version and counts as they are noted, if that is all that there is of this node besides what [`Prepared`] has.
    fn noted(&self, counted: Option<[u8; 2]>) -> Option<u32> {
        let is_all = self.lists[2].is_empty() && self.options[1].is_none() && self.custom_options.is_empty();
        let [tensors, scaled] = counted.filter(|_| is_all && self.version != 0)?;
        let version = VERSION.put(u32::try_from(self.version).ok()?)?;
        Some(version | TENSORS.put(u32::from(tensors))? | SCALED.put(u32::from(scaled))?)
    }
}

/// Some bits of a word.
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

    /// The number where these bits have it; `None` if they are too few.
    fn put(&self, number: u32) -> Option<u32> {
        if number >> self.count == 0 { Some(number << self.first) } else { None }
    }
}

/// What is kept of a node in few bits: the tag of its options; how much memory it has; if it is noted, its version (else 0), and counts.
const TAG: Bits = Bits { first: 0, count: 8 };
const PERSISTENT: Bits = Bits::behind(&TAG, 6);
const SCRATCH: Bits = Bits::behind(&PERSISTENT, 4);
const VERSION: Bits = Bits::behind(&SCRATCH, 4);
const TENSORS: Bits = Bits::behind(&VERSION, 5);
const SCALED: Bits = Bits::behind(&TENSORS, 5);
const _: () = assert!(SCALED.first + SCALED.count == u32::BITS);
const _: () = assert!(MOST_PERSISTENT >> PERSISTENT.count == 0 && MOST_SCRATCH >> SCRATCH.count == 0);

/// What is kept of a node.
#[derive(Clone, Copy)]
pub(crate) struct Prepared<'a> {
    /// What runs it; `None` before it is prepared, and if all that it computes is constant. Then the pieces are values that it writes to
    /// variables, one per output.
    op: Option<&'a OpRegistration>,
    pub state: *mut c_void,
    /// Persistent memory, then scratch buffers, then, of a stateful op, what its persistent memory held at first.
    pieces: *const Cell<Piece>,
    /// Where the model has the inputs, the outputs, and the options.
    places: [u32; 2],
    options: u32,
    few: u32,
}

impl<'a> Prepared<'a> {
    pub const NOT_YET: Self =
        Prepared { op: None, state: null_mut(), pieces: null(), places: [0; 2], options: 0, few: 0 };

    /// A node with so many pieces of persistent memory and scratch buffers; `counted` if it names no tensor twice. Nothing runs if all that it
    /// computes is constant, nor if there are fewer pieces.
    pub fn new(
        (spec, counted): (&Spec<'_>, Option<[u8; 2]>),
        op: Option<&'a OpRegistration>,
        state: *mut c_void,
        pieces: &'a [Cell<Piece>],
        [persistent, scratch]: [usize; 2],
    ) -> Self {
        let first_values = usize::from(op.is_some_and(is_stateful));
        if persistent + scratch + first_values > pieces.len() {
            return Self::NOT_YET;
        }
        let (tag, options) = spec.options[0].map_or((0, 0), |table| (table.tag, table.position as u32));
        let counts = PERSISTENT.put(persistent as u32).zip(SCRATCH.put(scratch as u32));
        let Some((persistent, scratch)) = counts else { return Self::NOT_YET };
        Prepared {
            op,
            state,
            pieces: pieces.as_ptr(),
            places: spec.places,
            options,
            few: u32::from(tag) | persistent | scratch | spec.noted(counted).unwrap_or(0),
        }
    }

    pub fn op(&self) -> Option<&'a OpRegistration> {
        self.op
    }

    /// Nothing runs it from now on; gives what did.
    pub fn take_op(&mut self) -> Option<&'a OpRegistration> {
        self.op.take()
    }

    pub fn persistent_count(&self) -> usize {
        PERSISTENT.of(self.few) as usize
    }

    /// Persistent memory, then scratch buffers.
    pub fn pieces(&self) -> &'a [Cell<Piece>] {
        // SAFETY: `new` was given as many or more, for `'a`.
        unsafe { slice(self.pieces, self.persistent_count() + SCRATCH.of(self.few) as usize) }
    }

    pub fn persistent(&self) -> &'a [Cell<Piece>] {
        &self.pieces()[..self.persistent_count()]
    }

    pub fn scratch(&self) -> &'a [Cell<Piece>] {
        &self.pieces()[self.persistent_count()..]
    }

    /// What the persistent memory of a stateful op held at first, one piece after the other.
    pub fn first_values(&self) -> Option<*const u8> {
        self.op.filter(|op| is_stateful(op))?;
        // SAFETY: of a stateful op `new` was given one more piece.
        let piece = unsafe { &*self.pieces.add(self.pieces().len()) };
        Some(piece.get().data.cast_const())
    }

    /// Whether all that there is of the node was noted; else the model is read again.
    pub fn is_noted(&self) -> bool {
        VERSION.of(self.few) != 0
    }

    /// The node as it was noted. Its number and its name are those of the op, which serves no others.
    #[inline]
    pub fn recall(&self, model: Model<'a>, op: &OpRegistration) -> Spec<'a> {
        // SAFETY: lists of the model that `new` was given the node of; its bytes are borrowed.
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
