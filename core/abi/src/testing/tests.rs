//! Ops that keep the contract, and ops that break it in one way each.

use super::*;
use crate::prelude::*;
use std::panic::catch_unwind;

/// What the op does in `eval`; the number comes from field 0 of the options.
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
        let what = node.options(5)?.get(0, 0)?;
        ensure!((0..=8).contains(&what), "'{}': there is no case {what}", x.name);
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
        let factors: i32 = node.options(5)?.vector::<i32>(2)?.iter().sum();
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
    OpTest::new()
        .input(Tensor::i32(&[2], &[1, 2]))
        .output(Spec::i32())
        .options(5, |o| o.bool(1, true).i32(0, what).i32s(2, &[3, -3]))
}

fn contract_error(test: OpTest<Subject>) -> String {
    let payload = catch_unwind(move || drop(test.run())).expect_err("the breach is not seen");
    payload.downcast_ref::<String>().expect("a message").clone()
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
    assert_eq!(message(case(9)).message(), "'in0': there is no case 9");
    assert_eq!(message(case(DOUBLE).version(3)).status(), Status::Unsupported);
    assert_eq!(message(case(DOUBLE).input(Tensor::f32(&[], &[1.0]))).status(), Status::Unsupported);
    assert_eq!(message(case(PANIC)).status(), Status::Panicked);
    assert_eq!(message(case(NO_SHAPE)).message(), "prepare set no shape for output 0");
    assert_eq!(
        message(case(DOUBLE).options(6, |o| o)).message(),
        "its options are of union type 6, this op reads type 5"
    );
}

#[test]
fn breaches_of_the_contract_are_seen() {
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
    let encoded = OptionsBuilder::default().i64(6, -5).i64s(1, &[1, 2]).text(3, "abc").f32(0, 0.5).encode(9);
    let raw = encoded.raw();
    // SAFETY: `encoded` outlives the view.
    let options = unsafe { Options::from_raw(&raw, 9) }.unwrap();
    assert_eq!(options.get::<f32>(0, 0.0).unwrap(), 0.5);
    assert_eq!(options.vector::<i64>(1).unwrap().iter().collect::<Vec<_>>(), [1, 2]);
    assert_eq!(options.get(2, 42i32).unwrap(), 42);
    assert_eq!(options.text(3).unwrap(), "abc");
    assert_eq!(options.get::<i64>(6, 0).unwrap(), -5);
}

/// `y = x + what was fed before`, and a state that is also read as a table if x is 99.
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
    assert_eq!(error.message(), "table 0 is used as a state, and a state as a table");
}
