//! The part of a C file that nodes see of the model: subgraphs and variables.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use arenite_abi::ElementType;

use super::tables::{Constant, Graph, ModelTables, Resource};
use super::write::{Text, words};

/// Writes `model`, the `ArEmbeddedModel` of a model with this number of tensors, and its lists.
pub(super) fn write(text: &mut Text, model: &ModelTables, tensors: usize) {
    for (i, graph) in model.graphs.iter().enumerate() {
        for (name, list) in [("inputs", &graph.inputs), ("outputs", &graph.outputs)] {
            if !list.is_empty() {
                let numbers = list.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                text.line(format!("static const int32_t {name}_{i}[] = {{{numbers}}};"));
            }
        }
    }
    text.line(format!("static const ArEmbeddedGraph graphs[{}] = {{", model.graphs.len()));
    for (i, graph) in model.graphs.iter().enumerate() {
        text.line(format!("    {},", graph_entry(i, graph)));
    }
    text.line("};\n");
    for (i, resource) in model.resources.iter().enumerate() {
        let name = Constant { ty: ElementType::U8, bytes: resource.name.clone() };
        let (ty, items) = words(&name);
        text.line(format!("static const {ty} name_{i}[] = {{"));
        text.items(items);
        text.line("};");
    }
    if !model.resources.is_empty() {
        text.line(format!("static const ArEmbeddedResource resources[{}] = {{", model.resources.len()));
        model.resources.iter().enumerate().for_each(|(i, resource)| text.line(resource_entry(i, resource)));
        text.line("};\n");
    }
    let resources = if model.resources.is_empty() { "NULL" } else { "resources" };
    let saved = if model.saved_bytes > 0 { format!("arena + {}", model.saved_at) } else { "NULL".into() };
    text.line(format!(
        "static const ArEmbeddedModel model = {{tensors, {tensors}, graphs, {}, {resources}, {}, {saved}, {},\n\
         \x20   (uint32_t *)(void *)(variables + {})}};\n",
        model.graphs.len(),
        model.resources.len(),
        model.saved_bytes,
        model.calls_at
    ));
}

fn graph_entry(i: usize, graph: &Graph) -> String {
    let Some(nodes) = &graph.nodes else { return "{NULL, 0, NULL, 0, NULL, 0}".into() };
    let list = |name: &str, list: &[i32]| match list.len() {
        0 => "NULL, 0".into(),
        count => format!("{name}_{i}, {count}"),
    };
    let lists = [list("inputs", &graph.inputs), list("outputs", &graph.outputs)].join(", ");
    format!("{{steps + {}, {}, {lists}}}", nodes.start, nodes.len())
}

fn resource_entry(i: usize, resource: &Resource) -> String {
    format!(
        "    {{{{name_{i}, {}}}, variables + {}, {}, (ArEmbeddedValue *)(void *)(variables + {})}},",
        resource.name.len(),
        resource.at,
        resource.capacity,
        resource.value_at
    )
}
