//! Previews of the nodes that delegates would claim.

use arenite::config::DelegateConfig;
use arenite::{DelegatePreview, Interpreter, Model, NodeProvider};

use crate::models::{dynamic_chain, f32s, message, model, node};
use crate::plugin;

/// `−(count(−x))`: no delegate supports the node in the middle.
fn interrupted() -> Model {
    model(|m, g| {
        let (x, y) = (g.input(f32s("x", &[2])), g.output(f32s("y", &[2])));
        let (a, b) = (g.tensor(f32s("a", &[2])), g.tensor(f32s("b", &[2])));
        node(m, g, "NEG", &[x], a);
        node(m, g, "Count", &[a], b);
        node(m, g, "NEG", &[b], y);
    })
}

fn interpreter(delegates: &[DelegateConfig]) -> Interpreter {
    let builder = Interpreter::builder(&interrupted()).registry(plugin::registry());
    delegates.iter().cloned().fold(builder, |b, delegate| b.delegate(delegate)).build().unwrap()
}

fn failing(call: &str) -> DelegateConfig {
    let mut config = DelegateConfig::new("failing");
    config.options = vec![("in".into(), call.into())];
    config
}

fn preview(delegates: &[DelegateConfig]) -> Vec<DelegatePreview> {
    interpreter(delegates).preview_delegates(0).unwrap()
}

#[test]
fn a_preview_matches_allocate() {
    let mut interpreter = interpreter(&[]);
    let found = interpreter.preview_delegates(0).unwrap();
    assert_eq!(interpreter.preview_delegates(0).unwrap(), found);
    assert_eq!((found.len(), &found[0].delegate[..]), (1, "cpu"));
    assert_eq!(found[0].partitions, [[0], [2]]);
    assert_eq!(found[0].refusals.iter().map(|(node, _)| *node).collect::<Vec<_>>(), [1]);
    assert!(message(interpreter.invoke()).contains("call allocate()"));
    interpreter.allocate().unwrap();
    let owner = |partition| NodeProvider::Delegate { name: "cpu".into(), partition };
    let served = interpreter.served_by();
    assert_eq!((&served[0], &served[2]), (&owner(0), &owner(1)));
    assert_eq!(interpreter.refusals()[1], [("cpu".to_owned(), found[0].refusals[0].1.clone())]);
    assert!(message(interpreter.preview_delegates(0)).contains("served_by()"));
    interpreter.resize_input(0, &[3]).unwrap();
    assert_eq!(interpreter.preview_delegates(0).unwrap(), found);
    interpreter.allocate().unwrap();
    interpreter.invoke().unwrap();
    assert!(message(interpreter.preview_delegates(7)).contains("subgraph 7 does not exist"));
}

#[test]
fn delegates_claim_in_turn_and_compile_nothing() {
    let found = preview(&[failing("compile")]);
    assert_eq!((&found[0].delegate[..], &found[0].partitions[..]), ("failing", &[vec![0, 1, 2]][..]));
    assert_eq!((&found[1].delegate[..], found[1].partitions.len(), &found[1].left_out), ("cpu", 0, &None));

    let found = preview(&[failing("claim")]);
    assert!(found[0].partitions.is_empty());
    let reason = found[0].left_out.as_deref().expect("it cannot claim");
    assert!(reason.contains("requested failure"), "{reason}");
    assert_eq!(found[1].partitions, [[0], [2]]);

    let mut cpu = DelegateConfig::new("cpu");
    cpu.min_nodes = 2;
    let found = preview(&[cpu]);
    assert!(found[0].partitions.is_empty());
    assert!(found[0].refusals[0].1.contains("min_nodes is 2"), "{found:?}");
}

#[test]
fn a_preview_ends_at_a_dynamic_shape() {
    let mut interpreter = Interpreter::builder(&dynamic_chain(2, &[2])).build().unwrap();
    let found = interpreter.preview_delegates(0).unwrap();
    assert!(found[0].partitions.is_empty());
    assert_eq!(found[0].refusals, [(0, "the shape of its result is unknown before it runs".to_owned())]);
}
