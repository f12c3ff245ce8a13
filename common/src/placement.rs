//! The delegate or op that runs each node.

use arenite::{Interpreter, NodeProvider};

use serde::Serialize;

/// The delegate or op that runs a node.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Server {
    /// The op of this plugin. Other plugins that offer the op for this node follow, best first.
    Plugin {
        /// Id of the plugin.
        id: String,
        /// Ids of the other plugins.
        others: Vec<String>,
    },
    /// The op of this plugin, run once because the result is constant.
    Folded {
        /// Id of the plugin.
        id: String,
        /// Ids of the other plugins.
        others: Vec<String>,
    },
    /// A partition of this delegate.
    Delegate {
        /// Name of the delegate.
        name: String,
        /// Index of the partition, counted from 0.
        partition: usize,
    },
    /// The node is not prepared yet. Lists the plugins that can run it, best first.
    Open {
        /// Ids of the plugins.
        candidates: Vec<String>,
    },
    /// No plugin has the op.
    Unresolved,
    /// A composite op, replaced by the nodes of its subgraph.
    Inlined {
        /// The delegate or ops that run these nodes.
        nodes: Vec<Server>,
    },
}

/// The delegate or op that runs each node of a subgraph.
pub struct Placement<'a> {
    interpreter: &'a Interpreter,
    subgraph: usize,
    served_by: Vec<NodeProvider>,
    refusals: Vec<Vec<(String, String)>>,
}

impl<'a> Placement<'a> {
    /// Reads the placement from the interpreter. `None` for a called subgraph that is not prepared yet.
    pub fn of(interpreter: &'a Interpreter, subgraph: usize) -> Option<Self> {
        if subgraph > 0 && interpreter.planned_steps(subgraph).is_none() {
            return None;
        }
        let (served_by, refusals) = (interpreter.served_in(subgraph), interpreter.refusals_of(subgraph));
        Some(Placement { interpreter, subgraph, served_by, refusals })
    }

    /// The delegates that did not claim an operator, and why.
    pub fn refusals_of(&self, operator: usize) -> impl Iterator<Item = &(String, String)> {
        self.interpreter
            .nodes_in(self.subgraph, operator)
            .filter_map(|node| self.refusals.get(node))
            .flatten()
    }

    /// The delegate or op that runs an operator.
    pub fn server(&self, operator: usize) -> Server {
        let nodes = self.interpreter.nodes_in(self.subgraph, operator);
        let mut servers = nodes.map(|node| self.server_of_node(node));
        if self.interpreter.is_inlined_in(self.subgraph, operator) {
            return Server::Inlined { nodes: servers.collect() };
        }
        servers.next().unwrap_or(Server::Unresolved)
    }

    fn server_of_node(&self, node: usize) -> Server {
        match self.served_by.get(node) {
            Some(NodeProvider::Plugin(id)) => {
                Server::Plugin { id: id.clone(), others: self.others(node, id) }
            }
            Some(NodeProvider::Folded(id)) => {
                Server::Folded { id: id.clone(), others: self.others(node, id) }
            }
            Some(NodeProvider::Delegate { name, partition }) => {
                Server::Delegate { name: name.clone(), partition: *partition }
            }
            Some(NodeProvider::Nobody) | None => {
                let candidates = self.others(node, "");
                if candidates.is_empty() { Server::Unresolved } else { Server::Open { candidates } }
            }
        }
    }

    /// The plugins other than `id` that can run a node, best first.
    fn others(&self, node: usize, id: &str) -> Vec<String> {
        let candidates = self.interpreter.candidates_in(self.subgraph, node).into_iter();
        candidates.filter(|&other| other != id).map(str::to_owned).collect()
    }
}
