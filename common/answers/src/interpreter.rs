//! Readings of an interpreter's outputs.

use arenite::{ElementType, Interpreter};

use crate::{Clues, Metadata, Output, Readings, arg_max_classes, detection_op, read};

impl Readings {
    /// Reads the outputs of the last invocation of the main subgraph. Names of classes come from `labels` or, if it is
    /// empty, from the model's metadata.
    ///
    /// # Errors
    /// The interpreter is not allocated.
    pub fn of(interpreter: &Interpreter, labels: &[String]) -> arenite::Result<Self> {
        let metadata = Metadata::of(interpreter.model());
        let mut outputs = Vec::new();
        for i in 0..interpreter.output_count() {
            let tensor = interpreter.output(i)?;
            if !matches!(tensor.ty, ElementType::String | ElementType::Resource | ElementType::Variant) {
                outputs.push(Output::new(i, tensor.name, tensor)?);
            }
        }
        let clues = Clues {
            labels,
            detection_op: detection_op(interpreter.model()),
            arg_max_classes: arg_max_classes(interpreter.model()),
            input_size: input_size(interpreter)?,
            ..Clues::new(&metadata)
        };
        Ok(read(&outputs, &clues))
    }
}

/// Width and height of the first input that takes a picture.
fn input_size(interpreter: &Interpreter) -> arenite::Result<Option<(u32, u32)>> {
    for i in 0..interpreter.input_count() {
        if let &[1, height @ 1..=i32::MAX, width @ 1..=i32::MAX, 1 | 3 | 4] = interpreter.input(i)?.shape {
            return Ok(Some((width.unsigned_abs(), height.unsigned_abs())));
        }
    }
    Ok(None)
}
