//! `--tensor`: one tensor in full.

use std::fmt::{self, Display, Formatter};

use arenite::{Interpreter, Tensor as RuntimeTensor};
use arenite_common::extent::{Extent, extent};
use arenite_common::inspection::{Inspection, Node, Subgraph, Tensor};
use arenite_common::values::{Number, Scale, element, element_count};
use serde::Serialize;

use super::show::shape_of;
use crate::answer::{Failure, Result};
use crate::text::{self, DIM, HEAD, Visible, thousands};

/// How many values, scales and similar names are shown.
const SHOWN: usize = 8;

/// A tensor, its readers and its writer.
#[derive(Serialize)]
pub(super) struct OneTensor {
    subgraph: usize,
    tensor: Tensor,
    /// The node that writes it; null for inputs, constants and variables.
    producer: Option<NodeName>,
    consumers: Vec<NodeName>,
    /// Values of a constant.
    values: Option<Values>,
}

/// A node by number and op.
#[derive(Serialize)]
struct NodeName {
    node: usize,
    op: String,
}

/// A summary of a constant's values.
#[derive(Serialize)]
struct Values {
    count: usize,
    /// Smallest and largest stored value, ignoring NaN.
    min: Option<Number>,
    max: Option<Number>,
    nan: usize,
    /// Number of elements that are the real number 0.
    zeros: usize,
    /// Mean of the real values.
    mean: Option<f64>,
    /// The first stored values.
    first: Vec<Number>,
    /// The same as real numbers, if the tensor is quantized.
    first_real: Option<Vec<f32>>,
}

/// Takes a tensor, given by name or index, out of the report.
pub(super) fn find(
    report: Inspection,
    interpreter: &mut Interpreter,
    subgraph: usize,
    wanted: &str,
) -> Result<OneTensor> {
    let count = report.subgraphs.len();
    let Some(Subgraph { nodes, tensors, .. }) = report.subgraphs.into_iter().nth(subgraph) else {
        return Err(Failure::new(format!("subgraph {subgraph} does not exist; the model has {count}")));
    };
    let by_name = tensors.iter().position(|tensor| tensor.name == wanted);
    let by_index = wanted.parse::<usize>().ok().filter(|&index| index < tensors.len());
    let Some(index) = by_name.or(by_index) else { return Err(unknown(&tensors, subgraph, wanted)) };
    let name = |node: &Node| NodeName { node: node.index, op: node.op.clone() };
    let has = |list: &[i32]| list.iter().any(|&t| usize::try_from(t) == Ok(index));
    let producer = nodes.iter().find(|node| has(&node.outputs)).map(name);
    let consumers = nodes.iter().filter(|node| has(&node.inputs)).map(name).collect();
    // Builds the subgraph if no node calls it.
    interpreter.tensor_count_of(subgraph)?;
    let runtime = interpreter.tensor_of(subgraph, index)?;
    let values = if runtime.is_constant() { summary(&runtime) } else { None };
    let tensor = tensors.into_iter().nth(index);
    let tensor = tensor.ok_or_else(|| Failure::new(format!("tensor {index} does not exist")))?;
    Ok(OneTensor { subgraph, tensor, producer, consumers, values })
}

/// The error for a tensor that does not exist. Names tensors whose names contain the wanted one.
fn unknown(tensors: &[Tensor], subgraph: usize, wanted: &str) -> Failure {
    let similar = tensors.iter().filter(|tensor| tensor.name.contains(wanted)).take(SHOWN);
    let similar: Vec<String> =
        similar.map(|tensor| format!("{} '{}'", tensor.index, text::shorten(&tensor.name, 60))).collect();
    let count = tensors.len();
    let mut text = format!(
        "tensor '{}' does not exist in subgraph {subgraph}, which has {count}, counted from 0",
        text::shorten(wanted, 60)
    );
    if !similar.is_empty() {
        text.push_str(&format!("; similar names: {}", similar.join(", ")));
    }
    Failure::new(text)
}

/// Summarizes a constant; `None` for one without numbers, such as strings.
fn summary(tensor: &RuntimeTensor<'_>) -> Option<Values> {
    let (bytes, count) = (tensor.bytes().ok()?, element_count(tensor.shape));
    element(tensor.ty, bytes, 0)?;
    let scale = Scale::of(tensor);
    let real = |i: usize| {
        let stored = element(tensor.ty, bytes, i)?.real()?;
        Some(scale.as_ref().map_or(stored, |scale| scale.real(i, stored)))
    };
    let (mut zeros, mut sum, mut reals) = (0, 0.0, 0usize);
    for value in (0..count).filter_map(real).filter(|value| !value.is_nan()) {
        zeros += usize::from(value == 0.0);
        sum += value;
        reals += 1;
    }
    let Extent { min, max, nan } = extent(tensor.ty, bytes, count);
    let first = (0..count.min(SHOWN)).map_while(|i| element(tensor.ty, bytes, i)).collect();
    let reals_of_first = || (0..count.min(SHOWN)).filter_map(real).map(|value| value as f32).collect();
    Some(Values {
        count,
        min,
        max,
        nan,
        zeros,
        mean: (reals > 0).then(|| sum / reals as f64),
        first,
        first_real: scale.as_ref().map(|_| reals_of_first()),
    })
}

impl Display for OneTensor {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let OneTensor { subgraph, tensor, producer, consumers, values } = self;
        let name = Visible(&tensor.name);
        writeln!(f, "{HEAD}tensor {}{HEAD:#}  '{name}'{DIM}  of subgraph {subgraph}{DIM:#}", tensor.index)?;
        let sparse = if tensor.sparse { ", sparse" } else { "" };
        writeln!(f, "  {} {}  {}{sparse}", tensor.ty, shape_of(tensor), tensor.kind)?;
        show_quantization(f, tensor)?;
        match producer {
            Some(node) => writeln!(f, "  written by  node {} {}", node.node, Visible(&node.op))?,
            None => writeln!(f, "  written by  no node")?,
        }
        let readers: Vec<String> =
            consumers.iter().map(|node| format!("node {} {}", node.node, Visible(&node.op))).collect();
        match &readers[..] {
            [] => writeln!(f, "  read by     no node")?,
            _ => writeln!(f, "  read by     {}", some(&readers))?,
        }
        if let Some(bytes) = tensor.constant_bytes {
            writeln!(f, "  constant    {} bytes in the file", thousands(bytes as u64))?;
        }
        values.as_ref().map_or(Ok(()), |values| show_values(f, values))
    }
}

/// The first items, and how many follow.
fn some(items: &[impl Display]) -> String {
    let rest = items.len().saturating_sub(SHOWN);
    let shown = text::join(items.get(..SHOWN).unwrap_or(items), ", ");
    if rest == 0 { shown } else { format!("{shown} and {rest} more") }
}

fn show_quantization(f: &mut Formatter<'_>, tensor: &Tensor) -> fmt::Result {
    let Some(quantization) = &tensor.quantization else { return Ok(()) };
    let scales: Vec<Number> = quantization.scales.iter().map(|&scale| Number::Float(scale)).collect();
    let zero_points = &quantization.zero_points;
    write!(f, "  real = scale × (stored − zero point): scale {}, zero point ", some(&scales))?;
    match zero_points.first() {
        Some(first) if zero_points.iter().all(|zero_point| zero_point == first) => write!(f, "{first}")?,
        Some(_) => write!(f, "{}", some(zero_points))?,
        None => write!(f, "0")?,
    }
    let per = if scales.len() > 1 {
        format!(", one per element of dimension {}", quantization.dimension)
    } else {
        String::new()
    };
    writeln!(f, "{per}")
}

fn show_values(f: &mut Formatter<'_>, values: &Values) -> fmt::Result {
    let Values { count, min, max, nan, zeros, mean, first, first_real } = values;
    write!(f, "  values      {}", thousands(*count as u64))?;
    if let (Some(min), Some(max)) = (min, max) {
        write!(f, ", stored {min} to {max}")?;
    }
    if let Some(mean) = mean {
        write!(f, ", mean {}", Number::Float(*mean as f32))?;
    }
    write!(f, ", zeros {:.1} %", 100.0 * *zeros as f64 / (*count).max(1) as f64)?;
    if *nan > 0 {
        write!(f, ", not a number {nan}")?;
    }
    let rest = if *count > first.len() { " …" } else { "" };
    writeln!(f, "\n  stored      {}{rest}", text::join(first, " "))?;
    if let Some(reals) = first_real {
        let reals: Vec<Number> = reals.iter().map(|&real| Number::Float(real)).collect();
        writeln!(f, "  real        {}{rest}", text::join(&reals, " "))?;
    }
    Ok(())
}
