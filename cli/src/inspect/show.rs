//! The report as text for people.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::path::Path;

use arenite_common::inspection::{Inspection, Node, Port, Signature, Subgraph, Tensor};
use arenite_common::memory::{Buffer, Memory};
use arenite_common::placement::Server;
use arenite_common::values::Number;

use super::language::Tables;
use super::report::Report;
use crate::devices::show_facts;
use crate::text::{self, Align, DIM, HEAD, Table, Visible, count, thousands};

/// Longer names are shortened in the middle to this many characters.
const NAME: usize = 48;

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Report { inspection: report, container, described, weight_files, caches, totals, batch } = self;
        let model = &report.model;
        let (path, size) = (model.path.as_deref().unwrap_or(Path::new("")), thousands(model.bytes as u64));
        writeln!(f, "{HEAD}{}{HEAD:#}  {size} bytes, schema version {}", path.display(), model.schema)?;
        if let Some(description) = &model.description {
            writeln!(f, "  {}", Visible(description))?;
        }
        container.as_ref().map_or(Ok(()), |container| container.fmt(f))?;
        show_signatures(f, &report.signatures)?;
        Tables(weight_files, caches).fmt(f)?;
        show_metadata(f, report)?;
        described.as_ref().map_or(Ok(()), |described| described.fmt(f))?;
        totals.fmt(f)?;
        batch.as_ref().map_or(Ok(()), |batch| batch.fmt(f))?;
        report.subgraphs.iter().try_for_each(|subgraph| show_subgraph(f, subgraph))?;
        show_refusals(f, report)?;
        show_facts(f, &report.facts)?;
        match &report.memory {
            Some(memory) => show_memory(f, memory),
            None => {
                let reason =
                    report.error.as_deref().and_then(|error| error.lines().next()).unwrap_or_default();
                writeln!(f, "\n{HEAD}memory{HEAD:#}  not planned: {}", Visible(reason.trim_end_matches(':')))
            }
        }
    }
}

fn show_signatures(f: &mut Formatter<'_>, signatures: &[Signature]) -> fmt::Result {
    if signatures.is_empty() {
        return Ok(());
    }
    writeln!(f, "\n{HEAD}signatures{HEAD:#}")?;
    let ports = |ports: &[Port]| {
        let names: Vec<String> =
            ports.iter().map(|p| format!("{} (tensor {})", Visible(&p.name), p.tensor)).collect();
        names.join(", ")
    };
    signatures.iter().try_for_each(|signature| {
        let (inputs, outputs) = (ports(&signature.inputs), ports(&signature.outputs));
        writeln!(f, "  {}  subgraph {}: {inputs} -> {outputs}", Visible(&signature.key), signature.subgraph)
    })
}

fn show_metadata(f: &mut Formatter<'_>, report: &Inspection) -> fmt::Result {
    if report.metadata.is_empty() {
        return Ok(());
    }
    writeln!(f, "\n{HEAD}metadata{HEAD:#}")?;
    for entry in &report.metadata {
        let text = entry.text.as_ref().map_or(String::new(), |text| format!(": {}", text::shorten(text, 60)));
        writeln!(f, "  {}  {} bytes{text}", Visible(&entry.name), thousands(entry.bytes as u64))?;
    }
    Ok(())
}

fn show_refusals(f: &mut Formatter<'_>, report: &Inspection) -> fmt::Result {
    if !report.left_out.is_empty() {
        writeln!(f, "\n{HEAD}delegates that were skipped{HEAD:#}")?;
        for left_out in &report.left_out {
            writeln!(f, "  {}: {}", Visible(&left_out.delegate), Visible(&left_out.reason))?;
        }
    }
    let nodes = || report.subgraphs.iter().flat_map(|subgraph| &subgraph.nodes);
    if nodes().all(|node| node.refusals.is_empty()) {
        return Ok(());
    }
    writeln!(f, "\n{HEAD}nodes that delegates did not claim{HEAD:#}")?;
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

fn show_subgraph(f: &mut Formatter<'_>, subgraph: &Subgraph) -> fmt::Result {
    let Subgraph { index, name, inputs, outputs, nodes, tensors } = subgraph;
    let name = if name.is_empty() { String::new() } else { format!(" '{}'", Visible(name)) };
    let (node_count, tensor_count) = (count(nodes.len(), "node"), count(tensors.len(), "tensor"));
    writeln!(f, "\n{HEAD}subgraph {index}{name}{HEAD:#}  {node_count}, {tensor_count}")?;
    for (what, list) in [("input", inputs), ("output", outputs)] {
        for (i, &t) in list.iter().enumerate() {
            if let Some(tensor) = usize::try_from(t).ok().and_then(|t| tensors.get(t)) {
                let (shape, quantization) = (shape_of(tensor), quantization_of(tensor));
                let line = format!(
                    "  {what} {i} '{}'  {} {shape}  {quantization}",
                    Visible(&tensor.name),
                    tensor.ty
                );
                writeln!(f, "{}", line.trim_end())?;
            }
        }
    }
    writeln!(f, "\n{HEAD}nodes{HEAD:#}{DIM} of subgraph {index}{DIM:#}")?;
    show_nodes(f, nodes)?;
    writeln!(f, "\n{HEAD}tensors{HEAD:#}{DIM} of subgraph {index}{DIM:#}")?;
    show_tensors(f, tensors)
}

fn show_nodes(f: &mut Formatter<'_>, nodes: &[Node]) -> fmt::Result {
    let mut table = Table::new(&[
        ("node", Align::Right),
        ("op", Align::Left),
        ("version", Align::Right),
        ("inputs", Align::Left),
        ("outputs", Align::Left),
        ("runs on", Align::Left),
        ("MACs", Align::Right),
        ("options", Align::Left),
    ]);
    for node in nodes {
        table.row([
            node.index.to_string(),
            node.op.clone(),
            node.version.to_string(),
            text::shorten(&text::join(&node.inputs, " "), 32),
            text::shorten(&text::join(&node.outputs, " "), 24),
            node.served_by.as_ref().map_or(String::new(), server),
            node.facts.as_ref().and_then(|facts| facts.macs).map_or(String::new(), thousands),
            text::shorten(&options(node), 80),
        ]);
    }
    table.fmt(f)
}

/// The padding, and the options that are not the schema's default.
fn options(node: &Node) -> String {
    let options = node.facts.iter().flat_map(|facts| &facts.options);
    let shown = options.filter(|option| !option.is_default || option.name == "padding");
    shown.map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// The delegate or op that runs a node.
pub(super) fn server(by: &Server) -> String {
    match by {
        Server::Plugin { id, others } => format!("{id}{}", also(others)),
        Server::Folded { id, others } => format!("{id}, once: constant{}", also(others)),
        Server::Delegate { name, partition } => format!("delegate {name}, partition {partition}"),
        Server::Open { candidates } => match candidates.first() {
            Some(id) => format!("{id}, not prepared yet"),
            None => "not prepared yet".to_owned(),
        },
        Server::Unresolved => "no op found".to_owned(),
        Server::Inlined { nodes } => {
            let distinct: BTreeSet<String> = nodes.iter().map(server).collect();
            let distinct: Vec<String> = distinct.into_iter().collect();
            format!("{} in its place: {}", count(nodes.len(), "node"), text::join(&distinct, "; "))
        }
    }
}

/// The other plugins that offer the op.
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
            shape_of(tensor),
            format!("{}{sparse}", tensor.kind),
            quantization_of(tensor),
            text::shorten(&tensor.name, NAME),
        ]);
    }
    table.fmt(f)
}

/// The shape, followed by the signature's shape if some dimensions may vary.
pub(super) fn shape_of(tensor: &Tensor) -> String {
    let shape = text::shape(&tensor.shape);
    if tensor.shape_signature.contains(&-1) {
        return format!("{shape} of {}", text::shape(&tensor.shape_signature));
    }
    shape
}

pub(super) fn quantization_of(tensor: &Tensor) -> String {
    let Some(quantization) = &tensor.quantization else { return String::new() };
    match (&quantization.scales[..], &quantization.zero_points[..]) {
        ([scale], zero_points) => {
            format!("{} zp {}", Number::Float(*scale), zero_points.first().copied().unwrap_or(0))
        }
        (scales, _) => format!("{} scales, dim {}", scales.len(), quantization.dimension),
    }
}

fn show_memory(f: &mut Formatter<'_>, memory: &Memory) -> fmt::Result {
    writeln!(f, "\n{HEAD}memory{HEAD:#}  planner {}", memory.planner)?;
    let mut table = Table::new(&[("bytes", Align::Right), ("what", Align::Left)]);
    table.row([thousands(memory.arena_bytes), "arena: activations and scratch".to_owned()]);
    table.row([thousands(memory.lower_bound), "lower bound of the arena".to_owned()]);
    table.row([thousands(memory.persistent_bytes), "persistent: states, tables, variables".to_owned()]);
    table.row([thousands(memory.delegate_bytes), "delegates: packed weights, tables".to_owned()]);
    if memory.device_bytes > 0 {
        table.row([thousands(memory.device_bytes), "devices: what delegates hold there".to_owned()]);
    }
    if memory.dynamic_bytes > 0 {
        table.row([thousands(memory.dynamic_bytes), "tensors of dynamic shape".to_owned()]);
    }
    table.fmt(f)?;
    for (i, plan) in memory.plans.iter().enumerate() {
        let segment = if memory.plans.len() > 1 { format!(" of segment {i}") } else { String::new() };
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

fn show_buffers(f: &mut Formatter<'_>, buffers: &[Buffer]) -> fmt::Result {
    let mut table = Table::new(&[
        ("offset", Align::Right),
        ("bytes", Align::Right),
        ("steps", Align::Left),
        ("tensor", Align::Right),
        ("inside", Align::Left),
        ("name", Align::Left),
    ]);
    // Omits scratch buffers of zero bytes.
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
