//! The comparison as text for people.

use std::fmt::{self, Display, Formatter};

use arenite_common::values::Number;

use super::Report;
use super::narrow::InsideSearch;
use super::verdict::{ComparedTensor, Distance};
use crate::text::{self, Align, DIM, HEAD, Table, count};

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Report { sides: [first, second], comparison, .. } = self;
        let tensors = &comparison.tensors;
        writeln!(f, "{HEAD}{first}{HEAD:#} and {HEAD}{second}{HEAD:#}: {}", count(tensors.len(), "tensor"))?;
        if !self.unused.is_empty() {
            writeln!(f, "{DIM}{} of no tensor are ignored{DIM:#}", count(self.unused.len(), "file"))?;
        }
        match comparison.first.and_then(|i| tensors.get(i)) {
            Some(compared) => self.show_first(f, compared)?,
            None => writeln!(f, "  they agree within {}", self.tolerance)?,
        }
        if comparison.outputs.is_empty() {
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
        for compared in &comparison.outputs {
            let mut row = vec![compared.tensor.to_string()];
            row.extend(numbers(compared));
            row.push(text::shorten(&compared.name, 48));
            table.row(row);
        }
        table.fmt(f)
    }
}

impl Report {
    fn show_first(&self, f: &mut Formatter<'_>, compared: &ComparedTensor) -> fmt::Result {
        writeln!(f, "\n{HEAD}first difference{HEAD:#}")?;
        show_tensor(f, compared)?;
        show_nodes(f, &self.comparison.nodes)?;
        self.comparison.inside.iter().try_for_each(|inside| show_inside(f, inside))
    }
}

/// The nodes among which a difference arose.
fn show_nodes(f: &mut Formatter<'_>, nodes: &[usize]) -> fmt::Result {
    match nodes {
        [] => Ok(()),
        [node] => writeln!(f, "  it arose in node {node}, whose inputs agree"),
        [first, .., last] => {
            let count = count(nodes.len(), "node");
            writeln!(
                f,
                "  it arose among {count} from {first} to {last}, whose tensors in between were not compared"
            )
        }
    }
}

fn show_inside(f: &mut Formatter<'_>, inside: &InsideSearch) -> fmt::Result {
    let kept = count(inside.kept.len(), "tensor");
    writeln!(f, "\n{HEAD}inside the partition, with {kept} kept{HEAD:#}")?;
    if let Some(error) = &inside.error {
        return writeln!(f, "  {error}");
    }
    if let Some(compared) = &inside.first {
        show_tensor(f, compared)?;
        return show_nodes(f, &inside.nodes);
    }
    writeln!(f, "  no tensor differs")?;
    let Some(fused) = &inside.fused else { return Ok(()) };
    let (name, readers) = (text::shorten(&fused.name, 80), text::join(&fused.readers, ", "));
    writeln!(
        f,
        "  the difference appears unless tensor {} '{name}' is kept: the delegate computes node {} as one with node {readers}",
        fused.tensor, fused.node
    )
}

/// A tensor that differs, and by how much.
fn show_tensor(f: &mut Formatter<'_>, compared: &ComparedTensor) -> fmt::Result {
    let (name, shape) = (text::shorten(&compared.name, 80), text::shape(&compared.shape));
    writeln!(f, "  tensor {} '{name}'  {} {shape}, by {}", compared.tensor, compared.ty, compared.by)?;
    if let Some(error) = &compared.error {
        writeln!(f, "  {error}")?;
    }
    let Some(distance) = &compared.difference else { return Ok(()) };
    let [a, b] = distance.values.map(|value| value.map_or("not a number".to_owned(), number));
    writeln!(f, "  at {}: {a} and {b}", text::shape(&distance.at))?;
    let [largest, mean, cosine] = numbers(compared);
    writeln!(f, "  largest difference {largest}, mean {mean}, cosine {cosine}")?;
    writeln!(f, "  allowed is {}", number(distance.allowed))
}

/// The largest and the mean difference, and the cosine.
fn numbers(compared: &ComparedTensor) -> [String; 3] {
    let Some(Distance { largest, mean, cosine, .. }) = &compared.difference else {
        return [compared.error.clone().unwrap_or_default(), String::new(), String::new()];
    };
    let cosine = cosine.map_or("-".to_owned(), |cosine| format!("{cosine:.6}"));
    [largest.map_or("not a number".to_owned(), number), number(*mean), cosine]
}

fn number(value: f64) -> String {
    Number::Float(value as f32).to_string()
}
