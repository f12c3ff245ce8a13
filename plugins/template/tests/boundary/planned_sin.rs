//! The template's delegate `sin`, with results in scratch memory that the host's planner lays out. It keeps a result
//! only as long as later steps read it.
//!
//! ```text
//! partition:   x ─► Sin ─► a ─► Sin ─► y          a is in scratch memory; the planner chooses the place
//!                          └──► Sin ─► z
//! ```

use arenite_abi::prelude::*;
use arenite_abi::raw::BUILTIN_CUSTOM;

/// The delegate `sin`.
pub(crate) struct PlannedSin {
    max_nodes: usize,
}

/// A compiled partition.
pub(crate) struct PlannedKernel {
    steps: Vec<Step>,
    scratch: Option<Scratch<f32>>,
    /// The lifetime and the offset of each kept result.
    kept: Vec<(UsageRecord, u64)>,
}

/// One node of the partition.
struct Step {
    x: Source,
    /// The last step that reads the result; until then it is kept. `None` if no step reads it.
    last_reader: Option<usize>,
    /// The partition output that holds the result, if any.
    output: Option<usize>,
    /// The number of elements, and their offset in the scratch memory. Both are set by `prepare`.
    length: usize,
    kept_at: usize,
}

/// The source of a step's input.
#[derive(Clone, Copy)]
enum Source {
    /// An input of the partition.
    Input(usize),
    /// The result of an earlier step.
    Step(usize),
}

impl Delegate for PlannedSin {
    const NAME: &'static str = "sin";
    type Kernel = PlannedKernel;

    fn create(options: &OptionPairs<'_>) -> Result<Self> {
        options.expect_only(&["max_nodes"])?;
        Ok(PlannedSin { max_nodes: options.parse("max_nodes", usize::MAX)? })
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

    /// Each result has the shape of the step's input, whatever shape the model declares.
    fn vouch(&self, node: &NodeView<'_>) -> bool {
        check(node).is_ok()
    }

    fn compile(&self, partition: &PartitionView<'_>) -> Result<PlannedKernel> {
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
        Ok(PlannedKernel { steps, scratch: None, kept: Vec::new() })
    }
}

impl DelegateKernel for PlannedKernel {
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

impl PlannedKernel {
    /// Lets the host's planner place the results that later steps read.
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
        ensure!(length == self.length, "{length} elements, but {} when it was prepared", self.length);
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

fn position(tensors: &[i32], tensor: i32) -> Option<usize> {
    tensors.iter().position(|&t| t == tensor)
}
