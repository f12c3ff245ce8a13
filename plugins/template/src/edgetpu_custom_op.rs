//! Custom op edgetpu-custom-op: how a vendor integrates an accelerator whose compiler puts a whole subgraph into one
//! node.
//!
//! The compiled program is in the node's custom options. A vendor's plugin
//! - in `prepare` checks the program and the tensors' shapes, loads the program into its driver, and keeps the driver's
//!   handle; dropping the prepared node releases the handle,
//! - in `eval` passes the inputs to the driver, waits, and fetches the outputs. It does not allocate or read the
//!   program.
//!
//! Here the driver is `Device`, which runs on the CPU and supports one tiny program format. Any other program is an
//! error that names the driver it needs.
//!
//! ```text
//! "TEMPLATE" │ u32 version = 1 │ u32 elements │ u32 n │ n × (u8 operation, i8 operand)      little-endian
//! operations on each element, i8, saturating:  1 x + operand │ 2 max(x, operand) │ 3 min(x, operand) │ 4 −x
//! ```

use arenite_abi::prelude::*;

const MAGIC: &[u8] = b"TEMPLATE";
const VERSION: u32 = 1;

/// A prepared node: the device with the program loaded.
pub struct EdgetpuCustomOp(Device);

impl Op for EdgetpuCustomOp {
    const CODE: OpCode = OpCode::Custom("edgetpu-custom-op");
    const VERSIONS: RangeInclusive<i32> = 1..=1;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let program = node.custom_options();
        if !program.starts_with(MAGIC) {
            return Err(unsupported!(
                "its program of {} bytes is not for the template's device; a program for an Edge TPU needs a plugin \
                 with Google's driver, libedgetpu",
                program.len()
            ));
        }
        let device = Device::load(&program[MAGIC.len()..])?;
        let (x, y) = node.unary()?;
        ensure!(x.ty == I8 && y.ty == I8, "input is {}, output is {}; both must be INT8", x.ty, y.ty);
        ensure!(
            x.len() == device.elements,
            "the program is for {} elements, but input {x} is {:?}",
            device.elements,
            x.shape
        );
        cx.set_output_shape(0, x.shape)?;
        Ok(EdgetpuCustomOp(device))
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.0.run(cx.input(0)?.as_slice()?, cx.output(0)?.into_slice()?)
    }
}

/// The example's replacement for a driver.
struct Device {
    elements: usize,
    program: Vec<Instruction>,
}

#[derive(Clone, Copy)]
enum Instruction {
    Add(i8),
    Max(i8),
    Min(i8),
    Negate,
}

impl Device {
    /// Loads a program, given without its magic word.
    fn load(bytes: &[u8]) -> Result<Device> {
        let (words, _) = bytes.as_chunks::<4>();
        let [version, elements, count] = match words {
            [version, elements, count, ..] => {
                [version, elements, count].map(|word| u32::from_le_bytes(*word))
            }
            _ => return Err(invalid!("the program ends within its header, after {} bytes", bytes.len())),
        };
        ensure!(
            version == VERSION,
            "the program has version {version}, but the device supports only {VERSION}"
        );
        let (instructions, rest) = bytes[12..].as_chunks::<2>();
        ensure!(
            instructions.len() == count as usize && rest.is_empty(),
            "the program has {count} instructions, but {} bytes follow the header",
            bytes.len() - 12
        );
        let program = instructions.iter().map(|&bytes| Instruction::decode(bytes)).collect::<Result<_>>()?;
        Ok(Device { elements: elements as usize, program })
    }

    fn run(&self, x: &[i8], y: &mut [i8]) -> Result<()> {
        ensure!(
            x.len() == self.elements && y.len() == self.elements,
            "the program is for {} elements, not for {} and {}",
            self.elements,
            x.len(),
            y.len()
        );
        for (y, &x) in y.iter_mut().zip(x) {
            *y = self.program.iter().fold(x, |x, instruction| instruction.apply(x));
        }
        Ok(())
    }
}

impl Instruction {
    fn decode([operation, operand]: [u8; 2]) -> Result<Instruction> {
        let operand = operand as i8;
        match operation {
            1 => Ok(Instruction::Add(operand)),
            2 => Ok(Instruction::Max(operand)),
            3 => Ok(Instruction::Min(operand)),
            4 => Ok(Instruction::Negate),
            _ => Err(invalid!("the program has the operation {operation}; only 1 to 4 exist")),
        }
    }

    fn apply(self, x: i8) -> i8 {
        match self {
            Instruction::Add(operand) => x.saturating_add(operand),
            Instruction::Max(operand) => x.max(operand),
            Instruction::Min(operand) => x.min(operand),
            Instruction::Negate => x.saturating_neg(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn program(version: u32, elements: u32, instructions: &[(u8, i8)]) -> Vec<u8> {
        let words = [version, elements, instructions.len() as u32].map(u32::to_le_bytes).concat();
        let instructions = instructions.iter().flat_map(|&(operation, operand)| [operation, operand as u8]);
        MAGIC.iter().copied().chain(words).chain(instructions).collect()
    }

    fn test(program: &[u8]) -> OpTest<EdgetpuCustomOp> {
        let x = Tensor::i8(&[2, 3], &[-128, -5, 0, 1, 100, 127]);
        OpTest::new().custom_options(program).input(x).output(Spec::of(I8))
    }

    #[test]
    fn programs_run() {
        let run = |instructions: &[(u8, i8)]| test(&program(1, 6, instructions)).run().unwrap()[0].as_i8();
        assert_eq!(run(&[]), [-128, -5, 0, 1, 100, 127]);
        assert_eq!(run(&[(1, 10)]), [-118, 5, 10, 11, 110, 127]);
        assert_eq!(run(&[(2, 0), (3, 6)]), [0, 0, 0, 1, 6, 6]);
        assert_eq!(run(&[(4, 0), (1, -1)]), [126, 4, -1, -2, -101, -128]);
    }

    #[test]
    fn programs_for_other_devices_are_errors() {
        for other in [&b""[..], b"TEMPLAT", b"\x1c\0\0\0DWN1\0\0\0\0"] {
            let error = test(other).run().unwrap_err();
            assert_eq!(error.status(), Status::Unsupported);
            assert_eq!(
                error.message(),
                format!(
                    "its program of {} bytes is not for the template's device; a program for an Edge TPU needs a \
                     plugin with Google's driver, libedgetpu",
                    other.len()
                )
            );
        }
    }

    #[test]
    fn malformed_programs() {
        let error = |program: &[u8]| test(program).run().unwrap_err().message().to_owned();
        assert_eq!(error(&program(1, 6, &[])[..16]), "the program ends within its header, after 8 bytes");
        assert_eq!(error(&program(2, 6, &[])), "the program has version 2, but the device supports only 1");
        let mut longer = program(1, 6, &[(1, 1)]);
        longer.push(0);
        assert_eq!(error(&longer), "the program has 1 instructions, but 3 bytes follow the header");
        assert_eq!(error(&program(1, 6, &[(9, 0)])), "the program has the operation 9; only 1 to 4 exist");
        assert_eq!(error(&program(1, 5, &[])), "the program is for 5 elements, but input 'in0' is [2, 3]");
    }

    #[test]
    fn inputs_are_checked() {
        let x = Tensor::u8(&[1], &[0]);
        let test = OpTest::<EdgetpuCustomOp>::new().custom_options(&program(1, 1, &[])).input(x);
        let error = test.output(Spec::of(I8)).run().unwrap_err();
        assert_eq!(error.message(), "input is UINT8, output is INT8; both must be INT8");
    }
}
