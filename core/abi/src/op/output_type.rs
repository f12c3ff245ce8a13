//! Element types of outputs that do not come from the model file.

use crate::options::RawOptions;
use crate::raw::{OP_OUTPUT_TYPE_FIXED, OP_OUTPUT_TYPE_INPUT, OP_OUTPUT_TYPE_OPTION, OP_OUTPUT_TYPE_SHIFT};
use crate::tensor::ElementType;

/// Where the element type of an op's outputs comes from, for all of them. The host sets it before it looks for an op
/// that serves the node, so `prepare` and the following nodes see the final type, whatever the file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputType {
    /// The model file.
    File,
    /// The input at this position.
    Input(u8),
    /// Always this type.
    Fixed(ElementType),
    /// The first field of the op's builtin options: I32 or I64. With another value, the file.
    Option,
}

/// The field of the flags that holds an [`OutputType`].
const MASK: u32 = 0xff << OP_OUTPUT_TYPE_SHIFT;

impl OutputType {
    pub(crate) const fn flags(self) -> u32 {
        match self {
            OutputType::File => 0,
            OutputType::Input(i) => {
                assert!(i < OP_OUTPUT_TYPE_INPUT_LIMIT, "only one of the first 63 inputs");
                (OP_OUTPUT_TYPE_INPUT + i as u32) << OP_OUTPUT_TYPE_SHIFT
            }
            OutputType::Fixed(ty) => (OP_OUTPUT_TYPE_FIXED + ty as u32) << OP_OUTPUT_TYPE_SHIFT,
            OutputType::Option => OP_OUTPUT_TYPE_OPTION << OP_OUTPUT_TYPE_SHIFT,
        }
    }

    /// The type in the flags of a registration; [`File`](Self::File) for values of later versions.
    pub fn from_flags(flags: u32) -> Self {
        match (flags & MASK) >> OP_OUTPUT_TYPE_SHIFT {
            OP_OUTPUT_TYPE_OPTION => OutputType::Option,
            given @ OP_OUTPUT_TYPE_FIXED.. => ElementType::from_raw(given - OP_OUTPUT_TYPE_FIXED)
                .map_or(OutputType::File, OutputType::Fixed),
            given @ OP_OUTPUT_TYPE_INPUT.. => OutputType::Input((given - OP_OUTPUT_TYPE_INPUT) as u8),
            _ => OutputType::File,
        }
    }

    /// The type of a node's outputs, from the types of its inputs and the buffer and position of its builtin options.
    /// `None`: the file's.
    pub fn of_node(
        self,
        input: impl FnOnce(usize) -> Option<ElementType>,
        options: Option<(&[u8], usize)>,
    ) -> Option<ElementType> {
        match self {
            OutputType::File => None,
            OutputType::Input(i) => input(usize::from(i)),
            OutputType::Fixed(ty) => Some(ty),
            OutputType::Option => {
                let (buffer, position) = options?;
                let given = RawOptions::from_bytes(buffer, position).get::<i8>(0, -1).ok()?;
                let ty = ElementType::from_raw(u32::try_from(given).ok()?)?;
                matches!(ty, ElementType::I32 | ElementType::I64).then_some(ty)
            }
        }
    }
}

/// Inputs from this position on have no number.
const OP_OUTPUT_TYPE_INPUT_LIMIT: u8 = (OP_OUTPUT_TYPE_FIXED - OP_OUTPUT_TYPE_INPUT) as u8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::OP_USER_DATA;

    #[test]
    fn flags_hold_every_type() {
        let all = ElementType::ALL.iter().map(|&ty| OutputType::Fixed(ty));
        let inputs = (0..OP_OUTPUT_TYPE_INPUT_LIMIT).map(OutputType::Input);
        for ty in all.chain(inputs).chain([OutputType::File, OutputType::Option]) {
            assert_eq!(OutputType::from_flags(ty.flags() | OP_USER_DATA | 1 << 16), ty);
        }
        assert_eq!(OutputType::from_flags(254 << OP_OUTPUT_TYPE_SHIFT), OutputType::File);
    }
}
