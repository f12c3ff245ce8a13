//! EMBEDDING_LOOKUP of tables of few bits: the CPU delegate gives the reference op's bits.

use arenite::model_file::tensor_type::{FLOAT16, INT2, INT4, INT8, INT32, UINT8};
use arenite::model_file::writer::{Tensor, bytes_of};
use arenite::{Interpreter, Model};
use arenite_tests::reference_ops;

use crate::models::{f32s, message, model, node};

const ROWS: i32 = 9;

/// How a table is scaled.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scales {
    Tensor,
    Rows,
    /// A scale for this many elements of a row.
    Blocks(i32),
}

/// `y = −table[indices]`, with rows of `columns` elements. If the table `is_shared`, a sum reads it too, and the
/// delegate holds its bytes as `q + 128`.
fn lookup(ty: i32, columns: i32, scales: Scales, is_shared: bool) -> Model {
    model(|m, g| {
        let indices = g.input(Tensor::new("indices", INT32, &[4]));
        let bits = match ty {
            INT2 => 2,
            INT4 => 4,
            _ => 8,
        };
        let bytes: Vec<u8> = (0..(ROWS * columns * bits + 7) / 8).map(|i| (i * 37 % 251) as u8).collect();
        let buffer = m.buffer(bytes);
        let table = Tensor::new("table", ty, &[ROWS, columns]).buffer(buffer);
        let numbers: Vec<f32> = (1..=ROWS).map(|i| i as f32 / 57.0).collect();
        let table = match scales {
            Scales::Tensor => table.quantized(0.0173, 0),
            Scales::Rows => table.per_channel(&numbers, &[0; ROWS as usize], 0),
            // The tensor after the table.
            Scales::Blocks(block) => table.blockwise(2, -1, block, 1),
        };
        let table = g.tensor(table);
        if let Scales::Blocks(block) = scales {
            // F16 numbers between 2⁻⁶ and 2⁻⁵.
            let count = ROWS * columns / block;
            let halves: Vec<u16> = (0..count).map(|i| 0x2400 | (i * 97 % 1024) as u16).collect();
            let buffer = m.buffer(bytes_of(&halves));
            g.tensor(Tensor::new("scales", FLOAT16, &[ROWS, columns / block]).buffer(buffer));
        }
        let row = g.tensor(f32s("row", &[4, columns]));
        let y = g.output(f32s("y", &[4, columns]));
        node(m, g, "EMBEDDING_LOOKUP", &[indices, table], row);
        node(m, g, "NEG", &[row], y);
        if is_shared {
            let x = g.input(Tensor::new("x", INT8, &[ROWS, columns]).quantized(0.0173, 0));
            let z = g.output(Tensor::new("z", INT8, &[ROWS, columns]).quantized(0.0173, 0));
            node(m, g, "ADD", &[x, table], z);
        }
    })
}

fn run(interpreter: &mut Interpreter, indices: [i32; 4]) -> arenite::Result<Vec<f32>> {
    interpreter.allocate()?;
    interpreter.input_mut(0)?.copy_from_slice(&indices)?;
    interpreter.invoke()?;
    Ok(interpreter.output(0)?.as_slice::<f32>()?.to_vec())
}

#[test]
fn rows_have_the_bits_of_the_reference_op() {
    let mut forms = Vec::new();
    for ty in [INT8, UINT8, INT4, INT2] {
        for columns in [32, 13, 1] {
            forms.extend([Scales::Tensor, Scales::Rows].map(|scales| (ty, columns, scales, false)));
        }
    }
    for ty in [INT4, INT2] {
        forms.extend([8, 32].map(|block| (ty, 64, Scales::Blocks(block), false)));
    }
    forms.push((INT8, 13, Scales::Tensor, true));
    for (ty, columns, scales, is_shared) in forms {
        let what = format!("{ty} × {columns}, {scales:?}, {is_shared}");
        let model = lookup(ty, columns, scales, is_shared);
        let want = run(&mut reference_ops(&model).build().unwrap(), [3, 0, 8, 3]).expect(&what);
        assert!(want.iter().any(|x| *x != 0.0), "{what}");
        let mut interpreter = Interpreter::builder(&model).build().unwrap();
        let previews = interpreter.preview_delegates(0).unwrap();
        let nodes = if is_shared { vec![0, 1, 2] } else { vec![0, 1] };
        assert_eq!(previews[0].partitions, [nodes], "{what}: {:?}", previews[0].refusals);
        let got = run(&mut interpreter, [3, 0, 8, 3]).expect(&what);
        let bits = |numbers: &[f32]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<u32>>();
        assert_eq!(bits(&got), bits(&want), "{what}");
    }
}

#[test]
fn indices_beyond_the_table_are_errors() {
    let model = lookup(INT4, 16, Scales::Rows, false);
    for index in [9, -1, i32::MIN] {
        let found = message(run(&mut Interpreter::builder(&model).build().unwrap(), [0, 1, index, 2]));
        let wanted = format!("index {index} at position 2 of 'indices' is out of bounds for 0..9");
        assert!(found.contains(&wanted), "{found}");
        let found = message(run(&mut reference_ops(&model).build().unwrap(), [0, 1, index, 2]));
        assert!(found.contains(&wanted), "{found}");
    }
}

/// An empty list of indices gives no rows, after a list that is not empty.
#[test]
fn no_indices_give_no_rows() {
    let model = lookup(INT4, 13, Scales::Rows, false);
    let mut interpreter = Interpreter::builder(&model).build().unwrap();
    run(&mut interpreter, [3, 0, 8, 3]).unwrap();
    interpreter.resize_input(0, &[0]).unwrap();
    interpreter.allocate().unwrap();
    interpreter.invoke().unwrap();
    assert_eq!(interpreter.output(0).unwrap().shape, [0, 13]);
}
