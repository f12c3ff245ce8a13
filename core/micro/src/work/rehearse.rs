//! Claims, after planning, the temporary memory that nodes use while they run, so that no invocation runs out of
//! memory.

use core::cell::Cell;

use super::room::Room;
use crate::error::Result;
use crate::model::site::Site;

/// Claims the temporary memory of every node and of the subgraphs that it calls.
pub(crate) fn rehearse(site: Site<'_, '_>) -> Result<()> {
    for (node, prepared) in site.graph.nodes.get().iter().map(Cell::get).enumerate() {
        let room = Room::new(site, &site.spec(node)?, prepared.pieces().len())?;
        let nested = temporaries_of_callees(site, node);
        if nested > 0 {
            site.arena.rehearse(nested, Room::ALIGNMENT)?;
        }
        drop(room);
    }
    Ok(())
}

fn temporaries_of_callees(site: Site<'_, '_>, node: usize) -> usize {
    if !cfg!(feature = "subgraphs") {
        return 0;
    }
    let graphs = site.graph.callees(node).filter_map(|callee| site.machine.graph(callee));
    graphs.map(|graph| temporaries(site.within(graph))).max().unwrap_or(0)
}

/// Peak bytes of temporaries while this subgraph runs as a callee. They start and end at multiples of
/// [`Room::ALIGNMENT`].
fn temporaries(site: Site<'_, '_>) -> usize {
    let known = site.graph.temporaries.get();
    if known != 0 {
        return known;
    }
    let nodes = site.graph.nodes.get().iter().map(Cell::get).enumerate().map(|(node, prepared)| {
        let spec = site.spec(node).ok();
        let own = spec.map_or(0, |spec| Room::bytes(site.graph, &spec, prepared.pieces().len()));
        own.saturating_add(temporaries_of_callees(site, node))
    });
    let most = nodes.chain([forwarded_bytes(site)]).max().unwrap_or(0);
    site.graph.temporaries.set(most);
    most
}

/// Bytes of the outputs that must be saved while a subgraph's outputs are copied to its inputs: outputs that are also
/// other inputs.
pub(crate) fn forwarded_bytes(site: Site<'_, '_>) -> usize {
    let (inputs, outputs) = (site.graph.subgraph.inputs(), site.graph.subgraph.outputs());
    let clashes = |&(i, t): &(usize, i32)| inputs.get(i) != Some(t) && inputs.iter().any(|input| input == t);
    let bytes =
        |(_, t): (usize, i32)| usize::try_from(t).map_or(0, |t| site.graph.bytes(site.machine.model, t));
    outputs.iter().enumerate().filter(clashes).map(bytes).fold(0, usize::saturating_add)
}
