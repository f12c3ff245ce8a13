//! `--input NAME=1x128`: the shape of an input, as large as it will be. A number stands for the position of the input.

use arenite::Interpreter;

use crate::answer::Result;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputShape {
    name: String,
    shape: Vec<i32>,
}

impl InputShape {
    /// An error if the model has no such input, or it cannot have this shape.
    pub fn apply(&self, interpreter: &mut Interpreter) -> Result<()> {
        let input = match (interpreter.input_index(&self.name), self.name.parse::<usize>()) {
            (Err(_), Ok(position)) if position < interpreter.input_count() => position,
            (found, _) => found?,
        };
        Ok(interpreter.resize_input(input, &self.shape)?)
    }
}

pub fn parse(text: &str) -> Result<InputShape, String> {
    let wrong = || format!("`{text}` is not NAME=SHAPE; a shape is written 1x224x224x3");
    // Names of tensors may have `=` in them.
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
                format!("`{wrong}` is not NAME=SHAPE; a shape is written 1x224x224x3")
            );
        }
    }
}
