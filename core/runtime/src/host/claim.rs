//! The host's side of a delegate's `claim`: receives the decisions, and answers the delegate's questions.

use std::ffi::c_void;

use arenite_abi::Status;
use arenite_abi::raw::{
    ArClaimHostV1, ArClaimsV1, ArDescribeV1, ArGraphV1, ArHeader, ArPartitionV1, ArServerV1, ArStatus, ArStr,
    ROUND_REFUSED, SERVER_DELEGATE, SERVER_NOTHING, SERVER_OP, slice,
};

use super::message::Refused;
use crate::stages::partition::Subset;

/// For each node, why a delegate refuses it; `None` if the delegate accepts it.
pub(crate) type Answers = Vec<Option<String>>;

/// A delegate's decisions.
#[derive(Clone)]
pub(crate) struct Decisions {
    /// For each node, why the delegate refuses it.
    pub refused: Answers,
    /// For each node, the round in which it is accepted, if it is.
    pub rounds: Vec<u32>,
}

/// The op or delegate that serves a node if the delegate that claims refuses it.
pub(crate) enum Server {
    Nothing,
    /// The op of this plugin.
    Op(String),
    Delegate(String),
}

/// The host's answers about the nodes of a graph.
pub(crate) trait ClaimSide {
    /// The subsets if these nodes were accepted, each in its round.
    fn partitions(&self, rounds: &[Option<u32>]) -> Vec<Subset>;

    fn server(&self, node: usize) -> Server;
}

/// The context of `claim`.
pub(crate) struct ClaimHost<'a> {
    pub decisions: Decisions,
    graph: &'a ArGraphV1,
    side: &'a dyn ClaimSide,
    /// The last answer of `partitions`.
    preview: Preview,
    /// Names that `server` answered.
    names: Vec<String>,
}

impl<'a> ClaimHost<'a> {
    pub(crate) fn new(graph: &'a ArGraphV1, side: &'a dyn ClaimSide) -> Self {
        let unanswered = || Some("the delegate did not answer for it".to_owned());
        let refused: Answers = (0..graph.node_count).map(|_| unanswered()).collect();
        let rounds = vec![0; refused.len()];
        let decisions = Decisions { refused, rounds };
        ClaimHost { decisions, graph, side, preview: Preview::default(), names: Vec::new() }
    }

    /// The struct that receives the decisions; it borrows this value.
    pub(crate) fn claims(&mut self) -> ArClaimsV1 {
        let context = std::ptr::from_mut(self).cast();
        ArClaimsV1 { header: ArHeader::of::<ArClaimsV1>(), context, accept, refuse }
    }

    fn accept(&mut self, node: usize, round: u32) {
        if let Some(answer) = self.decisions.refused.get_mut(node).filter(|_| round != ROUND_REFUSED) {
            *answer = None;
            self.decisions.rounds[node] = round;
        }
    }

    fn name(&mut self, name: String) -> ArStr {
        let text = ArStr::borrowed(&name);
        self.names.push(name);
        text
    }
}

/// The struct with the host's services. `claims` comes from [`ClaimHost::claims`], with its context.
pub(crate) fn as_raw(claims: &ArClaimsV1, subgraphs: &ArDescribeV1) -> ArClaimHostV1 {
    ArClaimHostV1 {
        header: ArHeader::of::<ArClaimHostV1>(),
        context: claims.context,
        claims,
        subgraphs,
        accept_in,
        partitions,
        server,
        query,
    }
}

/// Partitions as the plugin sees them.
#[derive(Default)]
struct Preview {
    raw: Vec<ArPartitionV1>,
    /// The lists that `raw` points to.
    _subsets: Vec<(Vec<u32>, Subset)>,
}

impl Preview {
    fn new(graph: &ArGraphV1, subsets: Vec<Subset>) -> Self {
        let claimed = subsets.into_iter().filter(|subset| subset.claimed);
        let subsets: Vec<(Vec<u32>, Subset)> =
            claimed.map(|subset| (subset.nodes.iter().map(|&i| i as u32).collect(), subset)).collect();
        let raw = subsets.iter().map(|(nodes, subset)| ArPartitionV1 {
            header: ArHeader::of::<ArPartitionV1>(),
            graph,
            nodes: nodes.as_ptr(),
            node_count: nodes.len(),
            inputs: subset.inputs.as_ptr(),
            input_count: subset.inputs.len(),
            outputs: subset.outputs.as_ptr(),
            output_count: subset.outputs.len(),
        });
        Preview { raw: raw.collect(), _subsets: subsets }
    }
}

unsafe extern "C" fn accept(context: *mut c_void, node: usize) {
    // SAFETY: the context is the host of the `claim` in progress.
    unsafe { (*context.cast::<ClaimHost<'_>>()).accept(node, 0) };
}

unsafe extern "C" fn accept_in(context: *mut c_void, node: usize, round: u32) {
    // SAFETY: the context is the host of the `claim` in progress.
    unsafe { (*context.cast::<ClaimHost<'_>>()).accept(node, round) };
}

unsafe extern "C" fn refuse(context: *mut c_void, node: usize, reason: ArStr) {
    // SAFETY: the context is the host of the `claim` in progress; the reason is readable for the call.
    let (host, reason) = unsafe { (&mut *context.cast::<ClaimHost<'_>>(), reason.as_str()) };
    if let Some(answer) = host.decisions.refused.get_mut(node) {
        *answer = Some(reason.to_owned());
    }
}

unsafe extern "C" fn partitions(
    context: *mut c_void,
    rounds: *const u32,
    count: usize,
    partitions: *mut *const ArPartitionV1,
    stride: *mut usize,
    partition_count: *mut usize,
) -> ArStatus {
    // SAFETY: the context is the host of the `claim` in progress; the rounds are readable and the results writable for
    // the call.
    unsafe {
        let host = &mut *context.cast::<ClaimHost<'_>>();
        if count != host.graph.node_count {
            let message =
                format!("there are {count} rounds, and the graph has {} nodes", host.graph.node_count);
            return Refused { status: Status::Invalid, message }.report();
        }
        let rounds = slice(rounds, count).iter().map(|&round| (round != ROUND_REFUSED).then_some(round));
        let subsets = host.side.partitions(&rounds.collect::<Vec<_>>());
        host.preview = Preview::new(host.graph, subsets);
        partitions.write(host.preview.raw.as_ptr());
        stride.write(size_of::<ArPartitionV1>());
        partition_count.write(host.preview.raw.len());
    }
    Status::Ok as ArStatus
}

unsafe extern "C" fn server(context: *mut c_void, node: usize, server: *mut ArServerV1) -> ArStatus {
    // SAFETY: the context is the host of the `claim` in progress; the result is writable for the call.
    let (host, server) = unsafe { (&mut *context.cast::<ClaimHost<'_>>(), &mut *server) };
    if node >= host.graph.node_count {
        let message = format!("node {node} does not exist: the graph has {} nodes", host.graph.node_count);
        return Refused { status: Status::Invalid, message }.report();
    }
    (server.kind, server.name) = match host.side.server(node) {
        Server::Nothing => (SERVER_NOTHING, ArStr::new("")),
        Server::Op(plugin) => (SERVER_OP, host.name(plugin)),
        Server::Delegate(name) => (SERVER_DELEGATE, host.name(name)),
    };
    Status::Ok as ArStatus
}

unsafe extern "C" fn query(_context: *mut c_void, _interface: u64) -> *const c_void {
    std::ptr::null()
}
