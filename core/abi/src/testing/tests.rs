//! Tests ops that follow the ABI's rules, and ops that each violate one rule.

use super::*;
use crate::prelude::*;
use crate::raw::ArTable;
use crate::schema::{
    Conv2DOptions, PackOptions, StablehloCustomCallOptions, StablehloPadOptions, UniqueOptions,
};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The behaviour of the op in `eval` is selected by a number in its options.
struct Subject {
    what: i32,
    scratch: Scratch<u8>,
    table: Table<i32>,
}

const DOUBLE: i32 = 0;
const LEAVE_LAST: i32 = 1;
const READ_SCRATCH: i32 = 2;
const DYNAMIC: i32 = 3;
const PANIC: i32 = 4;
const REVERSE: i32 = 5;
const CONSTANT: i32 = 6;
const VARIABLE: i32 = 7;
const NO_SHAPE: i32 = 8;

impl Op for Subject {
    const CODE: OpCode = OpCode::Custom("Subject");
    const VERSIONS: RangeInclusive<i32> = 1..=2;
    const TYPES: ElementTypes = ElementTypes::of(&[I32]);
    const SHARING: Sharing = Sharing::InPlace;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let x = node.input(0)?;
        let what = node.options()?.get(StablehloCustomCallOptions::API_VERSION)?;
        ensure!((0..=8).contains(&what), "'{}': case {what} does not exist", x.name());
        match what {
            DYNAMIC => cx.set_output_dynamic(0)?,
            NO_SHAPE => {}
            _ => cx.set_output_shape(0, x.shape)?,
        }
        if what == CONSTANT {
            cx.set_output_constant(0, &[7i32, 8])?;
        }
        if matches!(what, DOUBLE | REVERSE) {
            cx.allow_in_place(0, 0)?;
        }
        let factors =
            node.options()?.get(StablehloCustomCallOptions::CALLED_COMPUTATIONS)?.iter().sum::<i32>();
        Ok(Subject { what, scratch: cx.scratch(1)?, table: cx.table(1, |_| 2 + factors)? })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let factor = cx.table(&self.table)?[0];
        if self.what == DYNAMIC {
            let x = cx.input(0)?.as_slice::<i32>()?;
            let y = cx.resize_output(0, &[1])?.into_slice::<i32>()?;
            y[0] = x.iter().sum();
            return Ok(());
        }
        if self.what == VARIABLE {
            for (v, y) in cx.variable::<i32>(1)?.iter().zip(cx.output_cells::<i32>(0)?) {
                v.set(v.get() + 1);
                y.set(v.get());
            }
            return Ok(());
        }
        let (x, y) = (cx.input_cells::<i32>(0)?, cx.output_cells::<i32>(0)?);
        let (n, scratch) = (y.len(), cx.scratch(&self.scratch)?);
        for (i, y) in y.iter().enumerate() {
            match self.what {
                DOUBLE => y.set(factor * x.get(i)),
                LEAVE_LAST if i + 1 < n => y.set(0),
                READ_SCRATCH => y.set(i32::from(scratch[0])),
                REVERSE => y.set(x.get(n - 1 - i)),
                PANIC => panic!("on purpose"),
                _ => {}
            }
        }
        Ok(())
    }
}

fn case(what: i32) -> OpTest<Subject> {
    OpTest::new().input(Tensor::i32(&[2], &[1, 2])).output(Spec::i32()).options(|o| {
        o.set(StablehloCustomCallOptions::HAS_SIDE_EFFECT, true)
            .set(StablehloCustomCallOptions::API_VERSION, what)
            .set(StablehloCustomCallOptions::CALLED_COMPUTATIONS, &[3, -3])
    })
}

fn contract_error<T: Op>(test: OpTest<T>) -> String {
    let run = AssertUnwindSafe(move || drop(test.run()));
    let payload = catch_unwind(run).expect_err("the violation was not detected");
    payload.downcast_ref::<String>().expect("the payload is a message").clone()
}

#[test]
fn results_come_back() {
    let outputs = case(DOUBLE).in_place().run().unwrap();
    assert_eq!(outputs, [Tensor::i32(&[2], &[2, 4]).named("out0")]);
    assert_eq!(case(DYNAMIC).run().unwrap()[0].as_i32(), [3]);
    assert_eq!(case(CONSTANT).run().unwrap()[0].as_i32(), [7, 8]);
    let outcome = case(VARIABLE).variable(Tensor::i32(&[2], &[5, 6])).run_with_variables().unwrap();
    assert_eq!((outcome.outputs[0].as_i32(), outcome.variables[0].as_i32()), (vec![6, 7], vec![6, 7]));
}

#[test]
fn refusals_come_back() {
    let message = |test: OpTest<Subject>| test.run().unwrap_err();
    assert_eq!(message(case(9)).message(), "'in0': case 9 does not exist");
    assert_eq!(message(case(DOUBLE).version(3)).status(), Status::Unsupported);
    assert_eq!(message(case(DOUBLE).input(Tensor::f32(&[], &[1.0]))).status(), Status::Unsupported);
    assert_eq!(message(case(PANIC)).status(), Status::Panicked);
    assert_eq!(
        message(case(NO_SHAPE)).message(),
        "`prepare` set no shape for output 0; this is a bug in the plugin"
    );
    assert_eq!(
        message(case(DOUBLE).options::<StablehloPadOptions>(|o| o)).message(),
        "its options have union type 10, but this op expects StablehloCustomCallOptions, type 5"
    );
}

#[test]
fn violations_of_the_rules_are_detected() {
    assert!(contract_error(case(LEAVE_LAST)).contains("a second evaluation"));
    assert!(contract_error(case(READ_SCRATCH)).contains("a second evaluation"));
    assert!(contract_error(case(REVERSE)).contains("in the input's memory"));
    assert!(catch_unwind(|| case(DYNAMIC).in_place().run()).is_err());
}

#[test]
fn tensors_round_trip() {
    assert_eq!(Tensor::i4(&[3], &[-8, 7, -1]).bytes(), [0x78, 0x0f]);
    assert_eq!(Tensor::i4(&[3], &[-8, 7, -1]).as_i4(), [-8, 7, -1]);
    let strings = Tensor::strings(&[2], &["ab", "ä"]);
    assert_eq!(strings.bytes(), b"\x02\0\0\0\x10\0\0\0\x12\0\0\0\x14\0\0\0ab\xc3\xa4");
    assert_eq!(strings.as_strings(), ["ab", "ä"]);
    assert_eq!(Tensor::bool(&[2], &[true, false]).as_bool(), [true, false]);
}

#[test]
fn options_are_read_back() {
    type T = StablehloCustomCallOptions;
    let encoded = OptionsBuilder::default()
        .set(T::API_VERSION, -5)
        .set(T::CALLED_COMPUTATIONS, &[1, 2])
        .set(T::CALL_TARGET_NAME, "abc")
        .set(T::HAS_SIDE_EFFECT, true)
        .encode();
    let raw = encoded.raw();
    // SAFETY: `encoded` outlives the view.
    let options = unsafe { Options::<T>::from_raw(&raw) }.unwrap();
    assert_eq!(options.get(T::API_VERSION).unwrap(), -5);
    assert_eq!(options.get(T::CALLED_COMPUTATIONS).unwrap().iter().collect::<Vec<_>>(), [1, 2]);
    assert_eq!(options.get(T::CALL_TARGET_NAME).unwrap(), "abc");
    assert!(options.get(T::HAS_SIDE_EFFECT).unwrap());
    assert_eq!(options.get(T::BACKEND_CONFIG).unwrap(), "");
}

#[test]
fn omitted_fields_have_their_defaults() {
    let encoded = OptionsBuilder::<UniqueOptions>::default().encode();
    let raw = encoded.raw();
    // SAFETY: `encoded` outlives the view.
    let options = unsafe { Options::from_raw(&raw) }.unwrap();
    assert_eq!(options.get(UniqueOptions::IDX_OUT_TYPE).unwrap(), I32 as i8);
    // SAFETY: the table has no buffer.
    let none = unsafe { Options::from_raw(&ArTable::NONE) }.unwrap();
    assert_eq!(none.get(Conv2DOptions::DILATION_W_FACTOR).unwrap(), 1);
    assert!(options.is_present() && !none.is_present());
}

/// Computes `y = x + the previous input`. If x is 99, also reads the state as a table.
struct Accumulate {
    state: State<i32>,
    table: Table<i32>,
}

impl Op for Accumulate {
    const CODE: OpCode = OpCode::Custom("Accumulate");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const STATEFUL: bool = true;

    fn prepare(_: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        cx.set_output_shape(0, &[1])?;
        let state = cx.state(1, |_| 100)?;
        let table = Table { index: state.index, of: PhantomData };
        Ok(Accumulate { state, table })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, sum) = (cx.input(0)?.as_slice::<i32>()?[0], cx.state(&self.state)?);
        assert!(core::ptr::eq(sum, cx.state(&self.state)?));
        if x == 99 {
            cx.table(&self.table)?;
        }
        sum[0].set(sum[0].get() + x);
        cx.output(0)?.into_slice::<i32>()?[0] = sum[0].get();
        Ok(())
    }
}

#[test]
fn states_are_kept_between_steps() {
    let x = |x: i32| Tensor::i32(&[1], &[x]);
    let test = OpTest::<Accumulate>::new().input(x(5)).output(Spec::i32());
    let steps = test.run_steps(&[&[x(1)], &[x(10)], &[x(-3)]]).unwrap();
    assert_eq!(steps.iter().map(|outputs| outputs[0].as_i32()[0]).collect::<Vec<_>>(), [101, 111, 108]);
    assert_eq!(test.run().unwrap()[0].as_i32(), [105]);
    let error = test.run_steps(&[&[x(99)]]).unwrap_err();
    assert!(error.message().starts_with("persistent memory 0 is used as a table, 0 as a state;"), "{error}");
}

/// For each element of x, requests a scratch buffer of one element. Writes x[i] to buffer x[i]; y is the sum of all.
struct ManyBuffers(Vec<Scratch<i32>>);

impl Op for ManyBuffers {
    const CODE: OpCode = OpCode::Custom("ManyBuffers");
    const VERSIONS: RangeInclusive<i32> = 1..=1;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        cx.set_output_shape(0, &[1])?;
        let count = node.input(0)?.shape[0];
        (0..count).map(|_| cx.scratch(1)).collect::<Result<_>>().map(ManyBuffers)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let mut buffers = Vec::new();
        for &i in cx.input(0)?.as_slice::<i32>()? {
            let buffer = cx.scratch(&self.0[i as usize])?;
            buffer[0] = i;
            buffers.push(buffer);
        }
        cx.output(0)?.into_slice::<i32>()?[0] = buffers.iter().map(|buffer| buffer[0]).sum();
        Ok(())
    }
}

#[test]
fn an_op_may_request_many_scratch_buffers() {
    let run = |order: Vec<i32>| {
        let x = Tensor::i32(&[order.len() as i32], &order);
        OpTest::<ManyBuffers>::new().input(x).output(Spec::i32()).run()
    };
    for count in [64, 65, 1000] {
        assert_eq!(run((0..count).collect()).unwrap()[0].as_i32(), [count * (count - 1) / 2]);
    }
    assert_eq!(run((0..64).rev().collect()).unwrap()[0].as_i32(), [2016]);
    let error = run(vec![1, 2, 0, 2]).unwrap_err();
    assert_eq!(error.message(), "scratch buffer 2 was handed out already");
    let far = "scratch buffer 0 was handed out already, or is too far below 64: request it before number 64";
    assert_eq!(run((1..65).chain([0]).collect()).unwrap_err().message(), far);
}

/// Requests a table, then a state.
struct Behind;

impl Op for Behind {
    const CODE: OpCode = OpCode::Custom("Behind");
    const VERSIONS: RangeInclusive<i32> = 1..=1;

    fn prepare(_: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        cx.table(1, |_| 0i32)?;
        cx.state(1, |_| 0i32)?;
        Ok(Behind)
    }

    fn eval(&self, _: &mut EvalContext<'_>) -> Result<()> {
        Ok(())
    }
}

#[test]
fn states_come_before_tables() {
    let error = OpTest::<Behind>::new().output(Spec::i32()).run().unwrap_err();
    assert_eq!(error.message(), "it requests a state after a table; states must come first");
}

/// Output 0 is the sum of each element and the previous one, output 1 the input without its first element. The options
/// are the distance and the offset that the op allows; −1 for none.
struct Lay;

impl Op for Lay {
    const CODE: OpCode = OpCode::Custom("Lay");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const SHARING: Sharing = Sharing::AnyOf(&[Sharing::PartOfInput, Sharing::Behind]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let count = node.input(0)?.shape[0];
        cx.set_output_shape(0, &[count])?;
        cx.set_output_shape(1, &[count - 1])?;
        let options = node.options()?;
        if let Ok(distance) = usize::try_from(options.get(PackOptions::VALUES_COUNT)?) {
            cx.allow_behind(0, 0, distance)?;
        }
        if let Ok(offset) = usize::try_from(options.get(PackOptions::AXIS)?) {
            cx.allow_part_of_input(1, 0, offset)?;
        }
        Ok(Lay)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let bytes = cx.input_byte_cells(0)?;
        bytes.range(4..bytes.len()).copy_to(cx.output_byte_cells(1)?);
        let (x, y) = (cx.input_cells::<i32>(0)?, cx.output_cells::<i32>(0)?);
        for (i, y) in y.iter().enumerate() {
            let mut pair = [0; 2];
            match i.checked_sub(1) {
                Some(before) => x.range(before..i + 1).load(&mut pair),
                None => pair[1] = x.get(0),
            }
            y.set(pair[0] + pair[1]);
        }
        Ok(())
    }
}

#[test]
fn outputs_that_overlap_inputs() {
    let elements: Vec<i32> = (0..40).map(|i| i * i).collect();
    let lay = |distance: i32, offset: i32| {
        OpTest::<Lay>::new()
            .input(Tensor::i32(&[40], &elements))
            .output(Spec::i32())
            .output(Spec::i32())
            .options(|o| o.set(PackOptions::VALUES_COUNT, distance).set(PackOptions::AXIS, offset))
    };
    let sums: Vec<i32> = (0..40).map(|i| i * i + if i > 0 { (i - 1) * (i - 1) } else { 0 }).collect();
    for (distance, offset, ways) in [
        (4, 4, [Sharing::Behind, Sharing::PartOfInput].as_slice()),
        (5, -1, &[Sharing::Behind]),
        (1000, -1, &[Sharing::Behind]),
        (-1, 4, &[Sharing::PartOfInput]),
        (-1, -1, &[]),
    ] {
        let outputs = lay(distance, offset).shares(ways).run().unwrap();
        assert_eq!((outputs[0].as_i32(), outputs[1].as_i32()), (sums.clone(), elements[1..].to_vec()));
    }
    let wrong = |distance, offset| contract_error(lay(distance, offset));
    assert!(wrong(0, -1).contains("at the smallest allowed distance in units of 4"));
    assert!(wrong(-1, 0).contains("changed the input 'in0'"), "{}", wrong(-1, 0));
    assert!(wrong(-1, 8).contains("156 bytes at offset 8 exceed 160 bytes"));
}

/// Concatenates two inputs. The axis in the options is the offset that the op allows for the second one.
struct Join;

impl Op for Join {
    const CODE: OpCode = OpCode::Custom("Join");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const SHARING: Sharing = Sharing::PartOfOutput;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        cx.set_output_shape(0, &[node.input(0)?.shape[0] + node.input(1)?.shape[0]])?;
        cx.allow_part_of_output(0, 0, 0)?;
        cx.allow_part_of_output(1, 0, node.options()?.get(PackOptions::AXIS)? as usize)?;
        Ok(Join)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (a, b, to) = (cx.input_byte_cells(0)?, cx.input_byte_cells(1)?, cx.output_byte_cells(0)?);
        a.copy_to(&to[..a.len()]);
        b.copy_to(&to[a.len()..]);
        Ok(())
    }
}

#[test]
fn inputs_inside_outputs() {
    let (a, b) = (Tensor::i32(&[3], &[1, 2, 3]), Tensor::i32(&[2], &[4, 5]));
    let join = |offset| {
        let test = OpTest::<Join>::new().output(Spec::i32()).options(|o| o.set(PackOptions::AXIS, offset));
        test.shares(&[Sharing::PartOfOutput])
    };
    let outputs = join(12).input(a.clone()).input(b.clone()).run().unwrap();
    assert_eq!(outputs[0].as_i32(), [1, 2, 3, 4, 5]);
    let outputs = join(12).input(a.clone()).same_input(0).run().unwrap();
    assert_eq!(outputs[0].as_i32(), [1, 2, 3, 1, 2, 3]);
    assert_eq!(join(12).input(a.clone()).constant(b.clone()).run().unwrap()[0].as_i32(), [1, 2, 3, 4, 5]);
    assert!(contract_error(join(8).input(a).input(b)).contains("changed the input"));
}
