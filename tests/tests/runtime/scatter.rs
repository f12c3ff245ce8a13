//! SCATTER_ND on the CPU delegate: sums and errors match the reference op's.

use arenite::model_file::{tensor_type::INT32, writer::Tensor};
use arenite::{Interpreter, Model};
use arenite_tests::reference_ops;

use crate::models::{f32s, list, message, model, node};

/// `y = −scatter(indices, updates)`, for tensors of these shapes.
fn scatter(indices: [i32; 2], updates: [i32; 2], y: &[i32]) -> Model {
    model(|m, g| {
        let indices = g.input(Tensor::new("indices", INT32, &indices));
        let updates = g.input(f32s("updates", &updates));
        let shape = list(m, g, "shape", y);
        let (sums, y) = (g.tensor(f32s("sums", y)), g.output(f32s("y", y)));
        node(m, g, "SCATTER_ND", &[indices, updates, shape], sums);
        node(m, g, "NEG", &[sums], y);
    })
}

/// Rows of 3 elements at `[2, 5]` places.
fn rows() -> Model {
    scatter([4, 2], [4, 3], &[2, 5, 3])
}

fn run(mut interpreter: Interpreter, indices: &[i32]) -> arenite::Result<Vec<f32>> {
    interpreter.allocate()?;
    interpreter.input_mut(0)?.copy_from_slice(indices)?;
    let updates = interpreter.input_mut(1)?.into_slice::<f32>()?.iter_mut();
    updates.enumerate().for_each(|(i, update)| *update = 0.1 * (i % 4099) as f32 - 0.3);
    interpreter.invoke()?;
    Ok(interpreter.output(0)?.as_slice::<f32>()?.to_vec())
}

#[test]
fn updates_of_one_place_are_added() {
    let model = rows();
    let mut interpreter = Interpreter::builder(&model).build().unwrap();
    assert_eq!(interpreter.preview_delegates(0).unwrap()[0].partitions, [[0, 1]]);
    let indices = [1, 4, 0, 2, 1, 4, 1, 4];
    let got = run(interpreter, &indices).unwrap();
    assert_eq!(got, run(reference_ops(&model).build().unwrap(), &indices).unwrap());
    assert!(got[9..27].iter().all(|&sum| sum == 0.0) && got[28] != 0.0, "{got:?}");
}

/// Slices so long that two threads share them, and more updates than are added before cancellation is polled.
#[test]
fn many_updates_of_long_slices_are_added_in_order() {
    let model = scatter([1100, 1], [1100, 4100], &[3, 4100]);
    let indices: Vec<i32> = (0..1100).map(|i| i * i % 3).collect();
    let mut interpreter = Interpreter::builder(&model).threads(2).build().unwrap();
    assert_eq!(interpreter.preview_delegates(0).unwrap()[0].partitions, [[0, 1]]);
    let got = run(interpreter, &indices).unwrap();
    let want = run(reference_ops(&model).build().unwrap(), &indices).unwrap();
    let differ = got.iter().zip(&want).position(|(got, want)| got.to_bits() != want.to_bits());
    assert_eq!(differ.map(|i| (i, got[i], want[i])), None);
    assert_eq!(got.len(), want.len());
    assert!(got[..8200].iter().all(|&sum| sum != 0.0) && got[8200..].iter().all(|&sum| sum == 0.0));
}

#[test]
fn indices_beyond_an_axis_are_errors() {
    let model = rows();
    for (at, index, size) in [(2, 2, 2), (5, 5, 5), (6, -1, 2), (7, i32::MIN, 5)] {
        let mut indices = [0; 8];
        indices[at] = index;
        let found = message(run(Interpreter::builder(&model).build().unwrap(), &indices));
        let wanted = format!("index {index} at position {at} of 'indices' is out of bounds for 0..{size}");
        assert!(found.contains(&wanted), "{found}");
        let found = message(run(reference_ops(&model).build().unwrap(), &indices));
        assert!(found.contains(&wanted), "{found}");
    }
}
