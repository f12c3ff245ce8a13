//! Checks that a delegate runs the nodes that its settings require of it.

use arenite_abi::Status;

use super::site::Site;
use super::step::{Kernel, Step};
use crate::config::{DelegateConfig, Require};
use crate::error::{Error, Result};

/// The number of nodes that the error lists.
const MOST_LISTED: usize = 8;

/// A required node that the delegate does not run.
struct LostNode {
    node: usize,
    /// The other delegate that runs it.
    taken_by: Option<String>,
}

/// Checks the steps that run in each invocation, after all delegates have claimed theirs. `refusal` is the reason why
/// the delegate at `index` does not run a node. The host computes constants once, whatever is required.
///
/// # Errors
/// The delegate does not run a node that it must run. The error has the reason for each.
pub(super) fn check<'s>(
    site: &Site<'_>,
    steps: impl Iterator<Item = &'s Step>,
    (index, config): (usize, &DelegateConfig),
    refusal: &dyn Fn(usize) -> String,
) -> Result<()> {
    if config.require == Require::Nothing {
        return Ok(());
    }
    let mut lost = Vec::new();
    let mut count = 0;
    for step in steps {
        let owner = match &step.kernel {
            Kernel::Partition(kernel) => Some(&kernel.owner),
            _ => None,
        };
        let is_required = |node: &&usize| config.require.includes(&site.graph.op_name(**node));
        let members = step.members().iter().filter(is_required);
        count += members.clone().count();
        if owner.is_none_or(|owner| owner.index != index) {
            let taken_by = owner.map(|owner| owner.name.to_string());
            lost.extend(members.map(|&node| LostNode { node, taken_by: taken_by.clone() }));
        }
    }
    if lost.is_empty() {
        return Ok(());
    }
    let heading = format!("it must run {}, but {} of {count} run elsewhere:", config.require, lost.len());
    let message = heading + &list(site, &lost, refusal);
    Err(Error::Delegate { delegate: config.name.clone(), status: Status::Unsupported, message })
}

/// A line per node, and the remedy.
fn list(site: &Site<'_>, lost: &[LostNode], refusal: &dyn Fn(usize) -> String) -> String {
    let mut lines = String::new();
    for LostNode { node, taken_by } in lost.iter().take(MOST_LISTED) {
        let (op, output) = site.node_step(*node).names(site.graph);
        let reason = match taken_by {
            Some(other) => format!("delegate '{other}' runs it"),
            None => refusal(*node),
        };
        lines += &format!("\n  {op} (node {node}, output '{output}'): {reason}");
    }
    if let Some(more @ 1..) = lost.len().checked_sub(MOST_LISTED) {
        lines += &format!("\n  and {more} more");
    }
    lines + "\n  leave out `require`, or list the ops that the delegate must run"
}
