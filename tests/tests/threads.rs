//! Models that run at the same time, with several threads each, give the results of one thread. `tests/fuzz/races.sh`
//! runs this under ThreadSanitizer.

use arenite::config::DelegateConfig;
use arenite::{Interpreter, Model};
use arenite_tests::differential::draw;

/// The number of threads that run models at the same time.
const AT_ONCE: u64 = 4;
/// The number of graphs that each of them runs.
const GRAPHS: usize = 12;

/// The outputs of two invocations; `None` if the graph fails to build.
fn outputs(model: &Model, delegate: Option<&str>, threads: usize) -> Option<Vec<Vec<u8>>> {
    let builder = Interpreter::builder(model).threads(threads);
    let builder = match delegate {
        Some(name) => builder.delegate(DelegateConfig::new(name)),
        None => builder.without_default_delegate(),
    };
    let mut interpreter = builder.build().ok()?;
    interpreter.allocate().ok()?;
    let mut all = Vec::new();
    for _ in 0..2 {
        for i in 0..interpreter.input_count() {
            if let Ok(bytes) = interpreter.input_mut(i).and_then(|input| input.into_bytes()) {
                bytes.iter_mut().enumerate().for_each(|(i, byte)| *byte = (i % 60) as u8);
            }
        }
        interpreter.invoke().ok()?;
        for i in 0..interpreter.output_count() {
            all.push(interpreter.output(i).and_then(|output| Ok(output.bytes()?.to_vec())).ok()?);
        }
    }
    Some(all)
}

#[test]
fn concurrent_models_give_the_results_of_one_thread() {
    let valid = (0..).map(draw).filter(|graph| graph.spoilt.is_none()).take(GRAPHS);
    let models: Vec<Model> = valid.filter_map(|graph| Model::from_bytes(graph.model.finish()).ok()).collect();
    for delegate in [None, Some("cpu")] {
        let want: Vec<_> = models.iter().map(|model| outputs(model, delegate, 1)).collect();
        assert!(want.iter().flatten().count() > GRAPHS / 2, "fewer than half of the graphs run");
        std::thread::scope(|scope| {
            for first in 0..AT_ONCE as usize {
                let (models, want) = (&models, &want);
                scope.spawn(move || {
                    for k in 0..models.len() {
                        let at = (k + first) % models.len();
                        assert_eq!(outputs(&models[at], delegate, 3), want[at], "graph {at}, {delegate:?}");
                    }
                });
            }
        });
    }
}
