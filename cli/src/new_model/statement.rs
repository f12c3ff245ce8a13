//! Reads a node and its tensors: `y:FLOAT32[1,4] = Scale(x:FLOAT32[1,4], -) {"by": 2}`.

use arenite::ElementType;

use super::options::Options;
use crate::answer::{Failure, Result};
use crate::text;

/// A node, as it was given.
#[derive(Debug, PartialEq)]
pub(super) struct Statement<'a> {
    pub text: &'a str,
    pub outputs: Vec<Operand<'a>>,
    pub op: &'a str,
    pub version: i32,
    /// `None` for an absent input.
    pub inputs: Vec<Option<Operand<'a>>>,
    pub options: Options<'a>,
}

/// A tensor of a node.
#[derive(Debug, PartialEq)]
pub(super) struct Operand<'a> {
    pub name: &'a str,
    /// The properties of a tensor that is named for the first time.
    pub declared: Option<Declaration>,
}

/// The properties of a tensor.
#[derive(Debug, PartialEq)]
pub(super) struct Declaration {
    pub ty: ElementType,
    /// −1 for a dimension of any size.
    pub shape: Vec<i32>,
    /// `None` if it is not quantized.
    pub scale: Option<f32>,
    pub zero_point: i64,
    /// One real number per element, or one for all.
    pub value: Option<Vec<f64>>,
    pub variable: bool,
}

/// Characters that end a name.
const MARKS: &[char] = &[':', '=', '(', ')', '[', ']', '{', '}', ',', '@'];

impl<'a> Statement<'a> {
    /// Reads one node.
    ///
    /// # Errors
    /// The text has another form.
    pub(super) fn parse(text: &'a str) -> Result<Self> {
        let mut reader = Reader { text, rest: text };
        reader.statement()
    }

    /// An error about this node.
    pub(super) fn failure(&self, message: impl std::fmt::Display) -> Failure {
        failure(self.text, message)
    }
}

fn failure(node: &str, message: impl std::fmt::Display) -> Failure {
    Failure::new(format!("node '{}': {message}", text::shorten(node, 80)))
}

/// Reads a text from left to right.
struct Reader<'a> {
    text: &'a str,
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn statement(&mut self) -> Result<Statement<'a>> {
        let text = self.text;
        // A node without outputs starts at its op.
        let has_outputs = text.split('{').next().is_some_and(|head| {
            head.find('(').is_none_or(|end| head[..end].contains('=') || head[..end].contains(':'))
        });
        let mut outputs = Vec::new();
        if has_outputs {
            outputs.push(self.operand()?);
            while self.take(',') {
                outputs.push(self.operand()?);
            }
            self.expect('=', "between the outputs and the op")?;
        }
        let op = self.name("the op")?;
        let version = if self.take('@') { self.number("the op's version")? } else { 1 };
        self.expect('(', "after the op")?;
        let mut inputs = Vec::new();
        while !self.take(')') {
            if !inputs.is_empty() {
                self.expect(',', "or ')' after an input")?;
            }
            inputs.push(self.input()?);
        }
        let options = Options::parse(self.rest.trim()).map_err(|message| failure(text, message))?;
        Ok(Statement { text, outputs, op, version, inputs, options })
    }

    fn input(&mut self) -> Result<Option<Operand<'a>>> {
        let operand = self.operand()?;
        Ok((operand.name != "-").then_some(operand))
    }

    fn operand(&mut self) -> Result<Operand<'a>> {
        let name = self.name("a tensor")?;
        let declared = if self.take(':') { Some(self.declared()?) } else { None };
        Ok(Operand { name, declared })
    }

    /// A type, a shape, and what may follow.
    fn declared(&mut self) -> Result<Declaration> {
        let ty = self.element_type()?;
        self.expect('[', "and the shape after the type, for example [1,4], or [] for a scalar")?;
        let mut shape = Vec::new();
        while !self.take(']') {
            if !shape.is_empty() {
                self.expect(',', "or ']' after a dimension")?;
            }
            shape.push(self.number("a dimension")?);
        }
        let mut found = Declaration { ty, shape, scale: None, zero_point: 0, value: None, variable: false };
        loop {
            let before = self.rest;
            match self.word() {
                "scale" if self.take('=') => found.scale = Some(self.number("the scale")?),
                "zero_point" if self.take('=') => found.zero_point = self.number("the zero point")?,
                "value" if self.take('=') => found.value = Some(self.values()?),
                "variable" => found.variable = true,
                "" => return Ok(found),
                other => {
                    self.rest = before;
                    return Err(self.failure(format_args!(
                        "'{}' follows a shape; scale=, zero_point=, value= or variable may",
                        text::shorten(other, 40)
                    )));
                }
            }
        }
    }

    fn element_type(&mut self) -> Result<ElementType> {
        let name = self.name("a type")?;
        let known = ElementType::ALL.iter().find(|ty| ty.name().eq_ignore_ascii_case(name));
        known.copied().ok_or_else(|| {
            let names: Vec<&str> = ElementType::ALL.iter().map(|ty| ty.name()).collect();
            self.failure(format_args!(
                "type '{}' is unknown; types are {}",
                text::shorten(name, 40),
                names.join(", ")
            ))
        })
    }

    /// `1`, or `(1,2,3)`.
    fn values(&mut self) -> Result<Vec<f64>> {
        if !self.take('(') {
            return Ok(vec![self.number("the value")?]);
        }
        let mut values = vec![self.number("a value")?];
        while !self.take(')') {
            self.expect(',', "or ')' after a value")?;
            values.push(self.number("a value")?);
        }
        Ok(values)
    }

    fn number<T: std::str::FromStr>(&mut self, subject: &str) -> Result<T> {
        let word = self.name(subject)?;
        word.parse().map_err(|_| {
            self.failure(format_args!("{subject} is '{}'; expected a number", text::shorten(word, 40)))
        })
    }

    fn name(&mut self, subject: &str) -> Result<&'a str> {
        match self.word() {
            "" => Err(self.expected(subject)),
            word if word.contains(char::is_control) => {
                Err(self.failure(format_args!("'{}' has control characters", text::shorten(word, 40))))
            }
            word => Ok(word),
        }
    }

    /// The characters up to a space or a mark.
    fn word(&mut self) -> &'a str {
        let rest = self.rest.trim_start();
        let end = rest.find(|c: char| c.is_whitespace() || MARKS.contains(&c)).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        self.rest = rest;
        word
    }

    fn take(&mut self, mark: char) -> bool {
        match self.rest.trim_start().strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, mark: char, place: &str) -> Result<()> {
        if self.take(mark) { Ok(()) } else { Err(self.expected(&format!("'{mark}' {place}"))) }
    }

    fn expected(&self, subject: &str) -> Failure {
        match self.rest.trim_start() {
            "" => self.failure(format_args!("expected {subject}, but the text ends")),
            rest => self.failure(format_args!("expected {subject}, found '{}'", text::shorten(rest, 40))),
        }
    }

    fn failure(&self, message: impl std::fmt::Display) -> Failure {
        failure(self.text, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Statement::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn a_node_has_operands_and_options() {
        let node = Statement::parse(
            "y : int8[-1,4] scale=0.5 zero_point=-3 , z = Op@2(x:FLOAT32[] value=(1,2.5), -, v) {\"n\":[1]}",
        )
        .unwrap();
        assert_eq!((node.op, node.version, node.outputs.len()), ("Op", 2, 2));
        let y = node.outputs[0].declared.as_ref().unwrap();
        assert_eq!(
            (y.ty, &y.shape[..], y.scale, y.zero_point),
            (ElementType::I8, &[-1, 4][..], Some(0.5), -3)
        );
        assert_eq!(node.outputs[1], Operand { name: "z", declared: None });
        assert_eq!((node.inputs.len(), &node.inputs[1]), (3, &None));
        let x = node.inputs[0].as_ref().unwrap().declared.as_ref().unwrap();
        assert_eq!((&x.shape[..], x.value.as_deref()), (&[][..], Some(&[1.0, 2.5][..])));
    }

    #[test]
    fn a_node_may_have_no_outputs_or_no_inputs() {
        let sink = Statement::parse("Sink(x:INT32[1] variable)").unwrap();
        assert!(
            sink.outputs.is_empty() && sink.inputs[0].as_ref().unwrap().declared.as_ref().unwrap().variable
        );
        let source = Statement::parse("y:INT32[1] = Source()").unwrap();
        assert!(source.inputs.is_empty());
    }

    #[test]
    fn errors_name_the_place() {
        for (text, words) in [
            ("", "expected a tensor, but the text ends"),
            ("y:FLOAT32[1]", "expected '=' between the outputs and the op, but the text ends"),
            ("y:FLOAT32 = A(x)", "expected '[' and the shape after the type"),
            ("y:f32[1] = A(x)", "type 'f32' is unknown; types are FLOAT32, FLOAT16"),
            ("y:FLOAT32[1,] = A(x)", "expected a dimension, found '] = A(x)'"),
            ("y:FLOAT32[a] = A(x)", "a dimension is 'a'; expected a number"),
            ("y:INT8[1] scale=x = A(x)", "the scale is 'x'; expected a number"),
            (
                "y:INT8[1] zero=1 = A(x)",
                "'zero' follows a shape; scale=, zero_point=, value= or variable may",
            ),
            ("y = A(x", "expected ',' or ')' after an input, but the text ends"),
            ("y = A@b(x)", "the op's version is 'b'; expected a number"),
            ("y = (x)", "expected the op, found '(x)'"),
            ("y = A(x) n=1", "options are 'n=1'"),
        ] {
            let message = error(text);
            assert!(message.contains(words), "{text}: {message}");
        }
    }
}
