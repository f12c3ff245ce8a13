//! `--resize NAME=1x128`: the largest shape of an input. A number in place of the name is the input's position.

use arenite::Interpreter;

use crate::answer::Result;
use crate::inputs::Resize;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InputShape {
    name: String,
    shape: Vec<i32>,
}

impl From<&Resize> for InputShape {
    fn from(resize: &Resize) -> Self {
        InputShape { name: resize.port.clone(), shape: resize.shape.clone() }
    }
}

impl InputShape {
    /// Resizes the input. Fails if the model has no such input, or it cannot have this shape.
    pub(super) fn apply(&self, interpreter: &mut Interpreter) -> Result<()> {
        let input = match (interpreter.input_index(&self.name), self.name.parse::<usize>()) {
            (Err(_), Ok(position)) if position < interpreter.input_count() => position,
            (found, _) => found?,
        };
        Ok(interpreter.resize_input(input, &self.shape)?)
    }
}

pub(super) fn parse(text: &str) -> Result<InputShape, String> {
    let wrong = || format!("`{text}` is not NAME=SHAPE; write a shape as 1x224x224x3");
    // Tensor names may contain `=`.
    let (name, sides) = text.rsplit_once('=').ok_or_else(wrong)?;
    let side = |side: &str| side.parse::<i32>().ok().filter(|&side| side >= 0).ok_or_else(wrong);
    let shape = match sides {
        "" => Vec::new(),
        sides => sides.split('x').map(side).collect::<Result<_, _>>()?,
    };
    Ok(InputShape { name: name.to_owned(), shape })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes() {
        let shape = |text: &str| parse(text).map(|input| (input.name, input.shape));
        assert_eq!(shape("x=1x128"), Ok(("x".into(), vec![1, 128])));
        assert_eq!(shape("a=b="), Ok(("a=b".into(), vec![])));
        for wrong in ["x", "x=1x", "x=-1", "x=1,2"] {
            assert_eq!(
                shape(wrong).unwrap_err(),
                format!("`{wrong}` is not NAME=SHAPE; write a shape as 1x224x224x3")
            );
        }
    }
}
