//! Compares a delegate's results for a graph with the reference ops'.
//!
//! * Where the reference ops succeed, the delegate succeeds, within the bounds of `bounds.rs`.
//! * Where they fail, in whichever call, the delegate fails in the same call with an error of the same kind. Unserved
//!   nodes are reported only after the delegates have claimed, so another node may fail first; then any error is
//!   accepted.
//! * Neither panics. A limit on memory or time may stop only one of them.

use arenite::ElementType::Bool;

use super::bounds::{self, Bound, EXACT, bounds};
use super::graph::{Graph, Setting};
use super::run::{Answers, Array, Failure, LIMIT, Run};
use crate::case::Tolerance;
use crate::compare;

/// The result of comparing a graph's runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The results agree.
    Same {
        /// The number of outputs compared,
        judged: usize,
        /// and of those without a bound.
        unknown: usize,
    },
    /// Both refused the graph.
    Refused,
    /// One of them reached a limit.
    Limited,
    /// A description of the difference.
    Differs(String),
}

/// Compares a graph's runs.
pub fn judge(graph: &Graph, setting: &Setting, reference: &Run, got: &Run) -> Verdict {
    let (mut judged, mut unknown, mut refused) = (0, 0, false);
    let mut known = None;
    for (i, (want, got)) in reference.steps.iter().zip(&got.steps).enumerate() {
        let differs = |text: String| Verdict::Differs(format!("invocation {}: {text}", i + 1));
        match (want, got) {
            (Err(failure), _) | (_, Err(failure)) if failure.kind == LIMIT => return Verdict::Limited,
            (Err(failure), _) | (_, Err(failure)) if failure.kind == "panic" => {
                return differs(format!("a panic: {}", failure.text));
            }
            (Err(want), Err(got)) => match agree(want, got) {
                true => refused = true,
                false => return differs(format!("{}, but the reference ops {}", words(got), words(want))),
            },
            (Ok(_), Err(got)) => return differs(format!("{}, but the reference ops succeed", words(got))),
            (Err(want), Ok(_)) => {
                return differs(format!("it succeeds, but the reference ops {}", words(want)));
            }
            (Ok(want), Ok(got)) => {
                match answers(graph, want, got, &allowed(graph, setting, want, &mut known)) {
                    Ok([these, not]) => (judged, unknown) = (judged + these, unknown + not),
                    Err(text) => return differs(text),
                }
            }
        }
    }
    if refused && judged + unknown == 0 { Verdict::Refused } else { Verdict::Same { judged, unknown } }
}

/// The results of a graph with variables. `want` are the reference ops' results for the unrolled graph, which has no
/// variables. They must be the same, bit for bit, as their results for the graph itself, `reference`. The reference ops
/// may refuse a node that reads and writes a variable without in-place support, or that writes a value of another type,
/// of another size or of a data-dependent shape to a variable. They must refuse everything that they refuse without
/// variables.
///
/// # Errors
/// The verdict, if the reference ops contradict themselves or reach a limit.
pub fn expected(graph: &Graph, unrolled: &Graph, want: Run, reference: Run) -> Result<Run, Verdict> {
    let mut expected = Run { steps: Vec::new(), delegated: Vec::new() };
    for (i, (want, plain)) in want.steps.into_iter().zip(reference.steps).enumerate() {
        let differs = |text| {
            Err(Verdict::Differs(format!("invocation {}: with variables, reference ops {text}", i + 1)))
        };
        match (want, plain) {
            (Err(failure), _) | (_, Err(failure)) if failure.kind == LIMIT => return Err(Verdict::Limited),
            (Ok(want), Ok(plain)) => match unlike(&want, &plain) {
                Some(output) => return differs(format!("compute another output {output}")),
                None => expected.steps.push(Ok(want)),
            },
            (Err(want), Ok(_)) => return differs(format!("succeed, but without them they {}", words(&want))),
            (want, Err(plain)) => {
                let alike = match want {
                    Ok(want) => retypes(graph, unrolled, &want, &plain),
                    Err(want) => agree(&want, &plain) || outgrows(&want, &plain),
                };
                if !alike && !is_of_variable(graph, &plain) {
                    return differs(words(&plain));
                }
                expected.steps.push(Err(plain));
                break;
            }
        }
    }
    Ok(expected)
}

/// Whether a node was refused because it reads and writes a variable, or because it writes a value of another size or a
/// data-dependent shape to one.
fn is_of_variable(graph: &Graph, failure: &Failure) -> bool {
    let main = &graph.model.subgraphs[0];
    let Some(node) = failure.node.and_then(|node| main.operators.get(node)) else { return false };
    let is_variable = |t: i32| main.tensors.get(t as usize).is_some_and(|tensor| tensor.is_variable);
    let mut written = node.outputs.iter().filter(|&&t| is_variable(t));
    match failure.text.contains("and writes it, but does not work in place here") {
        true => written.any(|t| node.inputs.contains(t)),
        false => {
            let text = &failure.text;
            let is_size = text.contains(" is a variable of ") && text.contains(" bytes, the op writes ");
            written.next().is_some() && (is_size || text.ends_with("a variable and cannot be dynamic"))
        }
    }
}

/// Whether the refused node writes a variable and computes another type without it. An op may set the type of its
/// result, but not of a variable.
fn retypes(graph: &Graph, unrolled: &Graph, want: &Answers, plain: &Failure) -> bool {
    let [main, plain_main] = [graph, unrolled].map(|graph| &graph.model.subgraphs[0]);
    let Some(node) = plain.node.filter(|&node| node < main.operators.len()) else { return false };
    let mut pairs = main.operators[node].outputs.iter().zip(&plain_main.operators[node].outputs);
    pairs.any(|(&variable, &result)| {
        let declared = &main.tensors[variable as usize];
        let computed = want.tensors[result as usize].as_ref();
        declared.is_variable && computed.is_some_and(|array| array.ty as i32 != declared.element_type)
    })
}

/// Whether both were refused because a variable would change its size.
fn outgrows(want: &Failure, plain: &Failure) -> bool {
    want.is_of_size() && plain.text.contains("is a variable of")
}

/// The first output that differs in `plain`, among the outputs that `plain` has as well.
fn unlike(want: &Answers, plain: &Answers) -> Option<usize> {
    let pairs = want.outputs.iter().zip(&plain.outputs);
    pairs.into_iter().position(|(a, b)| (a.ty, &a.shape, &a.bytes) != (b.ty, &b.shape, &b.bytes))
}

/// Whether both were refused for the same reason.
fn agree(want: &Failure, got: &Failure) -> bool {
    want.stage == got.stage && (want.kind == got.kind || want.is_unserved())
}

fn words(failure: &Failure) -> String {
    format!("refuse at {} ({}: {})", failure.stage, failure.kind, failure.text)
}

/// The bounds of the tensors in this invocation; `known` holds the previous invocation's bounds, and is updated.
fn allowed(
    graph: &Graph,
    setting: &Setting,
    want: &Answers,
    known: &mut Option<Vec<Option<Bound>>>,
) -> Vec<Option<Bound>> {
    let before = known.take().filter(|_| !want.restarted);
    let bounds = bounds(graph, &want.tensors, setting, before.as_deref());
    known.insert(bounds).clone()
}

/// The number of outputs compared and of those without a bound, or a description of the difference.
fn answers(
    graph: &Graph,
    want: &Answers,
    got: &Answers,
    bounds: &[Option<Bound>],
) -> Result<[usize; 2], String> {
    let mut counts = [0, 0];
    for (i, &tensor) in graph.model.subgraphs[0].outputs.iter().enumerate().take(got.outputs.len()) {
        let (want, got) = (&want.outputs[i], &got.outputs[i]);
        if (want.ty, &want.shape) != (got.ty, &got.shape) || want.bytes.len() != got.bytes.len() {
            let form = |array: &Array| format!("{} {:?}", array.ty, array.shape);
            return Err(format!(
                "output {tensor} is {}, but the reference ops compute {}",
                form(got),
                form(want)
            ));
        }
        let known = bounds.get(tensor as usize).copied().flatten();
        let Some(bound) = known.filter(|&bound| bound == EXACT || want.ty != Bool) else {
            counts[1] += 1;
            continue;
        };
        let steps = bounds::step(graph, tensor).map_or(0.0, |step| (bound.abs / step).floor());
        let tolerance = Tolerance { float_abs: bound.abs, float_rel: bound.rel, int_steps: steps };
        match compare::elements(want.ty, &want.shape, &got.bytes, &want.bytes, tolerance) {
            Ok(Some(difference)) => return Err(format!("output {tensor}: {difference}; {bound:?}")),
            Ok(None) => counts[0] += 1,
            Err(_) => counts[1] += 1,
        }
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use arenite_model::tensor_type::{INT32, INT64};

    use super::super::graph::Kind;
    use super::super::run::run;
    use super::super::{check, draw, setting};
    use super::*;

    /// Seeds whose graphs run and agree, and their runs on reference ops.
    fn agreeing() -> impl Iterator<Item = (Graph, Run)> {
        let graphs = (0..60).map(draw).filter(|graph| graph.spoilt.is_none());
        let runs = graphs.map(|graph| {
            let run = run(&graph, None);
            (graph, run)
        });
        runs.filter(|(_, run)| run.steps.iter().all(Result::is_ok))
    }

    fn judged(graph: &Graph, got: &Run) -> Verdict {
        judge(graph, &setting(graph.seed), &run(graph, None), got)
    }

    #[test]
    fn a_changed_result_is_reported() {
        let (mut same, mut other) = (0, 0);
        for (graph, mut got) in agreeing() {
            let verdict = judged(&graph, &got);
            assert!(matches!(verdict, Verdict::Same { .. }), "{graph}{verdict:?}");
            same += 1;
            let Ok(answers) = &mut got.steps[1] else { continue };
            let Some(output) = answers.outputs.iter_mut().find(|output| !output.bytes.is_empty()) else {
                continue;
            };
            // Flips the sign of floats, and the most significant bit of integers.
            let last = output.ty.bits() as usize / 8 - 1;
            output.bytes[last] ^= 0x80;
            other += usize::from(matches!(judged(&graph, &got), Verdict::Differs(_)));
        }
        // If the first element is zero, or no bound is known, it does not differ.
        assert!(same > 30 && other * 10 > same * 7, "{other} of {same}");
    }

    #[test]
    fn an_op_cannot_change_the_type_of_a_variable() {
        let is_arg = |graph: &Graph| {
            graph.spoilt.is_none() && matches!(graph.notes[..], [(Kind { op: "ARG_MAX", .. }, _)])
        };
        let mut graph = (0..).map(draw).find(is_arg).expect("one is drawn");
        let main = &mut graph.model.subgraphs[0];
        let result = &mut main.tensors[main.operators[0].outputs[0] as usize];
        result.is_variable = true;
        result.element_type = if result.element_type == INT32 { INT64 } else { INT32 };
        let setting = setting(graph.seed);
        assert_eq!(check(graph, &setting).verdict, Verdict::Refused);
    }

    #[test]
    fn errors_are_compared_by_kind() {
        let failure =
            |stage, kind: &str| Failure { stage, kind: kind.to_owned(), text: String::new(), node: None };
        let run = |failure: Failure| Run { steps: vec![Err(failure)], delegated: Vec::new() };
        let (graph, answers) = agreeing().next().expect("one exists");
        let judge = |want: &Run, got: &Run| judge(&graph, &setting(graph.seed), want, got);
        let of = |want, got| judge(&run(want), &run(got));
        let invalid = || failure("allocate", "node Invalid");
        assert_eq!(of(invalid(), invalid()), Verdict::Refused);
        assert_eq!(of(failure("allocate", "unresolved op"), invalid()), Verdict::Refused);
        assert!(matches!(of(invalid(), failure("invoke", "node Invalid")), Verdict::Differs(_)));
        assert!(matches!(of(invalid(), failure("allocate", "node Internal")), Verdict::Differs(_)));
        assert!(matches!(of(failure("run", "panic"), failure("run", "panic")), Verdict::Differs(_)));
        assert_eq!(of(invalid(), failure("allocate", LIMIT)), Verdict::Limited);
        assert!(matches!(judge(&answers, &run(invalid())), Verdict::Differs(_)));
        assert!(matches!(judge(&run(invalid()), &answers), Verdict::Differs(_)));
    }
}
