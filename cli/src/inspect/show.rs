//! The report for people.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

use super::memory::{Buffer, Memory};
use super::{Node, Report, Server, Signature, Subgraph, Tensor};
use crate::text::{self, Align, DIM, HEAD, Table, count, thousands};

/// Characters of a name before its middle is left out.
const NAME: usize = 48;

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let model = &self.model;
        let size = thousands(model.bytes as u64);
        writeln!(f, "{HEAD}{}{HEAD:#}  {size} bytes, schema version {}", model.path.display(), model.schema)?;
        if let Some(description) = &model.description {
            writeln!(f, "  {description}")?;
        }
        self.show_signatures(f)?;
        self.show_metadata(f)?;
        self.show_ops(f)?;
        for subgraph in &self.subgraphs {
            subgraph.fmt(f)?;
        }
        self.show_refusals(f)?;
        match &self.memory {
            Some(memory) => memory.fmt(f),
            None => {
                let reason = self.error.as_deref().and_then(|error| error.lines().next()).unwrap_or_default();
                writeln!(f, "\n{HEAD}memory{HEAD:#}  not planned: {}", reason.trim_end_matches(':'))
            }
        }
    }
}

impl Report {
    fn show_signatures(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.signatures.is_empty() {
            return Ok(());
        }
        writeln!(f, "\n{HEAD}signatures{HEAD:#}")?;
        self.signatures.iter().try_for_each(|signature| signature.fmt(f))
    }

    fn show_metadata(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.metadata.is_empty() {
            return Ok(());
        }
        writeln!(f, "\n{HEAD}metadata{HEAD:#}")?;
        for entry in &self.metadata {
            let text =
                entry.text.as_ref().map_or(String::new(), |text| format!(": {}", text::shorten(text, 60)));
            writeln!(f, "  {}  {} bytes{text}", entry.name, thousands(entry.bytes as u64))?;
        }
        Ok(())
    }

    fn show_ops(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n{HEAD}ops{HEAD:#}")?;
        let mut table =
            Table::new(&[("nodes", Align::Right), ("version", Align::Right), ("op", Align::Left)]);
        for op in &self.ops {
            let custom = if op.custom { " (custom)" } else { "" };
            table.row([op.nodes.to_string(), op.version.to_string(), format!("{}{custom}", op.op)]);
        }
        table.fmt(f)
    }

    fn show_refusals(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.left_out.is_empty() {
            writeln!(f, "\n{HEAD}delegates left out{HEAD:#}")?;
            for left_out in &self.left_out {
                writeln!(f, "  {}: {}", left_out.delegate, left_out.reason)?;
            }
        }
        let nodes = || self.subgraphs.iter().flat_map(|subgraph| &subgraph.nodes);
        if nodes().all(|node| node.refusals.is_empty()) {
            return Ok(());
        }
        writeln!(f, "\n{HEAD}nodes that delegates refused{HEAD:#}")?;
        let mut table = Table::new(&[
            ("node", Align::Right),
            ("op", Align::Left),
            ("delegate", Align::Left),
            ("reason", Align::Left),
        ]);
        for node in nodes() {
            for refusal in &node.refusals {
                table.row([
                    node.index.to_string(),
                    node.op.clone(),
                    refusal.delegate.clone(),
                    refusal.reason.clone(),
                ]);
            }
        }
        table.fmt(f)
    }
}

impl Display for Signature {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let ports = |ports: &[super::Port]| {
            let names: Vec<String> =
                ports.iter().map(|p| format!("{} (tensor {})", p.name, p.tensor)).collect();
            names.join(", ")
        };
        let (inputs, outputs) = (ports(&self.inputs), ports(&self.outputs));
        writeln!(f, "  {}  subgraph {}: {inputs} -> {outputs}", self.key, self.subgraph)
    }
}

impl Display for Subgraph {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = if self.name.is_empty() { String::new() } else { format!(" '{}'", self.name) };
        let (nodes, tensors) = (count(self.nodes.len(), "node"), count(self.tensors.len(), "tensor"));
        writeln!(f, "\n{HEAD}subgraph {}{name}{HEAD:#}  {nodes}, {tensors}", self.index)?;
        for (what, list) in [("input", &self.inputs), ("output", &self.outputs)] {
            for (i, &t) in list.iter().enumerate() {
                let tensor = usize::try_from(t).ok().and_then(|t| self.tensors.get(t));
                if let Some(tensor) = tensor {
                    let quantization = tensor.quantization();
                    let shape = tensor.shape();
                    let line =
                        format!("  {what} {i} '{}'  {} {shape}  {quantization}", tensor.name, tensor.ty);
                    writeln!(f, "{}", line.trim_end())?;
                }
            }
        }
        writeln!(f, "\n{HEAD}nodes{HEAD:#}{DIM} of subgraph {}{DIM:#}", self.index)?;
        show_nodes(f, &self.nodes)?;
        writeln!(f, "\n{HEAD}tensors{HEAD:#}{DIM} of subgraph {}{DIM:#}", self.index)?;
        show_tensors(f, &self.tensors)
    }
}

fn show_nodes(f: &mut Formatter<'_>, nodes: &[Node]) -> fmt::Result {
    let mut table = Table::new(&[
        ("node", Align::Right),
        ("op", Align::Left),
        ("version", Align::Right),
        ("inputs", Align::Left),
        ("outputs", Align::Left),
        ("runs on", Align::Left),
    ]);
    for node in nodes {
        table.row([
            node.index.to_string(),
            node.op.clone(),
            node.version.to_string(),
            text::shorten(&text::join(&node.inputs, " "), 32),
            text::shorten(&text::join(&node.outputs, " "), 24),
            node.served_by.as_ref().map_or(String::new(), Server::to_string),
        ]);
    }
    table.fmt(f)
}

impl Display for Server {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Server::Plugin { id, others } => write!(f, "{id}{}", also(others)),
            Server::Folded { id, others } => write!(f, "{id}, once: constant{}", also(others)),
            Server::Delegate { name, partition } => write!(f, "delegate {name}, partition {partition}"),
            Server::Open { candidates } => match candidates.first() {
                Some(id) => write!(f, "{id}, not prepared yet"),
                None => f.write_str("not prepared yet"),
            },
            Server::Unresolved => f.write_str("nobody: unresolved"),
            Server::Inlined { nodes } => {
                let distinct: BTreeSet<String> = nodes.iter().map(Server::to_string).collect();
                let distinct: Vec<String> = distinct.into_iter().collect();
                write!(f, "{} in its place: {}", count(nodes.len(), "node"), text::join(&distinct, "; "))
            }
        }
    }
}

/// Who else could.
fn also(others: &[String]) -> String {
    if others.is_empty() { String::new() } else { format!(" (also in {})", text::join(others, ", ")) }
}

fn show_tensors(f: &mut Formatter<'_>, tensors: &[Tensor]) -> fmt::Result {
    let mut table = Table::new(&[
        ("tensor", Align::Right),
        ("type", Align::Left),
        ("shape", Align::Left),
        ("kind", Align::Left),
        ("quantization", Align::Left),
        ("name", Align::Left),
    ]);
    for tensor in tensors {
        let sparse = if tensor.sparse { ", sparse" } else { "" };
        table.row([
            tensor.index.to_string(),
            tensor.ty.clone(),
            tensor.shape(),
            format!("{}{sparse}", tensor.kind),
            tensor.quantization(),
            text::shorten(&tensor.name, NAME),
        ]);
    }
    table.fmt(f)
}

impl Tensor {
    /// The shape, and where it may vary the signature's.
    fn shape(&self) -> String {
        let shape = text::shape(&self.shape);
        if self.shape_signature.contains(&-1) {
            return format!("{shape} of {}", text::shape(&self.shape_signature));
        }
        shape
    }

    fn quantization(&self) -> String {
        let Some(quantization) = &self.quantization else { return String::new() };
        match (&quantization.scales[..], &quantization.zero_points[..]) {
            ([scale], zero_points) => format!("{scale} zp {}", zero_points.first().copied().unwrap_or(0)),
            (scales, _) => format!("{} scales, dim {}", scales.len(), quantization.dimension),
        }
    }
}

impl Display for Memory {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n{HEAD}memory{HEAD:#}  planner {}", self.planner)?;
        let mut table = Table::new(&[("bytes", Align::Right), ("what", Align::Left)]);
        table.row([thousands(self.arena_bytes), "arena: activations and scratch".to_owned()]);
        table.row([thousands(self.lower_bound), "lower bound of the arena".to_owned()]);
        table.row([thousands(self.persistent_bytes), "persistent: states, tables, variables".to_owned()]);
        table.row([thousands(self.delegate_bytes), "delegates: packed weights, tables".to_owned()]);
        if self.dynamic_bytes > 0 {
            table.row([thousands(self.dynamic_bytes), "tensors of dynamic shape".to_owned()]);
        }
        table.fmt(f)?;
        for (i, plan) in self.plans.iter().enumerate() {
            let segment = if self.plans.len() > 1 { format!(" of segment {i}") } else { String::new() };
            let optimal = if plan.optimal { ", proved optimal" } else { "" };
            let (total, bound) = (thousands(plan.total_bytes), thousands(plan.lower_bound));
            let records = count(plan.buffers.iter().filter(|buffer| buffer.size > 0).count(), "record");
            let steps = count(plan.steps as usize, "step");
            writeln!(
                f,
                "\n{HEAD}memory plan{segment}{HEAD:#}{DIM}  {records} in {steps}: {total} bytes, lower bound {bound}\
                 {optimal}{DIM:#}"
            )?;
            show_buffers(f, &plan.buffers)?;
        }
        Ok(())
    }
}

fn show_buffers(f: &mut Formatter<'_>, buffers: &[Buffer]) -> fmt::Result {
    let mut table = Table::new(&[
        ("offset", Align::Right),
        ("bytes", Align::Right),
        ("steps", Align::Left),
        ("tensor", Align::Right),
        ("inside", Align::Left),
        ("name", Align::Left),
    ]);
    // Scratch memory of no bytes is left out.
    for buffer in buffers.iter().filter(|buffer| buffer.size > 0 || buffer.tensor.is_some()) {
        let last = buffer.last_step.map_or("end".to_owned(), |step| step.to_string());
        table.row([
            thousands(buffer.offset),
            thousands(buffer.size),
            format!("{}..{last}", buffer.first_step),
            buffer.tensor.map_or(String::new(), |tensor| tensor.to_string()),
            buffer.inside.clone().unwrap_or_default(),
            text::shorten(&buffer.name, NAME),
        ]);
    }
    table.fmt(f)
}
