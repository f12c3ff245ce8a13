//! A delegate with its own device, simulated in host memory: the devices it lists, its facts, its quota, and values
//! that stay on the device.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use arenite::config::{DelegateConfig, OnFailure};
use arenite::{
    Config, DelegateDevices, DeviceInfo, Fact, FactValue, Interpreter, Lifetimes, Model, Quota, Registry,
};
use arenite_abi::prelude::*;

use crate::models::{f32s, message, model, negation, node, output};

/// The device's memory: tensors that partitions keep, by handle. The partitions of one interpreter share it.
type Kept = Arc<Mutex<HashMap<u64, Vec<f32>>>>;

/// Runs NEG and ADD, and keeps every output on the device if permitted.
struct Far {
    kept: Kept,
    /// The index of the first read that fails.
    lost: usize,
}

struct FarKernel {
    kept: Kept,
    lost: usize,
    reads: usize,
    /// Per node: the tensors that it reads (one for NEG, two for ADD), and the one that it writes.
    nodes: Vec<(Vec<i32>, i32)>,
    inputs: Vec<i32>,
    outputs: Vec<i32>,
    /// Bytes transferred to the device and from it in the last invocation.
    up: u64,
    down: u64,
}

fn list(notes: &mut DeviceNotes<'_>) -> Result<()> {
    let near = Device { name: "Near", driver: "Example 1.0", kind: "cpu", memory: 1 << 20 };
    notes.note(&near, &[("work-group", "64"), ("image", "16384")]);
    notes.note(&Device { name: "Far", memory: 0, ..near }, &[]);
    Ok(())
}

impl Delegate for Far {
    const NAME: &'static str = "far";
    const DEVICES: Option<arenite_abi::ListDevices> = Some(list);
    const KEEPS_OUTPUTS: bool = true;
    type Kernel = FarKernel;

    fn create(options: &OptionPairs<'_>) -> Result<Self> {
        Ok(Far { kept: Kept::default(), lost: options.parse("lost", usize::MAX)? })
    }

    fn claim(&self, graph: &GraphView<'_>, claims: &mut Claims<'_>) -> Result<()> {
        for (i, node) in graph.nodes().enumerate() {
            match node.builtin_code() {
                op::NEG | op::ADD => claims.accept(i),
                _ => claims.refuse(i, "it is neither NEG nor ADD"),
            }
        }
        Ok(())
    }

    fn compile(&self, partition: &PartitionView<'_>) -> Result<FarKernel> {
        let nodes = partition.nodes().map(|node| (node.input_indices().to_vec(), node.output_indices()[0]));
        Ok(FarKernel {
            kept: Arc::clone(&self.kept),
            lost: self.lost,
            reads: 0,
            nodes: nodes.collect(),
            inputs: partition.inputs().to_vec(),
            outputs: partition.outputs().to_vec(),
            up: 0,
            down: 0,
        })
    }
}

impl DelegateKernel for FarKernel {
    fn prepare(&mut self, partition: &PartitionView<'_>, cx: &mut PrepareContext<'_>) -> Result<()> {
        let mut bytes = 0;
        for (i, &tensor) in self.outputs.iter().enumerate() {
            let tensor = partition.graph().tensor(tensor as usize)?;
            cx.set_output_shape(i, tensor.shape)?;
            bytes += tensor.len() as u64 * 4;
        }
        cx.held_on_device().hold(bytes)
    }

    fn invoke(&mut self, _: &PartitionView<'_>, cx: &mut EvalContext<'_>) -> Result<()> {
        let mut values: HashMap<i32, Vec<f32>> = HashMap::new();
        (self.up, self.down) = (0, 0);
        let mut kept = self.kept.lock().expect("no panic");
        for (i, &tensor) in self.inputs.iter().enumerate() {
            let value = match cx.kept_input(i)? {
                Some(handle) => {
                    assert!(cx.input(i).is_err(), "the data of a value on the device is readable");
                    kept[&handle].clone()
                }
                None => {
                    let value = cx.input(i)?.as_slice::<f32>()?.to_vec();
                    self.up += value.len() as u64 * 4;
                    value
                }
            };
            values.insert(tensor, value);
        }
        for (inputs, output) in &self.nodes {
            let y = match inputs[..] {
                [x] => values[&x].iter().map(|x| -x).collect(),
                _ => values[&inputs[0]].iter().zip(&values[&inputs[1]]).map(|(a, b)| a + b).collect(),
            };
            values.insert(*output, y);
        }
        for (i, tensor) in self.outputs.iter().enumerate() {
            let value = values.remove(tensor).expect("a node writes it");
            match cx.keeps() {
                true => {
                    kept.insert(*tensor as u64, value);
                    cx.keep_output(i, *tensor as u64)?;
                }
                false => {
                    cx.output(i)?.into_slice::<f32>()?.copy_from_slice(&value);
                    self.down += value.len() as u64 * 4;
                }
            }
        }
        if let Some(times) = cx.profile() {
            times.note(0, "all of it", None, 2_000);
        }
        Ok(())
    }

    fn facts(&self, notes: &mut FactNotes<'_>) -> Result<()> {
        notes.number("to the device", self.up, "bytes");
        notes.number("from the device", self.down, "bytes");
        notes.text("device", "Far");
        Ok(())
    }

    fn read(&mut self, handle: u64, data: &mut [u8]) -> Result<()> {
        self.reads += 1;
        if self.reads > self.lost {
            return Err(unavailable!("the device is lost"));
        }
        for (to, from) in data.chunks_exact_mut(4).zip(&self.kept.lock().expect("no panic")[&handle]) {
            to.copy_from_slice(&from.to_le_bytes());
        }
        self.down += data.len() as u64;
        Ok(())
    }
}

fn registry() -> Arc<Registry> {
    let mut registry = Registry::discover(&Config::default()).expect("the built-in plugins");
    registry.add_delegate("far", Far::create).expect("the name is free");
    Arc::new(registry)
}

fn far(options: &[(&str, &str)]) -> DelegateConfig {
    let mut delegate = DelegateConfig::new("far");
    delegate.options = options.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    delegate
}

fn builder(model: &Model, delegate: DelegateConfig) -> arenite::InterpreterBuilder {
    let builder = Interpreter::builder(model).without_default_delegate();
    builder.delegate(delegate).registry(registry())
}

const X: [f32; 3] = [1.0, -2.0, 3.5];

fn run(interpreter: &mut Interpreter) -> Vec<f32> {
    interpreter.input_mut(0).and_then(|x| x.copy_from_slice(&X)).expect("three floats");
    interpreter.invoke().expect("it runs");
    output(interpreter, 0).1
}

/// Bytes transferred in the last invocation, per partition: to the device and from it.
fn crossings(interpreter: &Interpreter) -> Vec<[u64; 2]> {
    let number = |fact: &Fact| match fact.value {
        FactValue::Number(value, _) => value,
        FactValue::Text(_) => panic!("{fact:?}"),
    };
    interpreter.facts().iter().map(|told| [number(&told.facts[0]), number(&told.facts[1])]).collect()
}

/// `y = |−x| + −x`, with an output in between.
fn adjoining(outputs: &[&str]) -> Model {
    model(|m, g| {
        let x = g.input(f32s("x", &[3]));
        let (n, a) = (g.tensor(f32s("n", &[3])), g.tensor(f32s("a", &[3])));
        let y = g.output(f32s("y", &[3]));
        let z = outputs.contains(&"z").then(|| g.output(f32s("z", &[3])));
        node(m, g, "NEG", &[x], n);
        node(m, g, "ABS", &[x], a);
        node(m, g, "ADD", &[n, a], y);
        z.into_iter().for_each(|z| node(m, g, "ABS", &[n], z));
    })
}

/// `y = −|−x|`.
fn around_the_host() -> Model {
    model(|m, g| {
        let x = g.input(f32s("x", &[3]));
        let (n, a) = (g.tensor(f32s("n", &[3])), g.tensor(f32s("a", &[3])));
        let y = g.output(f32s("y", &[3]));
        node(m, g, "NEG", &[x], n);
        node(m, g, "ABS", &[n], a);
        node(m, g, "NEG", &[a], y);
    })
}

#[test]
fn a_registry_lists_the_devices_of_its_delegates() {
    let limits = [("work-group", "64"), ("image", "16384")];
    let near = DeviceInfo {
        name: "Near".into(),
        driver: "Example 1.0".into(),
        kind: "cpu".into(),
        memory: Some(1 << 20),
        limits: limits.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec(),
    };
    let far = DeviceInfo { name: "Far".into(), memory: None, limits: Vec::new(), ..near.clone() };
    let listed = registry().devices();
    assert_eq!(listed, [DelegateDevices { delegate: "far".into(), devices: Ok(vec![near, far]) }]);
}

/// Transfers of 3 floats: inputs that are on the host, and outputs that the host needs.
#[test]
fn values_stay_on_the_device_between_partitions_of_one_delegate() {
    for (what, model, want, crossed) in [
        ("two adjacent partitions", adjoining(&[]), [0.0, 4.0, 0.0], vec![[12, 0], [12, 12]]),
        ("the host reads one, too", adjoining(&["z"]), [0.0, 4.0, 0.0], vec![[12, 12], [12, 12]]),
        ("a host node in between", around_the_host(), [-1.0, -2.0, -3.5], vec![[12, 12], [12, 12]]),
        ("one partition", negation(&[3]), [-1.0, 2.0, -3.5], vec![[12, 12]]),
    ] {
        let mut interpreter = builder(&model, far(&[])).build().expect("it builds");
        interpreter.allocate().expect("it allocates");
        for _ in 0..3 {
            assert_eq!(run(&mut interpreter), want, "{what}");
            assert_eq!(crossings(&interpreter), crossed, "{what}");
        }
        if what == "the host reads one, too" {
            assert_eq!(output(&interpreter, 1).1, [1.0, 2.0, 3.5], "{what}");
        }
        assert_eq!(interpreter.facts()[0].facts[2].value, FactValue::Text("Far".into()));
    }
}

/// The tensor `n` is not an output, and the host did not read it.
#[test]
fn a_value_left_on_the_device_is_readable_only_with_preserve_all() {
    let model = adjoining(&[]);
    let mut interpreter = builder(&model, far(&[])).build().expect("it builds");
    interpreter.allocate().expect("it allocates");
    run(&mut interpreter);
    let error = message(interpreter.tensor(1).and_then(|n| n.as_slice::<f32>().map(<[f32]>::to_vec)));
    assert!(error.contains("its value stayed on its delegate's device"), "{error}");

    let lifetimes = Lifetimes { preserve_all: true, ..Lifetimes::default() };
    let mut preserved = builder(&model, far(&[])).lifetimes(lifetimes).build().expect("it builds");
    preserved.allocate().expect("it allocates");
    run(&mut preserved);
    let n = preserved.tensor(1).and_then(|n| n.as_slice::<f32>().map(<[f32]>::to_vec)).expect("it exists");
    assert_eq!(n, [-1.0, 2.0, -3.5]);
}

#[test]
fn an_observer_sees_all_outputs() {
    let mut interpreter = builder(&adjoining(&[]), far(&[])).build().expect("it builds");
    interpreter.allocate().expect("it allocates");
    let seen: Arc<Mutex<Vec<f32>>> = Arc::default();
    let kept = Arc::clone(&seen);
    interpreter.set_observer(move |observed| {
        if let (arenite::Moment::After, [1]) = (observed.moment, observed.outputs()) {
            let n = observed.tensor(1).and_then(|n| n.as_slice::<f32>().map(<[f32]>::to_vec));
            *kept.lock().expect("no panic") = n.expect("it exists");
        }
    });
    assert_eq!(run(&mut interpreter), [0.0, 4.0, 0.0]);
    assert_eq!(*seen.lock().expect("no panic"), [-1.0, 2.0, -3.5]);
}

/// The device fails when a value is transferred back: with fallback, the invocation runs again without the delegate.
#[test]
fn a_device_may_be_lost_while_a_value_is_read_back() {
    for model in [adjoining(&[]), around_the_host()] {
        let mut interpreter = builder(&model, far(&[("lost", "0")])).build().expect("it builds");
        interpreter.allocate().expect("it allocates");
        interpreter.input_mut(0).and_then(|x| x.copy_from_slice(&X)).expect("three floats");
        assert_eq!(message(interpreter.invoke()), "delegate 'far': the device is lost");

        let mut delegate = far(&[("lost", "0")]);
        delegate.on_failure = OnFailure::Fallback;
        let mut interpreter = builder(&model, delegate).build().expect("it builds");
        interpreter.allocate().expect("it allocates");
        let mut alone = Interpreter::builder(&model).without_default_delegate().build().expect("it builds");
        alone.allocate().expect("it allocates");
        assert_eq!(run(&mut interpreter), run(&mut alone));
        assert_eq!(interpreter.left_out()[0].reason, "delegate 'far': the device is lost");
    }
}

#[test]
fn device_memory_has_its_own_quota() {
    let model = adjoining(&[]);
    let with = |device_bytes| {
        let quota = Quota { device_bytes, ..Quota::default() };
        let mut interpreter = builder(&model, far(&[])).quota(quota).build().expect("it builds");
        interpreter.allocate().expect("it runs without the delegate");
        interpreter
    };
    let enough = with(24);
    assert_eq!((enough.left_out().len(), enough.memory_use().device), (0, 24));
    let mut less = with(23);
    assert_eq!(
        less.left_out()[0].reason,
        "delegate far (node 2, output 'y'): what delegate 'far' holds on its device needs 24 bytes, \
         the quota is 23; raise `device_bytes` in [quota] if that is right"
    );
    assert_eq!(run(&mut less), [0.0, 4.0, 0.0]);
}

#[test]
fn step_times_of_a_delegate_are_parts_of_its_row() {
    let mut interpreter = builder(&negation(&[3]), far(&[])).build().expect("it builds");
    interpreter.allocate().expect("it allocates");
    interpreter.start_profile();
    run(&mut interpreter);
    let parts = &interpreter.profile().expect("it was started").rows()[0].parts;
    assert_eq!((parts[0].op.as_str(), parts[0].total.as_nanos()), ("all of it", 2000));
}
