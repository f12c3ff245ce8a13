//! Questions that a delegate asks the host before it claims.

use std::sync::Arc;

use arenite::config::DelegateConfig;
use arenite::{Interpreter, Model, Registry};
use arenite_abi::prelude::*;

use crate::models::{f32s, model, node};
use crate::plugin::PLUGIN;

/// Refuses all nodes; the reason is the host's answer.
struct Asks;

struct AsksKernel;

impl Delegate for Asks {
    const NAME: &'static str = "asks";
    type Kernel = AsksKernel;

    fn create(_: &OptionPairs<'_>) -> Result<Self> {
        Ok(Asks)
    }

    fn vouch(&self, _: &NodeView<'_>) -> bool {
        true
    }

    fn claim(&self, graph: &GraphView<'_>, claims: &mut Claims<'_>) -> Result<()> {
        let count = graph.node_count();
        let all = vec![0; count];
        let apart: Vec<u32> = (0..count).map(|i| if i == 1 { Claims::REFUSED } else { 5 }).collect();
        let alternating: Vec<u32> = (0..count as u32).map(|i| (i + 1) % 2).collect();
        let mut texts = Vec::new();
        for rounds in [all, apart, alternating] {
            let partitions = claims.partitions(&rounds)?;
            let text = partitions.map(|p| format!("{:?}{:?}{:?}", p.node_indices(), p.inputs(), p.outputs()));
            texts.push(text.collect::<Vec<_>>().join(" "));
        }
        texts.push((claims.partitions(&[]).is_err() && claims.server(count).is_err()).to_string());
        let servers = (0..count).map(|i| Ok(format!("{:?}", claims.server(i)?)));
        let servers = servers.collect::<Result<Vec<String>>>()?.join(" ");
        for i in 0..count {
            claims.refuse(i, &format!("{servers} | {}", texts.join(" | ")));
        }
        Ok(())
    }

    fn compile(&self, _: &PartitionView<'_>) -> Result<AsksKernel> {
        Err(invalid!("it claims no nodes"))
    }
}

impl DelegateKernel for AsksKernel {
    fn prepare(&mut self, _: &PartitionView<'_>, _: &mut PrepareContext<'_>) -> Result<()> {
        Err(invalid!("it claims no nodes"))
    }

    fn invoke(&mut self, _: &PartitionView<'_>, _: &mut EvalContext<'_>) -> Result<()> {
        Err(invalid!("it claims no nodes"))
    }
}

/// `−(op(−x))`
fn chain(middle: &str) -> Model {
    model(|m, g| {
        let (x, y) = (g.input(f32s("x", &[2])), g.output(f32s("y", &[2])));
        let (a, b) = (g.tensor(f32s("a", &[2])), g.tensor(f32s("b", &[2])));
        node(m, g, "NEG", &[x], a);
        node(m, g, middle, &[a], b);
        node(m, g, "NEG", &[b], y);
    })
}

/// The answers that `asks` gets, with these delegates in this order.
fn answers(middle: &str, delegates: &[&str]) -> String {
    let mut registry = Registry::with_static_plugins().expect("they are linked in");
    registry.add_plugin(&PLUGIN).expect("it is sound");
    registry.add_delegate("asks", Asks::create).expect("the name is free");
    let builder =
        Interpreter::builder(&chain(middle)).without_default_delegate().registry(Arc::new(registry));
    let builder = delegates.iter().fold(builder, |b, &name| b.delegate(DelegateConfig::new(name)));
    let found =
        builder.build().and_then(|mut interpreter| interpreter.preview_delegates(0)).expect("it asks");
    let asked = found.iter().find(|preview| preview.delegate == "asks").expect("it was asked");
    let own = asked.refusals.iter().find(|(node, _)| *node == 1);
    own.expect("it refuses node 1").1.clone()
}

/// The partitions of all nodes, of the first and the last, and of these in a later round than the one between.
const PARTITIONS: &str = "[0, 1, 2][0][1] | [0][0][2] [2][3][1] | [0][0][2] [1][2][3] [2][3][1] | true";

const CPU: &str = "Delegate(\"cpu\")";
const COUNT: &str = "Op(\"org.arenite.test.runtime\")";
const NEG: &str = "Op(\"org.arenite.ops\")";

#[test]
fn a_later_delegate_or_an_op_serves_a_node() {
    assert_eq!(answers("Count", &["asks", "cpu"]), format!("{CPU} {COUNT} {CPU} | {PARTITIONS}"));
    assert_eq!(answers("Count", &["asks"]), format!("{NEG} {COUNT} {NEG} | {PARTITIONS}"));
}

#[test]
fn an_earlier_delegate_serves_a_node() {
    assert_eq!(answers("Count", &["cpu", "asks"]), format!("{CPU} {COUNT} {CPU} | {PARTITIONS}"));
}

#[test]
fn nothing_serves_a_node() {
    assert_eq!(answers("Nothing", &["asks"]), format!("{NEG} Nothing {NEG} | {PARTITIONS}"));
}
