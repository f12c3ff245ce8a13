//! Inputs and outputs whose memory is known when a program is written, so that `eval` does not look them up
//! ([`EmbeddedPort`](arenite_abi::op::EmbeddedPort)).

use alloc::vec::Vec;
use core::ops::Range;

use arenite_abi::raw::{TENSOR_CONSTANT, TENSOR_DYNAMIC, TENSOR_VARIABLE};

use super::tables::{Constant, Place, Port, Tensor};

/// The ports of a node with these lists of tensors: inputs, then outputs. `None` for a port that is looked up.
///
/// An `eval_embedded` requires aligned elements of the port's type, no variables, no constant outputs, and no input and
/// output that share memory.
pub(super) fn ports(
    (tensors, constants): (&[Tensor], &[Constant]),
    inputs: &[i32],
    outputs: &[i32],
) -> Vec<Option<Port>> {
    let find = |&number: &i32| usize::try_from(number).ok().and_then(|number| tensors.get(number));
    let shares =
        |tensor: &Tensor, list: &[i32]| list.iter().filter_map(find).any(|other| overlap(tensor, other));
    let known = |number: &i32, others: &[i32], refused: u32| {
        let tensor = find(number)?;
        if tensor.flags & refused != 0 || shares(tensor, others) { None } else { port(tensor, constants) }
    };
    let moving = TENSOR_VARIABLE | TENSOR_DYNAMIC;
    let inputs_known = inputs.iter().map(|number| known(number, outputs, moving));
    inputs_known.chain(outputs.iter().map(|number| known(number, inputs, moving | TENSOR_CONSTANT))).collect()
}

/// Whole elements at an aligned address.
fn port(tensor: &Tensor, constants: &[Constant]) -> Option<Port> {
    let size = match tensor.ty.bits() {
        bits @ 8.. => bits as usize / 8,
        _ => return None,
    };
    let is_aligned = match tensor.place {
        Place::Nowhere => false,
        // The blocks are aligned to 16 bytes, and no element has more.
        Place::Arena(at) | Place::Variable(at) => at.is_multiple_of(size),
        // A generated array has the alignment of its element type.
        Place::Constant(i) => {
            constants.get(i).is_some_and(|constant| constant.ty.bits() as usize / 8 >= size)
        }
    };
    let whole = is_aligned && tensor.bytes > 0 && tensor.bytes.is_multiple_of(size);
    whole.then_some(Port { ty: tensor.ty, count: tensor.bytes / size, at: tensor.place })
}

/// Whether both have memory in common.
fn overlap(a: &Tensor, b: &Tensor) -> bool {
    let share = |a: Range<usize>, b: Range<usize>| a.start < b.end && b.start < a.end;
    match (a.place, b.place) {
        (Place::Arena(x), Place::Arena(y)) | (Place::Variable(x), Place::Variable(y)) => {
            share(x..x + a.bytes, y..y + b.bytes)
        }
        (Place::Constant(x), Place::Constant(y)) => x == y,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use arenite_abi::ElementType;

    use super::*;
    use alloc::string::String;
    use alloc::vec;

    fn tensor(ty: ElementType, bytes: usize, place: Place, flags: u32) -> Tensor {
        Tensor { name: String::new(), ty, shape: Vec::new(), bytes, flags, place, scales: None }
    }

    #[test]
    fn what_is_known() {
        let constants = [Constant { ty: ElementType::I8, bytes: vec![0; 8] }];
        let tensors = [
            tensor(ElementType::F32, 8, Place::Arena(0), 0),
            tensor(ElementType::F32, 8, Place::Arena(8), 0),
            tensor(ElementType::F32, 8, Place::Arena(12), 0),
            tensor(ElementType::F32, 8, Place::Arena(34), 0),
            tensor(ElementType::F32, 6, Place::Arena(64), 0),
            tensor(ElementType::F32, 8, Place::Variable(0), TENSOR_VARIABLE),
            tensor(ElementType::F32, 8, Place::Constant(0), TENSOR_CONSTANT),
            tensor(ElementType::I8, 8, Place::Constant(0), TENSOR_CONSTANT),
            tensor(ElementType::I4, 8, Place::Arena(80), 0),
            tensor(ElementType::F32, 0, Place::Nowhere, 0),
        ];
        let counts = |inputs: &[i32], outputs: &[i32]| {
            let ports = ports((&tensors, &constants), inputs, outputs);
            ports.iter().map(|port| port.as_ref().map(|port| port.count)).collect::<Vec<_>>()
        };
        assert_eq!(counts(&[0], &[1]), [Some(2), Some(2)]);
        // The second input overlaps the output.
        assert_eq!(counts(&[0, 1], &[2]), [Some(2), None, None]);
        // Misaligned, no whole number of elements, a variable, a list of bytes, packed elements, no memory, absent.
        assert_eq!(
            counts(&[3, 4, 5, 6, 8, 9, -1], &[0]),
            [None, None, None, None, None, None, None, Some(2)]
        );
        assert_eq!(counts(&[7], &[7]), [None, None]);
        assert_eq!(counts(&[7], &[0]), [Some(8), Some(2)]);
    }
}
