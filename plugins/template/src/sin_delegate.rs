//! Delegate `sin`: runs the f32 nodes of the custom op Sin and the builtin op SIN, all nodes of a partition in one
//! step. Option `max_nodes`: the largest number of nodes that it claims in a graph.
//!
//! ```text
//! partition:   x ─► Sin ─► a ─► Sin ─► y          scratch memory:  │ a │ y │
//! ```
//!
//! To save memory, let the host's planner place the results: `PrepareContext::plan`.

use arenite_abi::prelude::*;
use arenite_abi::raw::BUILTIN_CUSTOM;

/// The delegate `sin`.
pub(crate) struct SinDelegate {
    max_nodes: usize,
}

/// A compiled partition. The results of all steps are in one scratch buffer, in order.
pub(crate) struct SinKernel {
    steps: Vec<Step>,
    results: Option<Scratch<f32>>,
}

/// One node of the partition.
struct Step {
    x: Source,
    /// The partition output that holds the result, if any.
    output: Option<usize>,
    /// The result's place in the scratch buffer. `prepare` sets it.
    elements: std::ops::Range<usize>,
}

#[derive(Clone, Copy)]
enum Source {
    /// An input of the partition.
    Input(usize),
    /// The result of an earlier step.
    Step(usize),
}

impl Delegate for SinDelegate {
    const NAME: &'static str = "sin";
    type Kernel = SinKernel;

    fn create(options: &OptionPairs<'_>) -> Result<Self> {
        options.expect_only(&["max_nodes"])?;
        Ok(SinDelegate { max_nodes: options.parse("max_nodes", usize::MAX)? })
    }

    fn claim(&self, graph: &GraphView<'_>, claims: &mut Claims<'_>) -> Result<()> {
        let mut claimed = 0;
        for (i, node) in graph.nodes().enumerate() {
            match check(&node) {
                Ok(()) if claimed < self.max_nodes => {
                    claims.accept(i);
                    claimed += 1;
                }
                Ok(()) => {
                    claims.refuse(i, &format!("max_nodes is {}: no more nodes are claimed", self.max_nodes))
                }
                Err(reason) => claims.refuse(i, reason.message()),
            }
        }
        Ok(())
    }

    /// Each result has the shape of the step's input, whatever shape the model declares.
    fn vouch(&self, node: &NodeView<'_>) -> bool {
        check(node).is_ok()
    }

    fn compile(&self, partition: &PartitionView<'_>) -> Result<SinKernel> {
        let position = |tensors: &[i32], tensor| tensors.iter().position(|&t| t == tensor);
        let (mut steps, mut results) = (Vec::new(), Vec::new());
        for node in partition.nodes() {
            check(&node)?;
            let (x, y) = (node.input_indices()[0], node.output_indices()[0]);
            let source = position(&results, x).map(Source::Step);
            let source = source.or_else(|| position(partition.inputs(), x).map(Source::Input));
            let x = source.ok_or_else(|| {
                invalid!("tensor {x} is neither computed in the partition nor one of its inputs")
            })?;
            steps.push(Step { x, output: position(partition.outputs(), y), elements: 0..0 });
            results.push(y);
        }
        Ok(SinKernel { steps, results: None })
    }
}

impl DelegateKernel for SinKernel {
    fn prepare(&mut self, partition: &PartitionView<'_>, cx: &mut PrepareContext<'_>) -> Result<()> {
        let (mut shapes, mut end) = (Vec::new(), 0);
        for step in &mut self.steps {
            let x: TensorView<'_> = match step.x {
                Source::Input(i) => partition.graph().tensor(partition.inputs()[i] as usize)?,
                Source::Step(earlier) => shapes[earlier],
            };
            if let Some(output) = step.output {
                cx.set_output_shape(output, x.shape)?;
            }
            step.elements = end..end + x.len();
            end = step.elements.end;
            shapes.push(x);
        }
        self.results = Some(cx.scratch(end)?);
        Ok(())
    }

    fn invoke(&mut self, _: &PartitionView<'_>, cx: &mut EvalContext<'_>) -> Result<()> {
        let Some(results) = &self.results else { return Ok(()) };
        let results = cx.scratch(results)?;
        for step in &self.steps {
            let (earlier, later) = results.split_at_mut(step.elements.start);
            let y = &mut later[..step.elements.len()];
            let x = match step.x {
                Source::Input(i) => cx.input(i)?.as_slice::<f32>()?,
                Source::Step(i) => &earlier[self.steps[i].elements.clone()],
            };
            y.iter_mut().zip(x).for_each(|(y, x)| *y = x.sin());
            if let Some(output) = step.output {
                cx.output(output)?.into_slice::<f32>()?.copy_from_slice(y);
            }
        }
        Ok(())
    }
}

/// The error gives the reason for refusing the node.
fn check(node: &NodeView<'_>) -> Result<()> {
    let is_custom = node.builtin_code() == BUILTIN_CUSTOM && node.custom_name() == "Sin";
    ensure!(is_custom || node.builtin_code() == op::SIN, "the op is not SIN");
    let (x, y) = node.unary()?;
    ensure!(x.ty == F32 && y.ty == F32, "input is {}, output is {}; only FLOAT32 is supported", x.ty, y.ty);
    ensure!(!x.is_dynamic(), "the input's shape depends on data");
    Ok(())
}
