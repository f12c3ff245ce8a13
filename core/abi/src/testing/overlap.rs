//! Places outputs in the memory of inputs where the op allows it.

use std::vec::Vec;

use super::Role;
use super::host::{CAPACITY, Overlap, Session};
use super::memory::GuardedMemory;
use crate::host_side::{Declaration, Share};
use crate::raw::*;

/// The flag and the name of the kind of sharing that a registration must declare.
fn declared(kind: u32) -> (u32, &'static str) {
    match kind {
        SHARE_VIEW => (OP_VIEW, "View"),
        SHARE_PART_OF_INPUT => (OP_PART_OF_INPUT, "PartOfInput"),
        SHARE_PART_OF_OUTPUT => (OP_PART_OF_OUTPUT, "PartOfOutput"),
        SHARE_BEHIND => (OP_BEHIND, "Behind"),
        _ => (OP_IN_PLACE, "InPlace"),
    }
}

impl Session<'_> {
    /// Checks that the registration declares the kinds of sharing that `prepare` allows.
    pub(super) fn check_declared_sharing(&self) {
        for share in &self.shares {
            let (flag, wanted) = declared(share.kind);
            assert!(
                self.op.flags & flag != 0,
                "prepare shares memory, so SHARING must be or contain Sharing::{wanted}"
            );
        }
    }

    /// Flags of the kinds of sharing that the op allows with inputs whose memory the host can reuse.
    pub(super) fn ways(&self) -> u32 {
        let possible = self.shares.iter().filter(|share| self.is_possible(share));
        possible.fold(0, |all, share| all | declared(share.kind).0)
    }

    /// The layouts with which the op is evaluated.
    pub(super) fn layouts(&self) -> Vec<Overlap> {
        let ways = self.ways();
        let mut layouts = Vec::new();
        if ways & (OP_IN_PLACE | OP_VIEW) != 0 {
            layouts.push(Overlap::Whole);
        }
        if ways & (OP_PART_OF_INPUT | OP_PART_OF_OUTPUT) != 0 {
            layouts.push(Overlap::Parts);
        }
        let behind = |share: &&Share| share.kind == SHARE_BEHIND && self.is_possible(share);
        for &share in self.shares.iter().filter(behind) {
            let (_, input) = self.shared(&share);
            let element = self.node.tensors[input as usize].tensor.ty().bits() as usize / 8;
            layouts.extend([element.max(1), 64].map(|unit| Overlap::Behind { share, unit }));
        }
        layouts
    }

    /// Moves tensors, which have separate memory, into each other's memory.
    pub(super) fn overlap_all(&mut self, overlap: Overlap) {
        match overlap {
            Overlap::None => {}
            Overlap::Whole => self.lay_over(&[SHARE_IN_PLACE, SHARE_VIEW]),
            Overlap::Parts => self.lay_over(&[SHARE_PART_OF_INPUT, SHARE_PART_OF_OUTPUT]),
            Overlap::Behind { share, unit } => self.lay_behind(&share, unit),
        }
    }

    /// If an input extends beyond the end of an output, checks that its tail did not change.
    pub(super) fn check_tail(&self, during: &str) {
        for &input in &self.overwritten {
            let Some((owner, offset)) = self.tensors.is_within(input as usize) else { continue };
            let written = self.tensors.contents(owner).len().saturating_sub(offset);
            let tail = |bytes: &[u8]| bytes.get(written..).map(<[u8]>::to_vec);
            assert!(
                tail(&self.tensors.contents(input as usize)) == tail(self.given(input as usize)),
                "{during} wrote past the end of its output"
            );
        }
    }

    /// The tensors of the output and the input.
    fn shared(&self, share: &Share) -> (i32, i32) {
        (self.node.outputs[share.output as usize], self.node.inputs[share.input as usize])
    }

    fn bytes(&self, tensor: i32) -> usize {
        self.tensors.get(tensor as usize).bytes as usize
    }

    /// Whether a host can place the tensors this way. Panics if a part does not fit.
    fn is_possible(&self, share: &Share) -> bool {
        let (output, input) = self.shared(share);
        if self.said[share.output as usize] != Declaration::Shape || !self.has_role(input, Role::Input) {
            return false;
        }
        let (output_bytes, input_bytes) = (self.bytes(output), self.bytes(input));
        let (part, whole) = match share.kind {
            SHARE_PART_OF_INPUT => (output_bytes, input_bytes),
            SHARE_PART_OF_OUTPUT => (input_bytes, output_bytes),
            SHARE_BEHIND => return self.distance(share).is_some(),
            _ => return output_bytes == input_bytes,
        };
        assert!(
            share.bytes.checked_add(part as u64).is_some_and(|end| end <= whole as u64),
            "{part} bytes at offset {} exceed {whole} bytes",
            share.bytes
        );
        true
    }

    /// The distance by which the output must precede the input, for all uses of that tensor.
    fn distance(&self, share: &Share) -> Option<u64> {
        let inputs = &self.node.inputs;
        let uses = (0..inputs.len()).filter(|&i| inputs[i] == inputs[share.input as usize]);
        let shared = |i| {
            let is_it = |s: &&Share| (s.output, s.input as usize, s.kind) == (share.output, i, SHARE_BEHIND);
            self.shares.iter().find(is_it).map(|share| share.bytes)
        };
        uses.map(shared).try_fold(0, |most, bytes| Some(bytes?.max(most)))
    }

    /// Places each tensor in the memory of at most one other. A tensor may contain several parts.
    fn lay_over(&mut self, kinds: &[u32]) {
        let mut taken: Vec<i32> = Vec::new();
        for s in 0..self.shares.len() {
            let share = self.shares[s];
            let (output, input) = self.shared(&share);
            let (part, whole) =
                if share.kind == SHARE_PART_OF_OUTPUT { (input, output) } else { (output, input) };
            let is_whole = matches!(share.kind, SHARE_IN_PLACE | SHARE_VIEW);
            if !kinds.contains(&share.kind)
                || !self.is_possible(&share)
                || taken.contains(&part)
                || (is_whole && taken.contains(&whole))
                || !self.tensors.has_own_memory(whole as usize)
            {
                continue;
            }
            taken.push(part);
            if is_whole {
                taken.push(whole);
            }
            if share.kind == SHARE_IN_PLACE {
                self.overwritten.push(input);
            }
            self.tensors.lay(part as usize, whole as usize, share.bytes as usize);
        }
    }

    /// Uses one buffer for both: the output at its start, the input at its end.
    fn lay_behind(&mut self, share: &Share, unit: usize) {
        let (output, input) = self.shared(share);
        let (output_bytes, input_bytes) = (self.bytes(output), self.bytes(input));
        let distance = self.distance(share).and_then(|bytes| usize::try_from(bytes).ok());
        let distance = distance.and_then(|bytes| bytes.checked_next_multiple_of(unit));
        let end = distance.and_then(|bytes| bytes.checked_add(input_bytes));
        let (Some(distance), Some(end)) = (distance, end) else { return };
        let both = output_bytes.max(end);
        if both > CAPACITY {
            return;
        }
        let given = GuardedMemory::new(both, self.poison);
        self.tensors.place(output as usize, given);
        self.tensors.set_bytes(output as usize, output_bytes);
        self.tensors.lay(input as usize, output as usize, distance);
        self.overwritten.push(input);
    }
}
