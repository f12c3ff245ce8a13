//! The comparison as text for people.

use std::fmt::{self, Display, Formatter};

use arenite_common::values::Number;

use super::Report;
use super::verdict::{Compared, Distance};
use crate::text::{self, Align, DIM, HEAD, Table, count};

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Report { sides: [first, second], tensors, .. } = self;
        writeln!(f, "{HEAD}{first}{HEAD:#} and {HEAD}{second}{HEAD:#}: {}", count(tensors.len(), "tensor"))?;
        if !self.unused.is_empty() {
            writeln!(f, "{DIM}{} of no tensor are ignored{DIM:#}", count(self.unused.len(), "file"))?;
        }
        match self.first.and_then(|i| tensors.get(i)) {
            Some(compared) => self.show_first(f, compared)?,
            None => writeln!(f, "  they agree within {}", self.tolerance)?,
        }
        if self.outputs.is_empty() {
            return Ok(());
        }
        writeln!(f, "\n{HEAD}outputs{HEAD:#}")?;
        let mut table = Table::new(&[
            ("tensor", Align::Right),
            ("largest difference", Align::Right),
            ("mean", Align::Right),
            ("cosine", Align::Right),
            ("name", Align::Left),
        ]);
        for compared in &self.outputs {
            let mut row = vec![compared.tensor.to_string()];
            row.extend(numbers(compared));
            row.push(text::shorten(&compared.name, 48));
            table.row(row);
        }
        table.fmt(f)
    }
}

impl Report {
    fn show_first(&self, f: &mut Formatter<'_>, compared: &Compared) -> fmt::Result {
        let (name, shape) = (text::shorten(&compared.name, 80), text::shape(&compared.shape));
        writeln!(f, "\n{HEAD}first difference{HEAD:#}")?;
        writeln!(f, "  tensor {} '{name}'  {} {shape}, by {}", compared.tensor, compared.ty, compared.by)?;
        if let Some(error) = &compared.error {
            writeln!(f, "  {error}")?;
        }
        if let Some(distance) = &compared.difference {
            let [a, b] = distance.values.map(|value| value.map_or("not a number".to_owned(), number));
            writeln!(f, "  at {}: {a} and {b}", text::shape(&distance.at))?;
            let [largest, mean, cosine] = numbers(compared);
            writeln!(f, "  largest difference {largest}, mean {mean}, cosine {cosine}")?;
            writeln!(f, "  allowed is {}", number(distance.allowed))?;
        }
        match &self.nodes[..] {
            [] => Ok(()),
            [node] => writeln!(f, "  it arose in node {node}, whose inputs agree"),
            [first, .., last] => {
                let nodes = count(self.nodes.len(), "node");
                writeln!(
                    f,
                    "  it arose among {nodes} from {first} to {last}, whose tensors in between were not compared;\n  \
                     exclude_ops in a config's [[delegate]] takes ops out of the partition, to narrow it down"
                )
            }
        }
    }
}

/// The largest and the mean difference, and the cosine.
fn numbers(compared: &Compared) -> [String; 3] {
    let Some(Distance { largest, mean, cosine, .. }) = &compared.difference else {
        return [compared.error.clone().unwrap_or_default(), String::new(), String::new()];
    };
    let cosine = cosine.map_or("-".to_owned(), |cosine| format!("{cosine:.6}"));
    [largest.map_or("not a number".to_owned(), number), number(*mean), cosine]
}

fn number(value: f64) -> String {
    Number::Float(value as f32).to_string()
}
