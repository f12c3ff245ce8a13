//! The table of operators in OPERATORS.md: what the registry has, and which delegates take each op.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use arenite::config::{DelegateConfig, OnMissing};
use arenite::{Interpreter, Model, OpInfo, OpKey, Registry, Served};

use crate::op_models::{self, Sound};

const HEAD: &str = "\
# Operators

Written by `cargo run -p arenite-tests --bin op_table` from the registry of the plugins that are linked in by default.

*Versions* are those that the model file names. *Memory*: `in place` where an output may overwrite an input that nothing
else reads, `behind` where it may do so from the input's beginning on, `view` where it has an input's bytes, `part of input`
where it has some of them, `part of output` where an input's bytes become some of its; for the shapes and types that allow
it. *Stateful* ops keep values between invocations, draw random numbers or run subgraphs: they are never computed ahead.
*Delegates*: those that take a small node of this op.
";

/// The document.
///
/// # Errors
/// A model of the table cannot be built.
pub fn markdown(registry: &Arc<Registry>) -> arenite::Result<String> {
    let taken = taken_by_delegates(registry)?;
    let mut text = HEAD.to_owned();
    for plugin in registry.plugins().iter().filter(|plugin| !plugin.ops.is_empty()) {
        let mut builtin: Vec<&OpInfo> = plugin.ops.iter().filter(|op| !is_custom(op)).collect();
        let mut custom: Vec<&OpInfo> = plugin.ops.iter().filter(|op| is_custom(op)).collect();
        builtin.sort_by_key(|op| (op.key.name(), op.versions));
        custom.sort_by_key(|op| (op.key.name(), op.versions));
        let counts = format!("{} builtin, {} custom", builtin.len(), custom.len());
        let _ = writeln!(text, "\n## {} ({counts})\n\n{}\n", plugin.id, plugin.description);
        text.push_str(
            "| op | versions | element types | memory | stateful | delegates |\n|---|---|---|---|---|---|\n",
        );
        for op in builtin.into_iter().chain(custom) {
            row(&mut text, op, taken.get(&op.key.name()));
        }
    }
    Ok(text)
}

fn is_custom(op: &OpInfo) -> bool {
    matches!(op.key, OpKey::Custom(_))
}

fn row(text: &mut String, op: &OpInfo, delegates: Option<&Vec<String>>) {
    let versions = match op.versions {
        (low, high) if low == high => low.to_string(),
        (low, high) => format!("{low}–{high}"),
    };
    let types = op.element_types.as_ref().map_or("any".to_owned(), |types| {
        types.iter().map(|ty| ty.name().to_lowercase()).collect::<Vec<_>>().join(" ")
    });
    let ways = [
        (op.in_place, "in place"),
        (op.view, "view"),
        (op.part_of_input, "part of input"),
        (op.part_of_output, "part of output"),
        (op.behind, "behind"),
    ];
    let memory = ways.iter().filter(|way| way.0).map(|way| way.1).collect::<Vec<_>>().join(", ");
    let stateful = if op.stateful { "yes" } else { "" };
    let delegates = delegates.map_or(String::new(), |names| names.join(", "));
    let _ =
        writeln!(text, "| {} | {versions} | {types} | {memory} | {stateful} | {delegates} |", op.key.name());
}

/// Names of the delegates that take a small node of each op, in order.
fn taken_by_delegates(registry: &Arc<Registry>) -> arenite::Result<BTreeMap<String, Vec<String>>> {
    let mut taken: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in registry.delegate_names() {
        for Sound { op, model, .. } in op_models::all() {
            let model = Model::from_bytes(model.finish())?;
            let mut delegate = DelegateConfig::new(&name);
            delegate.on_missing = OnMissing::Skip;
            delegate.min_nodes = 1;
            let builder = Interpreter::builder(&model).registry(Arc::clone(registry)).threads(1);
            let mut interpreter = builder.delegate(delegate).build()?;
            let takes = interpreter.allocate().is_ok()
                && matches!(interpreter.served_by().first(), Some(Served::Delegate { .. }));
            let names = taken.entry(op.to_owned()).or_default();
            if takes && !names.contains(&name) {
                names.push(name.clone());
            }
        }
    }
    Ok(taken)
}
