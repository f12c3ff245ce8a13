//! Time in nodes that no delegate runs, with the delegates' reasons.

use arenite::Interpreter;
use arenite_common::profile::OpTime;
use serde::Serialize;

use super::detail::{Detail, WIDTH};
use crate::text;

/// Percent of the time from which such nodes are worth a line.
const WORTH: f64 = 5.0;
/// Groups of nodes that are listed.
const LISTED: usize = 5;
/// The longest name in a reason.
const NAME: usize = 24;

/// The nodes that no delegate runs.
#[derive(Serialize)]
pub(super) struct Gaps {
    percent: f64,
    nodes: usize,
    /// By op and reason, slowest first.
    ops: Vec<Gap>,
    /// Whether the settings use no delegate at all.
    #[serde(skip)]
    is_without: bool,
}

/// Nodes of one op that delegates refuse for the same reasons.
#[derive(Serialize)]
struct Gap {
    op: String,
    nodes: usize,
    percent: f64,
    refusals: Vec<Refusal>,
}

#[derive(Clone, PartialEq, Eq, Serialize)]
struct Refusal {
    delegate: String,
    reason: String,
}

impl Gaps {
    /// Groups the rows of a profile that belong to nodes of this subgraph. Reasons that differ only in names in
    /// quotation marks are one group.
    pub(super) fn of(ops: &[OpTime], interpreter: &Interpreter, subgraph: usize) -> Self {
        let refusals = interpreter.refusals_of(subgraph);
        let mut gaps: Vec<Gap> = Vec::new();
        for (op, node) in ops.iter().filter_map(|op| Some((op, op.node?))) {
            let refusals = refusals.get(node).into_iter().flatten();
            let refusal = |(delegate, reason): &(String, String)| Refusal {
                delegate: delegate.clone(),
                reason: reason.clone(),
            };
            let refusals: Vec<Refusal> = refusals.map(refusal).collect();
            match gaps.iter_mut().find(|gap| gap.op == op.op && gap.has_reasons(&refusals)) {
                Some(gap) => (gap.nodes, gap.percent) = (gap.nodes + 1, gap.percent + op.percent),
                None => gaps.push(Gap { op: op.op.clone(), nodes: 1, percent: op.percent, refusals }),
            }
        }
        gaps.sort_by(|a, b| b.percent.total_cmp(&a.percent));
        Gaps {
            percent: gaps.iter().fold(0.0, |sum, gap| sum + gap.percent),
            nodes: gaps.iter().map(|gap| gap.nodes).sum(),
            ops: gaps,
            is_without: interpreter.delegates().is_empty(),
        }
    }

    /// Whether the printed lines name the only node of this op.
    pub(super) fn names(&self, op: &str) -> bool {
        let mut listed = self.ops.iter().take(LISTED);
        !self.is_without && self.percent >= WORTH && listed.any(|gap| gap.op == op && gap.nodes == 1)
    }

    /// A sentence, and a line per op and reason.
    pub(super) fn lines(&self, detail: Detail) -> Vec<String> {
        let Gaps { percent, nodes, ops, is_without } = self;
        if *is_without {
            return vec![
                "no delegate is used, so reference ops run every node; try it without --delegate none"
                    .to_owned(),
            ];
        }
        if *percent < WORTH {
            let none = "delegates run every node".to_owned();
            let little = format!("{percent:.1} % of the time is in nodes that no delegate runs");
            let line = if *nodes == 0 { none } else { little };
            return if detail == Detail::All { vec![line] } else { Vec::new() };
        }
        let nodes = text::count(*nodes, "node");
        let mut lines = vec![format!("{percent:.0} % of the time is in {nodes} that no delegate runs:")];
        lines.extend(ops.iter().take(LISTED).filter(|gap| gap.percent >= 0.1).map(Gap::line));
        lines
    }
}

impl Gap {
    fn has_reasons(&self, refusals: &[Refusal]) -> bool {
        let key = |refusal: &Refusal| (refusal.delegate.clone(), quoted(&refusal.reason, |_| String::new()));
        self.refusals.iter().map(key).eq(refusals.iter().map(key))
    }

    fn line(&self) -> String {
        let Gap { op, nodes, percent, refusals } = self;
        let times = if *nodes > 1 { format!(" ({nodes} nodes)") } else { String::new() };
        // The name of one of several nodes would mislead.
        let name = |name: &str| if *nodes > 1 { "…".to_owned() } else { text::shorten(name, NAME) };
        let reason = |Refusal { delegate, reason }: &Refusal| format!("{delegate}: {}", quoted(reason, name));
        let reasons = match &refusals[..] {
            [] => "no delegate is allowed to run it".to_owned(),
            refusals => refusals.iter().map(reason).collect::<Vec<_>>().join("; "),
        };
        format!("  {percent:>5.1} %  {}{times}  {}", text::shorten(op, 40), text::shorten(&reasons, WIDTH))
    }
}

/// `text` with `change` applied to each part in quotation marks. A last part that was cut ends at the end of the text;
/// otherwise text with an odd number of marks stays as it is.
fn quoted(text: &str, change: impl Fn(&str) -> String) -> String {
    let parts: Vec<&str> = text.split('\'').collect();
    let is_open = parts.len().is_multiple_of(2);
    if is_open && !text.ends_with('…') {
        return text.to_owned();
    }
    let close = if is_open { "'" } else { "" };
    let parts = parts.iter().enumerate();
    let parts = parts.map(|(i, part)| if i.is_multiple_of(2) { (*part).to_owned() } else { change(part) });
    parts.collect::<Vec<_>>().join("'") + close
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gap(op: &str, nodes: usize, percent: f64, reason: &str) -> Gap {
        let refusals = vec![Refusal { delegate: "cpu".into(), reason: reason.into() }];
        Gap { op: op.into(), nodes, percent, refusals }
    }

    #[test]
    fn lines_join_time_and_reason() {
        let ops = vec![gap("RESIZE_BILINEAR", 3, 41.9, "UINT8"), gap("ARG_MAX", 1, 35.3, "no fast kernel")];
        let gaps = Gaps { percent: 77.2, nodes: 4, ops, is_without: false };
        let wanted = [
            "77 % of the time is in 4 nodes that no delegate runs:",
            "   41.9 %  RESIZE_BILINEAR (3 nodes)  cpu: UINT8",
            "   35.3 %  ARG_MAX  cpu: no fast kernel",
        ];
        assert_eq!(gaps.lines(Detail::Findings), wanted);
        assert!(gaps.names("ARG_MAX") && !gaps.names("RESIZE_BILINEAR"));
    }

    #[test]
    fn reasons_that_differ_in_a_name_are_one_group() {
        let one = gap("RESIZE_BILINEAR", 3, 9.0, "'a' is UINT8");
        assert!(one.has_reasons(&gap("", 1, 0.0, "'b' is UINT8").refusals));
        assert!(!one.has_reasons(&gap("", 1, 0.0, "'a' is INT8").refusals));
        assert_eq!(one.line(), "    9.0 %  RESIZE_BILINEAR (3 nodes)  cpu: '…' is UINT8");
        let name = "x".repeat(50);
        let long = gap("ABS", 1, 9.0, &format!("'{name}' is UINT8; only FLOAT32 is supported"));
        assert!(long.line().ends_with("x' is UINT8; only FLOAT32 is supported"), "{}", long.line());
        assert_eq!(quoted("it isn't", |_| String::new()), "it isn't");
        assert_eq!(quoted("UINT8: 'a long name that was c…", |_| "x".to_owned()), "UINT8: 'x'");
    }

    #[test]
    fn little_time_is_no_finding() {
        let gaps = |percent, nodes| Gaps { percent, nodes, ops: Vec::new(), is_without: false };
        assert!(gaps(0.0, 0).lines(Detail::Findings).is_empty());
        assert_eq!(gaps(0.0, 0).lines(Detail::All), ["delegates run every node"]);
        assert!(gaps(4.0, 2).lines(Detail::Findings).is_empty());
        assert_eq!(gaps(4.0, 2).lines(Detail::All), ["4.0 % of the time is in nodes that no delegate runs"]);
    }
}
