//! Random graphs of all ops that the CPU delegate claims: its results are checked against the reference ops.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread::available_parallelism;

use arenite::config::DelegateConfig;
use arenite::{Interpreter, Model, NodeProvider};
use arenite_tests::differential::campaign::{Campaign, Fixed};
use arenite_tests::differential::ops::{Entry, FAMILIES};
use arenite_tests::op_models;

/// Enough to draw each form that the delegate claims. With a release build, `.ci/run` draws more at each instruction
/// set.
const GRAPHS: u64 = 5_000;

fn campaign(program: PathBuf, graphs: u64, workers: u64) -> Campaign {
    Campaign { program, first: 0, graphs, workers, fixed: Fixed::default(), save: None }
}

fn entries() -> impl Iterator<Item = &'static Entry> {
    FAMILIES.into_iter().flatten()
}

#[test]
fn five_thousand_graphs_agree() {
    let workers = available_parallelism().map_or(2, NonZeroUsize::get) as u64;
    let program = PathBuf::from(env!("CARGO_BIN_EXE_differential"));
    let tally = campaign(program, GRAPHS, workers).run(&|| {}).expect("the program runs");
    let found: Vec<String> =
        tally.found.iter().take(5).map(|found| format!("seed {}: {}", found.seed, found.text)).collect();
    assert!(found.is_empty(), "{} graphs differ, the first: {}", tally.found.len(), found.join("\n"));
    assert_eq!(tally.graphs, GRAPHS);
    for entry in entries() {
        for form in entry.claimed {
            let name = format!("{} {form}", entry.op);
            let [all, delegated] = tally.nodes.get(&name).copied().unwrap_or_default();
            assert!(delegated > 0, "{name}: the delegate ran none of {all}");
        }
    }
    assert!(tally.variables * 10 > tally.graphs, "{tally}");
    // Most graphs are useful: they run, and their outputs are compared.
    assert!(tally.refused * 5 < tally.graphs && tally.limited * 1000 < tally.graphs, "{tally}");
    assert!(tally.unknown * 20 < tally.judged, "{tally}");
}

/// Every op that the delegate claims in any of the small models is also drawn in random graphs.
#[test]
fn every_op_that_the_delegate_claims_is_drawn() {
    let drawn: BTreeSet<&str> = entries().filter(|e| !e.claimed.is_empty()).map(|entry| entry.op).collect();
    let mut claimed = BTreeSet::new();
    // Ops that call subgraphs are excluded: whether they are claimed depends on the subgraph.
    for sound in op_models::all().into_iter().filter(|sound| sound.model.subgraphs.len() == 1) {
        let model = Model::from_bytes(sound.model.finish()).expect("it is sound");
        let builder = Interpreter::builder(&model).delegate(DelegateConfig::new("cpu"));
        let mut interpreter = builder.build().expect("it builds");
        if interpreter.allocate().is_ok()
            && interpreter.served_by().iter().any(|served| matches!(served, NodeProvider::Delegate { .. }))
        {
            claimed.insert(sound.op);
        }
    }
    let missing: Vec<_> = claimed.difference(&drawn).collect();
    assert!(missing.is_empty(), "the tables of tests/src/differential/ops lack {missing:?}");
    assert!(claimed.len() > 50, "{claimed:?}");
}

/// When a process dies, the seed it printed last is reported, and the next process continues after it.
#[cfg(unix)]
#[test]
fn a_crash_is_reported_with_its_seed() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("dies");
    // Its arguments are `--stride 1 --seed N --graphs …`.
    std::fs::write(&program, "#!/bin/sh\necho \"seed $4\"\nkill -9 $$\n").expect("it is written");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("it may run");
    let tally = campaign(program, 3, 1).run(&|| {}).expect("it starts");
    assert_eq!(tally.found.iter().map(|found| found.seed).collect::<Vec<_>>(), [0, 1, 2]);
    assert!(tally.found[0].text.contains("signal: 9"), "{}", tally.found[0].text);
}
