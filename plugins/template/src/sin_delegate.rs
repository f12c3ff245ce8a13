//! Delegate `sin`: takes the f32 nodes of the custom op Sin and of the builtin op SIN, and runs all those of a partition
//! in one go. Option: `max_nodes`, the most nodes that it takes of a graph.
//!
//! ```text
//! partition:   x ─► Sin ─► a ─► Sin ─► y          a lives in scratch memory; the host's planner says where
//!                          └──► Sin ─► z
//! ```

use arenite_abi::prelude::*;
use arenite_abi::raw::BUILTIN_CUSTOM;

/// The delegate `sin`.
pub struct SinDelegate {
    max_nodes: usize,
}

/// A compiled partition.
pub struct SinKernel {
    steps: Vec<Step>,
    scratch: Option<Scratch<f32>>,
    /// Of each result that is kept: its life, and where it lies.
    kept: Vec<(UsageRecord, u64)>,
}

/// One node of the partition.
struct Step {
    x: Source,
    /// The last step that reads the result, if one does: until then it is kept.
    last_reader: Option<usize>,
    /// The partition's output that is the result, if one is.
    output: Option<usize>,
    /// Number of elements, and where in the scratch memory they are kept; both known after `prepare`.
    length: usize,
    kept_at: usize,
}

/// Where a step reads.
#[derive(Clone, Copy)]
enum Source {
    /// Input of the partition.
    Input(usize),
    /// Result of an earlier step.
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
        let mut taken = 0;
        for (i, node) in graph.nodes().enumerate() {
            match check(&node) {
                Err(reason) => claims.refuse(i, reason.message()),
                Ok(()) if taken == self.max_nodes => {
                    let reason = invalid!("max_nodes is {}: no more nodes are claimed", self.max_nodes);
                    claims.refuse(i, reason.message());
                }
                Ok(()) => {
                    claims.accept(i);
                    taken += 1;
                }
            }
        }
        Ok(())
    }

    /// Results have the shapes of what they are computed from, whatever the model says of them.
    fn vouch(&self, node: &NodeView<'_>) -> bool {
        check(node).is_ok()
    }

    fn compile(&self, partition: &PartitionView<'_>) -> Result<SinKernel> {
        let mut results: Vec<i32> = Vec::new();
        let mut steps: Vec<Step> = Vec::new();
        for (i, node) in partition.nodes().enumerate() {
            check(&node)?;
            let (x, y) = (node.input_indices()[0], node.output_indices()[0]);
            let x = match position(&results, x) {
                Some(step) => Source::Step(step),
                None => Source::Input(position(partition.inputs(), x).ok_or_else(|| {
                    invalid!("tensor {x} is neither computed in the partition nor one of its inputs")
                })?),
            };
            if let Source::Step(step) = x {
                steps[step].last_reader = Some(i);
            }
            let output = position(partition.outputs(), y);
            steps.push(Step { x, last_reader: None, output, length: 0, kept_at: 0 });
            results.push(y);
        }
        Ok(SinKernel { steps, scratch: None, kept: Vec::new() })
    }
}

impl DelegateKernel for SinKernel {
    fn prepare(&mut self, partition: &PartitionView<'_>, cx: &mut PrepareContext<'_>) -> Result<()> {
        let mut tensors: Vec<TensorView<'_>> = Vec::with_capacity(self.steps.len());
        for step in &mut self.steps {
            let x = match step.x {
                Source::Input(i) => partition.graph().tensor(partition.inputs()[i] as usize)?,
                Source::Step(earlier) => tensors[earlier],
            };
            step.length = x.len();
            if let Some(output) = step.output {
                cx.set_output_shape(output, x.shape)?;
            }
            tensors.push(x);
        }
        self.scratch = self.place_kept(cx)?;
        Ok(())
    }

    fn invoke(&mut self, _: &PartitionView<'_>, cx: &mut EvalContext<'_>) -> Result<()> {
        let kept: &mut [f32] = match &self.scratch {
            Some(scratch) => cx.scratch(scratch)?,
            None => &mut [],
        };
        self.steps.iter().try_for_each(|step| step.run(&self.steps, kept, cx))
    }

    fn plan(&self, notes: &mut PlanNotes<'_>) -> Result<()> {
        let Some(scratch) = &self.scratch else { return Ok(()) };
        self.kept.iter().for_each(|(record, offset)| notes.note(scratch, record, *offset, "a sine"));
        Ok(())
    }
}

impl SinKernel {
    /// Lets the host's planner place the results that a later step reads.
    fn place_kept(&mut self, cx: &mut PrepareContext<'_>) -> Result<Option<Scratch<f32>>> {
        let mut records = Vec::new();
        self.kept.clear();
        for (i, step) in self.steps.iter().enumerate() {
            let Some(last) = step.last_reader else { continue };
            let bytes = (step.length as u64)
                .checked_mul(size_of::<f32>() as u64)
                .ok_or_else(|| invalid!("{} elements are too many", step.length))?;
            records.push(UsageRecord::new(bytes, i as u32, last as u32));
        }
        if records.is_empty() {
            return Ok(None);
        }
        let mut offsets = vec![0; records.len()];
        let bytes = cx.plan(&records, &mut offsets)?;
        let kept = self.steps.iter_mut().filter(|step| step.last_reader.is_some());
        for (step, offset) in kept.zip(&offsets) {
            step.kept_at = *offset as usize / size_of::<f32>();
        }
        self.kept = records.into_iter().zip(offsets).collect();
        cx.scratch(bytes.div_ceil(size_of::<f32>() as u64) as usize).map(Some)
    }
}

/// The elements that a step reads.
enum Elements<'a> {
    OfInput(ReadCells<'a, f32>),
    KeptAt(usize),
}

impl Step {
    fn run(&self, steps: &[Step], kept: &mut [f32], cx: &EvalContext<'_>) -> Result<()> {
        let x = match self.x {
            Source::Input(i) => Elements::OfInput(cx.input_cells::<f32>(i)?),
            Source::Step(earlier) => Elements::KeptAt(steps[earlier].kept_at),
        };
        let y = self.output.map(|o| cx.output_cells::<f32>(o)).transpose()?;
        if let Elements::OfInput(x) = &x {
            self.check_length(x.len())?;
        }
        if let Some(y) = y {
            self.check_length(y.len())?;
        }
        for i in 0..self.length {
            let sine = match &x {
                Elements::OfInput(x) => x.get(i),
                Elements::KeptAt(start) => kept[start + i],
            }
            .sin();
            if self.last_reader.is_some() {
                kept[self.kept_at + i] = sine;
            }
            if let Some(y) = y {
                y[i].set(sine);
            }
        }
        Ok(())
    }

    fn check_length(&self, length: usize) -> Result<()> {
        ensure!(length == self.length, "{length} elements now, {} when it was prepared", self.length);
        Ok(())
    }
}

/// An error says why the node is left to others.
fn check(node: &NodeView<'_>) -> Result<()> {
    let is_custom = node.builtin_code() == BUILTIN_CUSTOM && node.custom_name() == "Sin";
    ensure!(is_custom || node.builtin_code() == op::SIN, "the op is not SIN");
    let (x, y) = node.unary()?;
    ensure!(x.ty == F32 && y.ty == F32, "input is {}, output is {}; only FLOAT32 is taken", x.ty, y.ty);
    ensure!(!x.is_dynamic(), "the input's shape depends on data");
    Ok(())
}

fn position(tensors: &[i32], tensor: i32) -> Option<usize> {
    tensors.iter().position(|&t| t == tensor)
}
