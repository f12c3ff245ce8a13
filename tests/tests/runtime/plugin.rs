//! Ops and a delegate for the tests.
//!
//! | part | does |
//! |---|---|
//! | custom op `Accumulate` (x, variable v) | `y = v += x` |
//! | custom op `Address` (x, variable v) | y = the addresses of x, v and y, as i64 |
//! | custom op `Count` | `y = x + how often it ran`, a state that starts at 100 |
//! | custom op `Wait` | `y = x`, once it is cancelled |
//! | delegate `failing`, claims all nodes | fails in the call that the option `in` names; has no device for `device` |
//! | delegate `looking`, claims none | reports the body of each WHILE |

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use arenite::Registry;
use arenite_abi::prelude::*;
use arenite_abi::schema::WhileOptions;

/// The number of `Wait` nodes that have started to wait.
pub(crate) static WAITING: AtomicUsize = AtomicUsize::new(0);

struct Accumulate;

impl Op for Accumulate {
    const CODE: OpCode = OpCode::Custom("Accumulate");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, v, _) = node.binary()?;
        ensure!(x.shape == v.shape, "x is {:?}, v is {:?}", x.shape, v.shape);
        cx.set_output_shape(0, x.shape)?;
        Ok(Accumulate)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, v, y) = (cx.input_cells::<f32>(0)?, cx.variable::<f32>(1)?, cx.output_cells::<f32>(0)?);
        for (i, (v, y)) in v.iter().zip(y).enumerate() {
            v.set(v.get() + x.get(i));
            y.set(v.get());
        }
        Ok(())
    }
}

struct Address;

impl Op for Address {
    const CODE: OpCode = OpCode::Custom("Address");
    const VERSIONS: RangeInclusive<i32> = 1..=1;

    fn prepare(_: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        cx.set_output_shape(0, &[3])?;
        Ok(Address)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let x = cx.input(0)?.as_slice::<f32>()?.as_ptr().addr();
        let v = cx.variable::<f32>(1)?.as_ptr().addr();
        let y = cx.output(0)?.into_slice::<i64>()?;
        y.copy_from_slice(&[x as i64, v as i64, y.as_ptr().addr() as i64]);
        Ok(())
    }
}

struct Count(State<f32>);

impl Op for Count {
    const CODE: OpCode = OpCode::Custom("Count");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32]);
    const STATEFUL: bool = true;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        cx.set_output_shape(0, node.unary()?.0.shape)?;
        cx.state(1, |_| 100.0).map(Count)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, y, count) = (cx.input_cells::<f32>(0)?, cx.output_cells::<f32>(0)?, &cx.state(&self.0)?[0]);
        count.set(count.get() + 1.0);
        y.iter().zip(x.iter()).for_each(|(y, x)| y.set(x + count.get()));
        Ok(())
    }
}

struct Wait;

impl Op for Wait {
    const CODE: OpCode = OpCode::Custom("Wait");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        cx.set_output_shape(0, node.unary()?.0.shape)?;
        Ok(Wait)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let start = Instant::now();
        WAITING.fetch_add(1, Ordering::SeqCst);
        while !cx.is_cancelled() {
            ensure!(start.elapsed() < Duration::from_secs(30), "the wait was not cancelled");
            std::thread::yield_now();
        }
        let (x, y) = (cx.input_cells::<f32>(0)?, cx.output_cells::<f32>(0)?);
        y.iter().zip(x.iter()).for_each(|(y, x)| y.set(x));
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Call {
    Claim,
    Compile,
    Prepare,
    Invoke,
}

struct Failing(Call);

struct FailingKernel(Call);

impl Delegate for Failing {
    const NAME: &'static str = "failing";
    type Kernel = FailingKernel;

    fn create(options: &OptionPairs<'_>) -> Result<Self> {
        Ok(Failing(match options.get("in") {
            Some("claim") => Call::Claim,
            Some("compile") => Call::Compile,
            Some("prepare") => Call::Prepare,
            Some("invoke") => Call::Invoke,
            Some("device") => return Err(unavailable!("no device was found")),
            _ => return Err(invalid!("requested failure in create")),
        }))
    }

    fn vouch(&self, _: &NodeView<'_>) -> bool {
        true
    }

    fn claim(&self, graph: &GraphView<'_>, claims: &mut Claims<'_>) -> Result<()> {
        (0..graph.node_count()).for_each(|node| claims.accept(node));
        check(self.0, Call::Claim)
    }

    fn compile(&self, _: &PartitionView<'_>) -> Result<FailingKernel> {
        check(self.0, Call::Compile).map(|()| FailingKernel(self.0))
    }
}

impl DelegateKernel for FailingKernel {
    fn prepare(&mut self, partition: &PartitionView<'_>, cx: &mut PrepareContext<'_>) -> Result<()> {
        for (i, &tensor) in partition.outputs().iter().enumerate() {
            cx.set_output_shape(i, partition.graph().tensor(tensor as usize)?.shape)?;
        }
        check(self.0, Call::Prepare)
    }

    fn invoke(&mut self, _: &PartitionView<'_>, _: &mut EvalContext<'_>) -> Result<()> {
        check(self.0, Call::Invoke)
    }
}

fn check(fails_in: Call, here: Call) -> Result<()> {
    ensure!(fails_in != here, "requested failure");
    Ok(())
}

struct Looking;

impl Delegate for Looking {
    const NAME: &'static str = "looking";
    type Kernel = FailingKernel;

    fn create(_: &OptionPairs<'_>) -> Result<Self> {
        Ok(Looking)
    }

    fn claim(&self, graph: &GraphView<'_>, claims: &mut Claims<'_>) -> Result<()> {
        for (i, node) in graph.nodes().enumerate().filter(|(_, node)| node.builtin_code() == op::WHILE) {
            let body = claims.subgraph(node.options()?.get(WhileOptions::BODY_SUBGRAPH_INDEX)?)?;
            let outputs = body.outputs().iter().map(|&t| Ok(body.tensor(t as usize)?.shape));
            let shapes = outputs.collect::<Result<Vec<_>>>()?;
            let constants = (0..body.tensor_count())
                .map(|t| Ok(usize::from(body.tensor(t)?.is_constant())))
                .sum::<Result<usize>>()?;
            let nodes = body.node_count();
            let missing = claims.subgraph(9).is_err();
            claims.refuse(i, &format!("{nodes} nodes, outputs {shapes:?}, {constants} constants, {missing}"));
        }
        Ok(())
    }

    fn compile(&self, _: &PartitionView<'_>) -> Result<FailingKernel> {
        Err(invalid!("it claims no nodes"))
    }
}

pub(crate) static PLUGIN: Plugin = plugin! {
    id: "org.arenite.test.runtime",
    description: "Ops and delegates for tests of the runtime",
    ops: [Accumulate, Address, Count, Wait],
    delegates: [Failing, Looking],
};

/// The linked-in plugins and this one.
pub(crate) fn registry() -> Arc<Registry> {
    let mut registry = Registry::with_static_plugins().expect("they are linked in");
    registry.add_plugin(&PLUGIN).expect("it is sound");
    Arc::new(registry)
}
