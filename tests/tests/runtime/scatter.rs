//! SCATTER_ND on the CPU delegate: sums and errors match the reference op's.

use arenite::model_file::{tensor_type::INT32, writer::Tensor};
use arenite::{Interpreter, Model};
use arenite_tests::reference_ops;

use crate::models::{f32s, list, message, model, node};

/// `y = −scatter(indices, updates)` with rows of 3 elements at `[2, 5]` places.
fn scatter() -> Model {
    model(|m, g| {
        let indices = g.input(Tensor::new("indices", INT32, &[4, 2]));
        let updates = g.input(f32s("updates", &[4, 3]));
        let shape = list(m, g, "shape", &[2, 5, 3]);
        let (sums, y) = (g.tensor(f32s("sums", &[2, 5, 3])), g.output(f32s("y", &[2, 5, 3])));
        node(m, g, "SCATTER_ND", &[indices, updates, shape], sums);
        node(m, g, "NEG", &[sums], y);
    })
}

fn run(mut interpreter: Interpreter, indices: [i32; 8]) -> arenite::Result<Vec<f32>> {
    interpreter.allocate()?;
    interpreter.input_mut(0)?.copy_from_slice(&indices)?;
    let updates: [f32; 12] = std::array::from_fn(|i| 0.1 * i as f32 - 0.3);
    interpreter.input_mut(1)?.copy_from_slice(&updates)?;
    interpreter.invoke()?;
    Ok(interpreter.output(0)?.as_slice::<f32>()?.to_vec())
}

#[test]
fn updates_of_one_place_are_added() {
    let model = scatter();
    let mut interpreter = Interpreter::builder(&model).build().unwrap();
    assert_eq!(interpreter.preview_delegates(0).unwrap()[0].partitions, [[0, 1]]);
    let indices = [1, 4, 0, 2, 1, 4, 1, 4];
    let got = run(interpreter, indices).unwrap();
    assert_eq!(got, run(reference_ops(&model).build().unwrap(), indices).unwrap());
    assert!(got[9..27].iter().all(|&sum| sum == 0.0) && got[28] != 0.0, "{got:?}");
}

#[test]
fn indices_beyond_an_axis_are_errors() {
    let model = scatter();
    for (at, index, size) in [(2, 2, 2), (5, 5, 5), (6, -1, 2), (7, i32::MIN, 5)] {
        let mut indices = [0; 8];
        indices[at] = index;
        let found = message(run(Interpreter::builder(&model).build().unwrap(), indices));
        let wanted = format!("index {index} at position {at} of 'indices' is out of bounds for 0..{size}");
        assert!(found.contains(&wanted), "{found}");
        let found = message(run(reference_ops(&model).build().unwrap(), indices));
        assert!(found.contains(&wanted), "{found}");
    }
}
