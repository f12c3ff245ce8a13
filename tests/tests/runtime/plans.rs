//! The memory plan with the buffers that delegates report for the inside of their partitions.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use arenite::config::DelegateConfig;
use arenite::plan::validate;
use arenite::{DetailedPlan, Interpreter, Model, Registry};
use arenite_abi::prelude::*;

use crate::models::{dynamic_chain, f32s, model, node};

/// Claims all nodes and computes nothing. The option `report` selects a report about its two scratch buffers of 256 and
/// 512 bytes.
struct Reporting(Report);

#[derive(Clone, Copy, PartialEq)]
enum Report {
    /// Two buffers in the first scratch buffer, nothing about the second.
    Truth,
    Nothing,
    /// Two buffers that are alive together overlap.
    Overlap,
    /// A buffer exceeds its scratch buffer.
    Outside,
    /// One buffer in each scratch buffer.
    Elsewhere,
    /// A buffer is alive for billions of steps.
    Forever,
    /// The report fails.
    Failure,
}

struct ReportingKernel(Report, Vec<Scratch<u8>>);

impl Delegate for Reporting {
    const NAME: &'static str = "reporting";
    type Kernel = ReportingKernel;

    fn create(options: &OptionPairs<'_>) -> Result<Self> {
        Ok(Reporting(match options.get("report") {
            Some("truth") => Report::Truth,
            Some("overlap") => Report::Overlap,
            Some("outside") => Report::Outside,
            Some("elsewhere") => Report::Elsewhere,
            Some("forever") => Report::Forever,
            Some("failure") => Report::Failure,
            _ => Report::Nothing,
        }))
    }

    fn claim(&self, graph: &GraphView<'_>, claims: &mut Claims<'_>) -> Result<()> {
        (0..graph.node_count()).for_each(|node| claims.accept(node));
        Ok(())
    }

    fn compile(&self, _: &PartitionView<'_>) -> Result<ReportingKernel> {
        Ok(ReportingKernel(self.0, Vec::new()))
    }
}

impl DelegateKernel for ReportingKernel {
    fn prepare(&mut self, partition: &PartitionView<'_>, cx: &mut PrepareContext<'_>) -> Result<()> {
        for (i, &tensor) in partition.outputs().iter().enumerate() {
            cx.set_output_shape(i, partition.graph().tensor(tensor as usize)?.shape)?;
        }
        self.1 = vec![cx.scratch::<u8>(256)?, cx.scratch::<u8>(512)?];
        Ok(())
    }

    fn invoke(&mut self, _: &PartitionView<'_>, _: &mut EvalContext<'_>) -> Result<()> {
        Ok(())
    }

    fn plan(&self, notes: &mut PlanNotes<'_>) -> Result<()> {
        let record = |bytes, first, last| UsageRecord::new(bytes, first, last);
        let (small, late) = (record(128, 0, 1), record(64, 2, 3));
        let (second, offset) = match self.0 {
            Report::Nothing => return Ok(()),
            Report::Failure => return Err(invalid!("requested failure")),
            Report::Overlap => (record(64, 1, 3), 64),
            Report::Outside => (late, 256),
            Report::Forever => (record(64, 2, u32::MAX - 1), 0),
            Report::Truth | Report::Elsewhere => (late, 64),
        };
        let scratch = if self.0 == Report::Elsewhere { &self.1[1] } else { &self.1[0] };
        notes.note(&self.1[0], &small, 0, "early");
        notes.note(scratch, &UsageRecord { tensor: 1, ..second }, offset, "late");
        Ok(())
    }
}

static PLUGIN: Plugin = plugin! {
    id: "org.arenite.test.plans",
    description: "A delegate that reports the buffers inside its partitions",
    delegates: [Reporting],
};

/// The plan of `y = −(−x)` of 16 floats on that delegate.
fn plan_with(report: &str) -> DetailedPlan {
    let model = model(|m, g| {
        let x = g.input(f32s("x", &[16]));
        let t = g.tensor(f32s("t", &[16]));
        let y = g.output(f32s("y", &[16]));
        node(m, g, "NEG", &[x], t);
        node(m, g, "NEG", &[t], y);
    });
    let mut registry = Registry::with_static_plugins().expect("they are linked in");
    registry.add_plugin(&PLUGIN).expect("it is sound");
    let mut config = DelegateConfig::new("reporting");
    config.options.push(("report".to_owned(), report.to_owned()));
    let builder = Interpreter::builder(&model).registry(Arc::new(registry)).delegate(config);
    let mut interpreter = builder.build().expect("it builds");
    assert!(interpreter.detailed_plan(0).is_empty());
    interpreter.allocate().expect("it allocates");
    let mut plans = interpreter.detailed_plan(0);
    assert_eq!(plans.len(), 1);
    plans.remove(0)
}

/// Bytes, first step, last step and name of each buffer that is not a tensor.
fn inner(detail: &DetailedPlan) -> Vec<(u64, u32, u32, Option<&str>)> {
    let named = detail.memory.records.iter().zip(&detail.names);
    let inner = named.filter(|(record, name)| record.tensor < 0 || name.is_some());
    inner.map(|(r, name)| (r.size, r.first_node, r.last_node, name.as_deref())).collect()
}

#[test]
fn a_partition_has_the_steps_that_its_kernel_reports() {
    let detail = plan_with("truth");
    assert_eq!(detail.step_count, 4);
    let expected = [(128, 0, 1, Some("early")), (64, 2, 3, Some("late")), (512, 0, 3, None)];
    assert_eq!(inner(&detail), expected);
    // The bound is x, y, the second scratch buffer, and the larger of the two buffers in the first. The plan has all
    // 256 bytes of the first.
    let plan = &detail.memory.plan;
    assert_eq!((plan.lower_bound, plan.total_bytes), (64 + 64 + 512 + 128, 64 + 64 + 512 + 256));
    assert!(!plan.optimal);
    let offset = |name| plan.offsets[detail.names.iter().position(|n| n.as_deref() == Some(name)).unwrap()];
    assert_eq!(offset("late"), offset("early") + 64);
}

#[test]
fn an_impossible_report_is_shown_as_whole_scratch_buffers() {
    let whole = [(256, 0, 0, None), (512, 0, 0, None)];
    for report in ["nothing", "overlap", "outside", "forever", "failure"] {
        let detail = plan_with(report);
        assert_eq!((inner(&detail).as_slice(), detail.step_count), (&whole[..], 1), "{report}");
    }
    // Each scratch buffer is checked on its own.
    let apart = [(128, 0, 1, Some("early")), (64, 2, 3, Some("late"))];
    assert_eq!(inner(&plan_with("elsewhere")), apart);
}

fn digits(file: &str) -> Model {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/digits");
    Model::from_file(folder.join(file)).expect("it exists")
}

/// Checks that buffers do not overlap while both are alive, and that they fit into the plan's total.
fn check(detail: &DetailedPlan) {
    let memory = &detail.memory;
    // Buffers placed by earlier segments have no record here.
    let mut offsets: Vec<u64> = memory.buffers.iter().map(|buffer| buffer.fixed().unwrap_or(0)).collect();
    for (&(buffer, at), offset) in memory.places.iter().zip(&memory.plan.offsets) {
        offsets[buffer] = offset - at;
    }
    let total = validate(&memory.buffers, &offsets).expect("the plan is valid");
    assert!(total <= memory.plan.total_bytes && memory.plan.lower_bound <= memory.plan.total_bytes);
    let (records, steps, names) = (&memory.records, &detail.steps, &detail.names);
    assert_eq!(
        (steps.len(), names.len(), memory.places.len()),
        (records.len(), records.len(), records.len())
    );
    assert!(records.iter().all(|record| record.first_node < detail.step_count));
}

#[test]
fn the_cpu_delegate_reports_its_buffers_with_every_planner() {
    let registry = Arc::new(Registry::with_static_plugins().expect("they are linked in"));
    for (model, planner) in ["digits_f32.tflite", "digits_i8.tflite"]
        .into_iter()
        .flat_map(|file| registry.planner_names().into_iter().map(move |planner| (digits(file), planner)))
    {
        let builder = Interpreter::builder(&model).registry(Arc::clone(&registry)).planner(&planner);
        let mut interpreter = builder.build().expect("it builds");
        let planned = interpreter.plan_subgraph(0).expect("it can be planned")[0].plan.total_bytes;
        let detail = interpreter.detailed_plan(0).remove(0);
        check(&detail);
        let inside = detail.names.iter().flatten().count();
        assert!(inside >= 10 && detail.step_count >= 10, "{planner}: {inside} in {}", detail.step_count);
        assert_eq!(detail.memory.plan.total_bytes, planned);
        interpreter.allocate().and_then(|()| interpreter.invoke()).expect("it runs");
        let used = interpreter.memory_use();
        assert_eq!((used.arena, used.lower_bound), (planned, detail.memory.plan.lower_bound), "{planner}");
        assert!(interpreter.planning_time() > Duration::ZERO);
    }
}

#[test]
fn steps_are_counted_over_all_segments() {
    let model = dynamic_chain(2, &[3]);
    let mut interpreter = Interpreter::builder(&model).threads(1).build().expect("it builds");
    interpreter.allocate().expect("it allocates");
    assert_eq!(interpreter.detailed_plan(0).len(), 1);
    interpreter.input_mut(1).unwrap().copy_from_slice(&[2, 3]).unwrap();
    interpreter.invoke().expect("it runs");
    let plans = interpreter.detailed_plan(0);
    assert_eq!(plans.len(), interpreter.memory_plan().len());
    plans.iter().for_each(check);
    let last = plans.last().unwrap();
    assert!(plans.len() > 1 && last.memory.records.iter().all(|record| record.first_node > 0));
}

#[test]
fn a_planner_stops_at_its_time_limit() {
    let model = digits("digits_f32.tflite");
    let builder = Interpreter::builder(&model).planner("portfolio").planning_time(Duration::from_nanos(1));
    let mut interpreter = builder.build().expect("it builds");
    interpreter.allocate().expect("the planner returns its best plan");
    interpreter.detailed_plan(0).iter().for_each(check);
}
