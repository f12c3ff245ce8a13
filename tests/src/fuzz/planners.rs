//! A planner whose answer comes from the bytes: the host must refuse a wrong plan, and results must not depend on an
//! accepted one. On the reference ops the bytes must be the same. The CPU delegate chooses algorithms by the memory of
//! the plan, which may change the order of float sums, so there bytes are compared only if the model has no floats.

use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

use arenite::config::DelegateConfig;
use arenite::{Interpreter, Model, Registry};
use arenite_abi::{AssignmentMut, PlanRequest};

use super::backends::{Answer, Traits, large};
use super::{generate, quota};
use crate::differential::random::Random;

thread_local! {
    static SCRIPT: RefCell<Random> = RefCell::new(Random::new(0));
}

/// Offsets or objects: a plan without overlaps, with a few changes, or arbitrary numbers.
fn plan(request: &PlanRequest<'_>, answer: &mut AssignmentMut<'_>) -> arenite_abi::Result<()> {
    const ODD: [u64; 8] = [0, 64, 32, 1, 1 << 12, 1 << 40, u64::MAX, u64::MAX - 63];
    SCRIPT.with_borrow_mut(|random| {
        let n = request.records.len();
        if random.below(4) == 0 {
            let count = random.below(n + 1);
            let (ids, sizes) = answer.objects(count)?;
            for (id, record) in ids.iter_mut().zip(request.records) {
                *id = random.below(count + 1) as u32;
                if let Some(size) = sizes.get_mut(*id as usize) {
                    *size = if random.below(4) > 0 { (*size).max(record.size) } else { random.pick(&ODD) };
                }
            }
            return Ok(());
        }
        let mut end = 0;
        for (offset, record) in answer.offsets().iter_mut().zip(request.records) {
            let right = record.fixed().unwrap_or(end);
            *offset = match random.below(5) {
                0 => random.pick(&ODD),
                1 => right.saturating_sub(64),
                _ => right,
            };
            end = (right.max(end) + record.size).next_multiple_of(record.alignment.max(64));
        }
        if random.below(2) == 0 {
            answer.set_optimal();
        }
        if random.below(8) == 0 { Err(arenite_abi::invalid!("requested failure")) } else { Ok(()) }
    })
}

fn registry() -> Arc<Registry> {
    static REGISTRY: OnceLock<Arc<Registry>> = OnceLock::new();
    let make = || {
        let mut registry = Registry::new();
        for plugin in crate::plugins() {
            registry.add_plugin(plugin).expect("the plugins are well formed");
        }
        registry.add_planner("liar", plan).expect("the name is free");
        Arc::new(registry)
    };
    Arc::clone(REGISTRY.get_or_init(make))
}

/// Uses the bytes to choose a model and as the planner's answers.
pub(super) fn lies(bytes: &[u8]) {
    let mut random = Random::of_bytes(bytes);
    let sounds = generate::sounds();
    let model = match random.below(2) {
        0 => sounds[random.below(sounds.len())].model.clone(),
        _ => crate::differential::draw(random.below(64) as u64).model,
    };
    let Ok(model) = Model::from_bytes(model.finish()) else { return };
    let with_cpu = random.chance(40);
    SCRIPT.set(random);
    if with_cpu && Traits::of(&model.view()).floats {
        run(&model, with_cpu);
        return;
    }
    let Some(outputs) = run(&model, with_cpu) else { return };
    let delegate = if with_cpu { Some("cpu") } else { None };
    if let Answer::Outputs([want, _]) = large(&model, delegate) {
        let want: Vec<Vec<u8>> = want.into_iter().map(|(_, _, bytes)| bytes).collect();
        // Random numbers and the process's hash tables differ from run to run.
        if want != outputs
            && matches!(large(&model, delegate), Answer::Outputs([again, _]) if again.iter().map(|a| &a.2).eq(&want))
        {
            panic!("an accepted plan changes the results: {outputs:?}, expected {want:?}");
        }
    }
}

/// The outputs of one invocation, if the plan is accepted.
fn run(model: &Model, with_cpu: bool) -> Option<Vec<Vec<u8>>> {
    let builder = Interpreter::builder(model).registry(registry()).threads(1).quota(quota()).planner("liar");
    let builder = match with_cpu {
        true => builder.delegate(DelegateConfig::new("cpu")),
        false => builder.without_default_delegate(),
    };
    let mut interpreter = builder.build().ok()?;
    interpreter.allocate().ok()?;
    for i in 0..interpreter.input_count() {
        if let Ok(input) = interpreter.input_mut(i) {
            let ty = input.tensor().ty as i32;
            if ty != arenite_model::tensor_type::STRING
                && let Ok(bytes) = input.into_bytes()
            {
                super::backends::fill(bytes, ty, 0);
            }
        }
    }
    interpreter.invoke().ok()?;
    let output = |i| interpreter.output(i).and_then(|output| Ok(output.bytes()?.to_vec())).ok();
    (0..interpreter.output_count()).map(output).collect()
}
