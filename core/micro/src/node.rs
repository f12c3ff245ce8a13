//! What is kept of a node at the arena's tail, and what ops see of it: the latter comes from the former, or from the model.

use core::cell::Cell;
use core::ffi::c_void;
use core::ptr::{null, null_mut};

use arenite_abi::raw::{ArStr, OP_STATEFUL, slice};
use arenite_model::{List, Model, Operator, OperatorCode, RawTable};

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
    /// Its inputs, outputs and intermediates.
    pub lists: [List<'a, i32>; 3],
    pub options: [Option<RawTable<'a>>; 2],
    pub custom_options: &'a [u8],
}

impl<'a> Spec<'a> {
    pub fn new(operator: &Operator<'a>, code: &OperatorCode<'a>) -> Self {
        Spec {
            builtin_code: code.builtin_code(),
            version: code.version(),
            custom_name: ArStr::borrowed(code.custom_code().unwrap_or("")),
            lists: [operator.inputs(), operator.outputs(), operator.intermediates()],
            options: [operator.builtin_options(), operator.builtin_options_2()],
            custom_options: operator.custom_options(),
        }
    }

    /// The version, if what [`Prepared`] notes besides is all that there is of this node; else 0.
    fn noted_version(&self) -> u8 {
        let is_all = self.lists[2].is_empty() && self.options[1].is_none() && self.custom_options.is_empty();
        if is_all { u8::try_from(self.version).unwrap_or(0) } else { 0 }
    }
}

/// What is kept of a node.
#[derive(Clone, Copy)]
pub(crate) struct Prepared<'a> {
    /// What runs it; `None` before it is prepared, and if all that it computes is constant.
    op: Option<&'a OpRegistration>,
    pub state: *mut c_void,
    /// Persistent memory, then scratch buffers, then, of a stateful op, what its persistent memory held at first.
    pieces: *const Cell<Piece>,
    /// Where the model has the inputs, the outputs, and the options, with their tag.
    inputs: u32,
    outputs: u32,
    options: u32,
    tag: u8,
    /// 0 if there is more than that, or the version is a large number: then the model is read again.
    version: u8,
    persistent: u8,
    scratch: u8,
}

impl<'a> Prepared<'a> {
    pub const NOT_YET: Self = Prepared {
        op: None,
        state: null_mut(),
        pieces: null(),
        inputs: 0,
        outputs: 0,
        options: 0,
        tag: 0,
        version: 0,
        persistent: 0,
        scratch: 0,
    };

    /// A node with so many pieces of persistent memory and scratch buffers. Nothing runs if all that it computes is constant, nor if there
    /// are fewer pieces.
    pub fn new(
        spec: &Spec<'_>,
        op: Option<&'a OpRegistration>,
        state: *mut c_void,
        pieces: &'a [Cell<Piece>],
        [persistent, scratch]: [u8; 2],
    ) -> Self {
        let first_values = usize::from(op.is_some_and(is_stateful));
        if usize::from(persistent) + usize::from(scratch) + first_values > pieces.len() {
            return Self::NOT_YET;
        }
        let (tag, options) = spec.options[0].map_or((0, 0), |table| (table.tag, table.position as u32));
        Prepared {
            op,
            state,
            pieces: pieces.as_ptr(),
            inputs: spec.lists[0].place() as u32,
            outputs: spec.lists[1].place() as u32,
            options,
            tag,
            version: spec.noted_version(),
            persistent,
            scratch,
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
        usize::from(self.persistent)
    }

    /// Persistent memory, then scratch buffers.
    pub fn pieces(&self) -> &'a [Cell<Piece>] {
        // SAFETY: `new` was given as many or more, for `'a`.
        unsafe { slice(self.pieces, usize::from(self.persistent) + usize::from(self.scratch)) }
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

    /// The node, if it was noted. Its number and its name are those of the op, which serves no others.
    pub fn recall(&self, model: Model<'a>, op: &OpRegistration) -> Option<Spec<'a>> {
        if self.version == 0 {
            return None;
        }
        let lists = [self.inputs, self.outputs, 0].map(|place| model.numbers_at(place as usize));
        let options = RawTable { tag: self.tag, buffer: model.bytes(), position: self.options as usize };
        Some(Spec {
            builtin_code: op.builtin_code,
            version: i32::from(self.version),
            custom_name: op.custom_name,
            lists,
            options: [(self.tag != 0).then_some(options), None],
            custom_options: &[],
        })
    }
}

pub(crate) fn is_stateful(op: &OpRegistration) -> bool {
    op.flags & OP_STATEFUL != 0
}
