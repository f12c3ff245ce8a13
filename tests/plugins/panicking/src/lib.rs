//! A plugin whose parts panic on request: the host must get an error and survive.
//!
//! | part | panics in | when |
//! |---|---|---|
//! | custom op `Panic` (f32, identity) | `prepare` | the first dimension is 13 |
//! | | `eval` | the first element is negative |
//! | | a thread of `parallel_for` | the first element is more than 1000 |
//! | | `drop` | the last dimension is 17 |
//! | planner `panicking` | `plan` | always |
//! | delegate `panicking`, claims all nodes | the call that the option `in` names | always |

use arenite_abi::prelude::*;

pub(crate) struct Panic {
    drops_badly: bool,
}

impl Op for Panic {
    const CODE: OpCode = OpCode::Custom("Panic");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, _) = node.unary()?;
        assert_ne!(x.shape.first(), Some(&13), "requested panic in prepare");
        cx.set_output_shape(0, x.shape)?;
        Ok(Panic { drops_badly: x.shape.last() == Some(&17) })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let x = cx.input(0)?.as_slice::<f32>()?;
        let first = x.first().copied().unwrap_or(0.0);
        assert!(first >= 0.0, "requested panic in eval");
        if first > 1000.0 {
            cx.parallel_for(x.len(), 1, |_| panic!("requested panic in a parallel loop"))?;
        }
        cx.output(0)?.into_slice::<f32>()?.copy_from_slice(x);
        Ok(())
    }
}

impl Drop for Panic {
    fn drop(&mut self) {
        assert!(!self.drops_badly || std::thread::panicking(), "requested panic in drop");
    }
}

pub(crate) struct Planning;

impl Planner for Planning {
    const NAME: &'static str = "panicking";

    fn plan(_: &PlanRequest<'_>, _: &mut AssignmentMut<'_>) -> Result<()> {
        panic!("requested panic in plan")
    }
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Call {
    Create,
    Claim,
    Compile,
    Prepare,
    Invoke,
}

pub(crate) struct Delegating {
    bad: Call,
}

pub(crate) struct Kernel {
    bad: Call,
}

impl Delegate for Delegating {
    const NAME: &'static str = "panicking";
    type Kernel = Kernel;

    fn create(options: &OptionPairs<'_>) -> Result<Self> {
        options.expect_only(&["in"])?;
        let bad = match options.get("in") {
            Some("create") => Call::Create,
            Some("claim") => Call::Claim,
            Some("compile") => Call::Compile,
            Some("prepare") => Call::Prepare,
            Some("invoke") => Call::Invoke,
            other => {
                return Err(invalid!(
                    "option in = {other:?}; expected create, claim, compile, prepare or invoke"
                ));
            }
        };
        at(bad, Call::Create);
        Ok(Delegating { bad })
    }

    fn claim(&self, graph: &GraphView<'_>, claims: &mut Claims<'_>) -> Result<()> {
        at(self.bad, Call::Claim);
        (0..graph.node_count()).for_each(|node| claims.accept(node));
        Ok(())
    }

    fn compile(&self, _: &PartitionView<'_>) -> Result<Kernel> {
        at(self.bad, Call::Compile);
        Ok(Kernel { bad: self.bad })
    }
}

impl DelegateKernel for Kernel {
    fn prepare(&mut self, partition: &PartitionView<'_>, cx: &mut PrepareContext<'_>) -> Result<()> {
        at(self.bad, Call::Prepare);
        for (i, &tensor) in partition.outputs().iter().enumerate() {
            cx.set_output_shape(i, partition.graph().tensor(tensor as usize)?.shape)?;
        }
        Ok(())
    }

    fn invoke(&mut self, _: &PartitionView<'_>, _: &mut EvalContext<'_>) -> Result<()> {
        at(self.bad, Call::Invoke);
        Err(invalid!("this delegate cannot run anything"))
    }
}

fn at(bad: Call, here: Call) {
    assert!(bad != here, "requested panic here");
}

pub(crate) static PLUGIN: Plugin = plugin! {
    id: "org.arenite.test.panicking",
    description: "Panics on request",
    ops: [Panic],
    planners: [Planning],
    delegates: [Delegating],
};
arenite_abi::export_plugin!(PLUGIN);
