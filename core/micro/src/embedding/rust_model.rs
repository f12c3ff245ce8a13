//! The part of a Rust file that nodes see of the model: subgraphs and variables.

use alloc::format;
use alloc::string::String;

use super::rust_values::{memory, numbers};
use super::tables::{Graph, ModelTables, Place, Resource};
use super::write::{Text, literal};

/// Writes `MODEL` and its lists.
pub(super) fn write(text: &mut Text, model: &ModelTables) {
    text.line(format!("static GRAPHS: [e::Graph; {}] = [", model.graphs.len()));
    model.graphs.iter().for_each(|graph| text.line(format!("    {},", graph_entry(graph))));
    text.line(format!("];\n\nstatic RESOURCES: [e::Resource; {}] = [", model.resources.len()));
    model.resources.iter().for_each(|resource| text.line(format!("    {},", resource_entry(resource))));
    let saved = match model.saved_bytes {
        0 => Place::Nowhere,
        _ => Place::Arena(model.saved_at),
    };
    text.line(format!(
        "];\n\nstatic MODEL: e::Model = e::Model::new(&TENSORS, &GRAPHS, &RESOURCES, {}, {});\n",
        memory(saved, model.saved_bytes),
        memory(Place::Variable(model.calls_at), size_of::<u32>())
    ));
}

fn graph_entry(graph: &Graph) -> String {
    let Some(nodes) = &graph.nodes else { return "e::Graph::NONE".into() };
    let (inputs, outputs) = (numbers(&graph.inputs), numbers(&graph.outputs));
    format!("e::Graph::new(&STEPS, {}, {}, {inputs}, {outputs})", nodes.start, nodes.len())
}

fn resource_entry(resource: &Resource) -> String {
    format!(
        "e::Resource::new({}, {}, {})",
        literal(&resource.name),
        memory(Place::Variable(resource.at), resource.capacity),
        memory(Place::Variable(resource.value_at), Resource::VALUE_BYTES)
    )
}
