//! How outputs lie in the memory of inputs, where the op allowed it.

use std::vec::Vec;

use super::Role;
use super::host::{CAPACITY, Session};
use super::memory::Memory;
use crate::host_side::{Said, Share};
use crate::raw::*;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Laid {
    /// All apart.
    Apart,
    /// In place, and as views.
    Whole,
    /// Parts of inputs there, and inputs as parts of outputs.
    Parts,
    /// An output so far in front of an input that all uses of that tensor allow it, rounded up to a multiple of `unit`.
    Behind { share: Share, unit: usize },
}

/// The flag of a registration that declares this kind, and its name.
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
    /// What `prepare` shares, the registration declares.
    pub(super) fn check_declared_sharing(&self) {
        for share in &self.shares {
            let (flag, wanted) = declared(share.kind);
            assert!(
                self.op.flags & flag != 0,
                "prepare shares memory, so SHARING must be or contain Sharing::{wanted}"
            );
        }
    }

    /// Flags of the ways in which the op let an output lie in the memory of an input that a host can give away.
    pub(super) fn ways(&self) -> u32 {
        let possible = self.shares.iter().filter(|share| self.is_possible(share));
        possible.fold(0, |all, share| all | declared(share.kind).0)
    }

    /// The ways to lay outputs that the op must bear.
    pub(super) fn layouts(&self) -> Vec<Laid> {
        let ways = self.ways();
        let mut layouts = Vec::new();
        if ways & (OP_IN_PLACE | OP_VIEW) != 0 {
            layouts.push(Laid::Whole);
        }
        if ways & (OP_PART_OF_INPUT | OP_PART_OF_OUTPUT) != 0 {
            layouts.push(Laid::Parts);
        }
        let behind = |share: &&Share| share.kind == SHARE_BEHIND && self.is_possible(share);
        for &share in self.shares.iter().filter(behind) {
            let (_, input) = self.shared(&share);
            let element = self.node.tensors[input as usize].tensor.ty().bits() as usize / 8;
            layouts.extend([element.max(1), 64].map(|unit| Laid::Behind { share, unit }));
        }
        layouts
    }

    /// Moves tensors, all of which have memory of their own, over one another.
    pub(super) fn lay_all(&mut self, laid: Laid) {
        match laid {
            Laid::Apart => {}
            Laid::Whole => self.lay_over(&[SHARE_IN_PLACE, SHARE_VIEW]),
            Laid::Parts => self.lay_over(&[SHARE_PART_OF_INPUT, SHARE_PART_OF_OUTPUT]),
            Laid::Behind { share, unit } => self.lay_behind(&share, unit),
        }
    }

    /// Of an input that lies behind an output, what is past the output's end must not change.
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

    /// The tensors of the output and of the input.
    fn shared(&self, share: &Share) -> (i32, i32) {
        (self.node.outputs[share.output as usize], self.node.inputs[share.input as usize])
    }

    fn bytes(&self, tensor: i32) -> usize {
        self.tensors.get(tensor as usize).bytes as usize
    }

    /// Whether a host can lay the tensors so. Parts must fit.
    fn is_possible(&self, share: &Share) -> bool {
        let (output, input) = self.shared(share);
        if self.said[share.output as usize] != Said::Shape || !self.has_role(input, Role::Input) {
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
            "{part} bytes from {} on are no part of {whole}",
            share.bytes
        );
        true
    }

    /// How far behind the output the input must begin, for all uses of that tensor.
    fn distance(&self, share: &Share) -> Option<u64> {
        let inputs = &self.node.inputs;
        let uses = (0..inputs.len()).filter(|&i| inputs[i] == inputs[share.input as usize]);
        let shared = |i| {
            let is_it = |s: &&Share| (s.output, s.input as usize, s.kind) == (share.output, i, SHARE_BEHIND);
            self.shares.iter().find(is_it).map(|share| share.bytes)
        };
        uses.map(shared).try_fold(0, |most, bytes| Some(bytes?.max(most)))
    }

    /// Lays each tensor over another at most once. Of parts the whole may have many.
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

    /// One buffer for both: the output from its beginning on, the input up to its end.
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
        let given = Memory::new(both, self.poison);
        self.tensors.place(output as usize, given);
        self.tensors.set_bytes(output as usize, output_bytes);
        self.tensors.lay(input as usize, output as usize, distance);
        self.overwritten.push(input);
    }
}
