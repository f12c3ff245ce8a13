//! Kernel binaries, their specialization constants and their work-groups.

use arenite_abi::prelude::*;
use arenite_base::{Binary, Unary};
use xxhash_rust::xxh3::xxh3_128;

use crate::device::{Definition, Function, Kernel};
use crate::functions::{binary_functions, unary_functions};
use crate::work_groups::Extent;

/// A kernel binary from `build/spirv.rs`.
pub(super) struct Text {
    /// The kernel.
    pub name: &'static str,
    /// Functions that its epilogue may have.
    slots: usize,
    /// The precision of stored floats: `f32`, `f16` or `wide`.
    precision: &'static str,
    /// SPIR-V words, little-endian.
    bytes: &'static [u8],
    /// Specialization constants by number.
    constants: &'static [&'static str],
    /// Bindings of group 0.
    pub buffers: u32,
    /// Bindings of group 1.
    pub operands: u32,
    /// The number of push constants.
    pub numbers: u32,
    /// Loops in the text, including those in functions.
    pub loops: u32,
}

/// All binaries.
pub(super) const TEXTS: &[Text] = include!(concat!(env!("OUT_DIR"), "/kernels.rs"));

/// Slots for functions of an epilogue, and for operands of them.
pub(super) const SLOTS: usize = 8;
/// See [`SLOTS`].
pub(super) const OPERANDS: usize = 3;

/// Identifies a binary: name, slots and precision.
pub(super) type Id = (&'static str, usize, &'static str);

/// Definitions that select a binary instead of a constant.
const HALVES: &str = "HALVES";
const WIDE: &str = "WIDE";

impl Text {
    /// Its id.
    pub(super) fn id(&self) -> Id {
        (self.name, self.slots, self.precision)
    }

    /// A digest of the binary.
    pub(super) fn digest(&self) -> u128 {
        xxh3_128(self.bytes)
    }

    /// The binary of a kernel: the first with room for its epilogue.
    pub(super) fn of(kernel: &Kernel) -> Result<&'static Text> {
        let functions = kernel.epilogue.as_ref().map_or(0, Vec::len);
        let has = |flag: &str| {
            kernel.definitions.iter().any(|known| matches!(known, Definition::Flag(known) if *known == flag))
        };
        let precision = match (has(HALVES), has(WIDE)) {
            (false, _) => "f32",
            (true, false) => "f16",
            (true, true) => "wide",
        };
        let stored = TEXTS.iter().filter(|text| text.precision == precision);
        let found = stored
            .into_iter()
            .find(|text| text.name == kernel.name.declaration().name && text.slots >= functions);
        let name = kernel.name;
        found.ok_or_else(|| {
            unsupported!("the Vulkan kernel '{name}' has no epilogue of {functions} functions")
        })
    }

    /// The values of its constants.
    pub(super) fn constants(&self, kernel: &Kernel) -> Result<Vec<u32>> {
        let mut values = vec![0; self.constants.len()];
        let mut set = |name: &str, value: u32| match self.constants.iter().position(|known| *known == name) {
            Some(at) => {
                values[at] = value;
                Ok(())
            }
            None => Err(invalid!("the kernel '{}' has no constant {name}", self.name)),
        };
        for definition in &kernel.definitions {
            match *definition {
                Definition::Flag(HALVES | WIDE) => {}
                Definition::Flag(name) => set(name, 1)?,
                Definition::Number(name, number) => set(name, number as u32)?,
                Definition::Function(function) => set("FUNCTION", function as u32)?,
            }
        }
        let mut operands = 0;
        for (i, function) in kernel.epilogue.iter().flatten().enumerate() {
            let [kind, low, high] = slot(function, &mut operands);
            set(&format!("KIND_{i}"), kind)?;
            set(&format!("LOW_{i}"), low)?;
            set(&format!("HIGH_{i}"), high)?;
        }
        Ok(values)
    }

    /// The words, for work-groups of this size.
    pub(super) fn words(&self, group: Extent) -> Result<Vec<u32>> {
        let mut words: Vec<u32> =
            self.bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let size =
            local_size(&words).ok_or_else(|| invalid!("the kernel '{}' has no work-group", self.name))?;
        words[size..size + 3].copy_from_slice(&group);
        Ok(words)
    }
}

/// The constants of a slot, as `epilogue.wgsl` reads them: eight bits each of kind, function and operand, then the bits
/// of two numbers.
fn slot(function: &Function, operands: &mut u32) -> [u32; 3] {
    let mut operand = |kind: u32, function: u32| {
        *operands += 1;
        [kind | function << 8 | (*operands - 1) << 16, 0, 0]
    };
    match *function {
        Function::Clamp(clamp) => [1, clamp.low.to_bits(), clamp.high.to_bits()],
        Function::Unary(function) => [2 | unary(function) << 8, 0, 0],
        Function::Scalar(function, number) => [3 | binary(function) << 8, number.to_bits(), 0],
        Function::Binary(function) => operand(4, binary(function)),
        Function::Row(function) => operand(5, binary(function)),
    }
}

/// The number of a function in the WGSL text, which is its place in the list of functions.
fn unary(function: Unary) -> u32 {
    macro_rules! number {
        ($($name:ident $opencl:literal $wgsl:literal;)*) => {{
            enum Number {
                $($name,)*
            }
            match function {
                $(Unary::$name => Number::$name as u32,)*
            }
        }};
    }
    unary_functions!(number)
}

/// The same of a function of two elements.
fn binary(function: Binary) -> u32 {
    macro_rules! number {
        ($($name:ident $opencl:literal $wgsl:literal;)*) => {{
            enum Number {
                $($name,)*
            }
            match function {
                $(Binary::$name => Number::$name as u32,)*
            }
        }};
    }
    binary_functions!(number)
}

/// Words before the first instruction.
const HEADER: usize = 5;
/// `OpExecutionMode` and the mode `LocalSize`.
const EXECUTION_MODE: u32 = 16;
const LOCAL_SIZE: u32 = 17;

/// The position of the work-group's size.
fn local_size(words: &[u32]) -> Option<usize> {
    let mut at = HEADER;
    while let Some(&[first, _, mode, ..]) = words.get(at..) {
        if first & 0xffff == EXECUTION_MODE && mode == LOCAL_SIZE && first >> 16 == 6 {
            return (at + 6 <= words.len()).then_some(at + 3);
        }
        at += (first >> 16).max(1) as usize;
    }
    None
}

#[cfg(test)]
mod tests {

    use arenite_base::{Binary, Clamp, Unary};

    use super::*;
    use crate::kernels::KernelName;

    fn kernel(epilogue: Vec<Function>, definitions: Vec<Definition>) -> Kernel {
        Kernel { name: KernelName::Elementwise, definitions, epilogue: Some(epilogue) }
    }

    #[test]
    fn the_work_group_size_is_replaced() {
        for text in TEXTS {
            let (one, many) = (text.words([1, 1, 1]).unwrap(), text.words([8, 4, 2]).unwrap());
            let at = local_size(&one).expect("it has one");
            assert_eq!(
                (&one[at..at + 3], &many[at..at + 3]),
                (&[1, 1, 1][..], &[8, 4, 2][..]),
                "{}",
                text.name
            );
            let differ = one.iter().zip(&many).filter(|(a, b)| a != b).count();
            assert_eq!(differ, 3, "{}: nothing else differs", text.name);
        }
        assert_eq!(local_size(&[0; 9]), None);
        assert_eq!(local_size(&[0, 0, 0, 0, 0, 6 << 16 | 16, 1, 17, 1, 1]), None, "it is cut off");
    }

    #[test]
    fn functions_go_into_slots() {
        let functions = vec![
            Function::Row(Binary::Add),
            Function::Clamp(Clamp { low: 0.0, high: 6.0 }),
            Function::Unary(Unary::Tanh),
            Function::Binary(Binary::Mul),
            Function::Scalar(Binary::Sub, 3.0),
        ];
        let wanted = kernel(functions, vec![Definition::Function(Binary::Div)]);
        let values = Text::of(&wanted).and_then(|text| text.constants(&wanted)).expect("it has slots");
        let (three, six) = (3f32.to_bits(), 6f32.to_bits());
        let slots = [
            [5 | binary(Binary::Add) << 8, 0, 0],
            [1, 0, six],
            [2 | unary(Unary::Tanh) << 8, 0, 0],
            [4 | binary(Binary::Mul) << 8 | 1 << 16, 0, 0],
            [3 | binary(Binary::Sub) << 8, three, 0],
            [0, 0, 0],
            [0, 0, 0],
            [0, 0, 0],
        ];
        assert_eq!(values, [&[4], slots.as_flattened()].concat());
    }

    #[test]
    fn unknown_definitions_are_an_error() {
        let message = |kernel: Kernel| {
            let constants = Text::of(&kernel).and_then(|text| text.constants(&kernel));
            constants.expect_err("it is not known").to_string()
        };
        let flag = message(kernel(Vec::new(), vec![Definition::Flag("MULTIPLIED")]));
        assert_eq!(flag, "the kernel 'elementwise' has no constant MULTIPLIED");
        let long = message(kernel(vec![Function::Unary(Unary::Abs); SLOTS + 1], Vec::new()));
        assert_eq!(long, "the Vulkan kernel 'elementwise' has no epilogue of 9 functions");
    }
}
