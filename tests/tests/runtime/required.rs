//! Delegates that must run nodes: it is an error, with the reasons, if a node runs elsewhere.

use std::sync::Arc;

use arenite::config::{DelegateConfig, OnFailure, OnMissing, Require};
use arenite::{Interpreter, Model, NodeProvider, OpKey, Registry};
use arenite_abi::object::closures;
use arenite_abi::schema::op;

use crate::models::{f32s, message, model, negation, node, output};
use crate::plugin;

/// `y = SQRT(NEG(x))`
fn root() -> Model {
    model(|m, g| {
        let (x, a) = (g.input(f32s("x", &[2])), g.tensor(f32s("a", &[2])));
        let y = g.output(f32s("y", &[2]));
        node(m, g, "NEG", &[x], a);
        node(m, g, "SQRT", &[a], y);
    })
}

fn cpu(change: impl FnOnce(&mut DelegateConfig)) -> DelegateConfig {
    let mut config = DelegateConfig::new("cpu");
    config.require = Require::AllNodes;
    change(&mut config);
    config
}

fn allocate(model: &Model, config: DelegateConfig) -> Result<Interpreter, String> {
    let built = Interpreter::builder(model).delegate(config).build();
    let mut interpreter = built.map_err(|error| error.to_string())?;
    interpreter.allocate().map_err(|error| error.to_string())?;
    Ok(interpreter)
}

fn exclude(op: &str) -> impl FnOnce(&mut DelegateConfig) {
    let op = op.to_owned();
    move |config| config.exclude_ops = vec![op]
}

#[test]
fn a_delegate_that_runs_all_nodes_is_no_error() {
    let mut interpreter = allocate(&root(), cpu(|_| {})).unwrap();
    interpreter.input_mut(0).unwrap().copy_from_slice(&[-4.0f32, -9.0]).unwrap();
    interpreter.invoke().unwrap();
    assert_eq!(output(&interpreter, 0).1, [2.0, 3.0]);
}

#[test]
fn a_node_that_runs_elsewhere_is_an_error_with_the_reason() {
    let error = allocate(&root(), cpu(exclude("SQRT"))).map(drop).unwrap_err();
    assert_eq!(
        error,
        "delegate 'cpu': it must run all nodes, but 1 of 2 run elsewhere:\n  \
         SQRT (node 1, output 'y'): SQRT is in exclude_ops\n  \
         leave out `require`, or list the ops that the delegate must run"
    );
}

#[test]
fn only_the_named_ops_are_required() {
    let require = |op: &str| {
        let ops = Require::Ops(vec![op.to_owned()]);
        allocate(&root(), cpu(|config| (config.require, config.exclude_ops) = (ops, vec!["SQRT".to_owned()])))
    };
    assert!(require("NEG").is_ok());
    assert!(
        require("SQRT")
            .map(drop)
            .unwrap_err()
            .contains("it must run all nodes of SQRT, but 1 of 1 run elsewhere")
    );
    let unknown = require("SQUARE_ROOT").map(drop).unwrap_err();
    assert!(
        unknown.ends_with("names 'SQUARE_ROOT', which is neither a builtin op nor an op of the model"),
        "{unknown}"
    );
}

#[test]
fn a_delegate_that_another_one_precedes_is_an_error() {
    let build = Interpreter::builder(&negation(&[2])).delegate(DelegateConfig::new("cpu"));
    let mut later = DelegateConfig::new("failing");
    later.options = vec![("in".into(), "invoke".into())];
    later.require = Require::AllNodes;
    let mut interpreter = build.registry(plugin::registry()).delegate(later).build().unwrap();
    let error = message(interpreter.allocate());
    assert!(error.contains("NEG (node 0, output 'y'): delegate 'cpu' runs it"), "{error}");
}

#[test]
fn a_required_delegate_that_fails_is_an_error() {
    for call in ["claim", "compile", "prepare"] {
        let mut config = DelegateConfig::new("failing");
        config.options = vec![("in".into(), call.into())];
        config.require = Require::AllNodes;
        let build = Interpreter::builder(&negation(&[2])).registry(plugin::registry()).delegate(config);
        let error = message(build.build().unwrap().allocate());
        assert!(error.contains("failing"), "{call}: {error}");
    }
}

#[test]
fn settings_that_contradict_require_are_an_error() {
    let skip = allocate(&root(), cpu(|config| config.on_missing = OnMissing::Skip)).map(drop).unwrap_err();
    assert_eq!(
        skip,
        "delegate 'cpu': `require` and `on_missing = \"skip\"` contradict each other: leave one of them out"
    );
    let fallback =
        allocate(&root(), cpu(|config| config.on_failure = OnFailure::Fallback)).map(drop).unwrap_err();
    assert!(fallback.contains("`on_failure = \"fallback\"`"), "{fallback}");
    let none = allocate(&root(), cpu(|config| config.name = "none".to_owned())).map(drop).unwrap_err();
    assert!(none.contains("'none' means no delegate"), "{none}");
}

/// The program's op for a builtin code runs, although the CPU delegate could claim the node.
#[test]
fn an_op_that_the_program_replaced_runs_under_default_settings() {
    let registry = || {
        let tenfold = closures(
            |node, cx| cx.set_output_shape(0, node.unary()?.0.shape),
            |(), cx| {
                let (x, y) = (cx.input(0)?, cx.output(0)?.into_slice::<f32>()?);
                y.iter_mut().zip(x.as_slice::<f32>()?).for_each(|(y, x)| *y = 10.0 * x);
                Ok(())
            },
        );
        let mut registry = Registry::new();
        registry.add_op(OpKey::Builtin(op::NEG), 1..=1, tenfold).unwrap();
        registry.add_static_plugins().unwrap();
        Arc::new(registry)
    };
    let mut interpreter = Interpreter::builder(&root()).registry(registry()).build().unwrap();
    interpreter.allocate().unwrap();
    assert_eq!(interpreter.served_by()[0], NodeProvider::Plugin("program".into()));
    interpreter.input_mut(0).unwrap().copy_from_slice(&[0.1f32, 0.9]).unwrap();
    interpreter.invoke().unwrap();
    assert_eq!(output(&interpreter, 0).1, [1.0, 3.0]);

    let required = Interpreter::builder(&root()).registry(registry()).delegate(cpu(|_| {}));
    let error = message(required.build().unwrap().allocate());
    assert!(
        error.contains("NEG (node 0, output 'a'): the NEG of plugin 'program' was chosen for it"),
        "{error}"
    );
}
