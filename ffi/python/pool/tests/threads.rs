//! The pool with interpreters of a real model. README.md runs this under ThreadSanitizer.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use arenite::{Interpreter, Model};
use arenite_builtin as _;
use arenite_pool::{Forks, Pool};

const THREADS: usize = 8;
/// Ops are slow without optimization.
const CALLS: usize = if cfg!(debug_assertions) { 30 } else { 1000 };

fn interpreter(model: &Model) -> arenite::Result<Interpreter> {
    let mut interpreter = Interpreter::builder(model).threads(1).build()?;
    interpreter.allocate()?;
    Ok(interpreter)
}

/// The probabilities for a picture of one shade.
fn classify(interpreter: &mut Interpreter, shade: f32) -> arenite::Result<Vec<f32>> {
    interpreter.input_mut(0)?.into_slice::<f32>()?.fill(shade);
    interpreter.invoke()?;
    Ok(interpreter.output(0)?.as_slice::<f32>()?.to_vec())
}

#[test]
fn many_threads_call_one_model() {
    let digits = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/digits/digits_f32.tflite");
    let model = Model::from_file(digits).expect("the model is valid");
    let pool = Pool::new(interpreter(&model).expect("it runs"), || 0);
    let call = |shade| pool.with(|| interpreter(&model), |interpreter| classify(interpreter, shade));
    thread::scope(|scope| {
        for number in 0..THREADS {
            let shade = number as f32 / THREADS as f32 - 0.5;
            let expected = call(shade).expect("the call succeeds");
            scope.spawn(move || {
                for _ in 0..CALLS {
                    assert_eq!(call(shade).expect("the call succeeds"), expected);
                }
            });
        }
    });
    assert!((1..=THREADS).contains(&pool.idle()));
}

/// Loom lets readers pass a writer that waits; the system's locks do not.
#[test]
fn work_within_work_does_not_wait_for_a_fork() {
    let (forks, (done, wait)) = (Arc::new(Forks::new()), channel());
    thread::spawn(move || {
        let forking = Arc::clone(&forks);
        forks.delay(|| {
            thread::spawn(move || drop(forking.begin()));
            // Time for the fork to begin to wait. With less, the test passes without a reason.
            thread::sleep(Duration::from_millis(100));
            forks.delay(|| done.send(()).expect("it is received"));
        });
    });
    wait.recv_timeout(Duration::from_secs(10)).expect("the work goes on");
}
