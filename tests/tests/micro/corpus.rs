//! A part of the conformance corpus in the micro interpreter. `conformance ../shared/conformance --micro` runs all of
//! it.

use std::num::NonZeroUsize;

use arenite_tests::run::Setup;
use arenite_tests::selection::Selection;
use arenite_tests::{source, suite};

use crate::support::shared;

/// Every `STRIDE`th case is run.
const STRIDE: usize = 23;

#[test]
fn a_part_of_the_corpus() {
    let Some(folder) = shared("conformance") else { return };
    let cases = source::find(&folder).expect("the file has cases").into_iter().step_by(STRIDE).collect();
    let setup = Setup { micro: true, ..Setup::linked_in().expect("the plugins that are linked") };
    let selection = Selection::all().expect("the project's exclusions");
    let summary = suite::run(cases, &selection, &setup, NonZeroUsize::MIN, |_| {});
    println!("{summary}");
    assert_eq!(summary.totals.failed, 0, "{summary}");
    assert!(summary.totals.passed > 2 * summary.refused.len());
}

/// All cases of control flow and variables.
#[test]
fn families_of_control_flow() {
    let Some(folder) = shared("conformance") else { return };
    let setup = Setup { micro: true, ..Setup::linked_in().expect("the plugins that are linked") };
    let selection = Selection::all().expect("the project's exclusions");
    let families =
        ["cond", "while", "x_if", "x_stablehlo_case", "x_stablehlo_composite", "x_variables", "x_while"];
    let cases = families.map(|family| source::find(&folder.join(family).with_extension("zip")));
    let cases = cases.into_iter().flat_map(|cases| cases.expect("the file has cases")).collect();
    let summary = suite::run(cases, &selection, &setup, NonZeroUsize::MIN, |_| {});
    println!("{summary}");
    assert_eq!(summary.totals.failed, 0, "{summary}");
    for family in ["cond", "x_if", "x_stablehlo_case", "x_stablehlo_composite", "x_variables", "x_while"] {
        assert!(summary.ops[family].passed > 0, "{family}: {summary}");
    }
}
