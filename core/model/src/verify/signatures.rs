//! Verifies signatures: indices of subgraphs and tensors, and that names of inputs and outputs are unique. Several
//! signatures can have the same key, as in TFLite; the first one has it.

use alloc::vec::Vec;

use super::check::{Check, check_index};
use crate::detail::detail;
use crate::error::ModelError;
use crate::path::Path;
use crate::schema::{ModelTable, SignatureDef, Tables, TensorMap};

/// Verifies all signatures.
pub(super) fn verify(root: ModelTable<'_>) -> Check {
    let signatures = root.signature_defs();
    for (index, signature) in signatures.iter().enumerate() {
        let path = Path::root().entry("signature_defs", index);
        verify_one(root, signature, path)?;
    }
    Ok(())
}

fn verify_one(root: ModelTable<'_>, signature: SignatureDef<'_>, path: Path) -> Check {
    if signature.signature_key().is_none() {
        return Err(ModelError::Missing { path: path.field("signature_key") });
    }
    let (subgraph, count) = (i64::from(signature.subgraph_index()), root.subgraphs().len());
    let subgraph = check_index(subgraph, count, "subgraph", "model", || path.field("subgraph_index"))?;
    let tensors = root.subgraphs().get(subgraph).map_or(0, |graph| graph.tensors().len());
    names(signature.inputs(), tensors, "inputs", path)?;
    names(signature.outputs(), tensors, "outputs", path)
}

fn names<'a>(list: Tables<'a, TensorMap<'a>>, tensors: usize, field: &'static str, path: Path) -> Check {
    for (index, entry) in list.iter().enumerate() {
        let at = || path.entry(field, index);
        if entry.name().is_none() {
            return Err(ModelError::Missing { path: at().field("name") });
        }
        let tensor = i64::from(entry.tensor_index());
        check_index(tensor, tensors, "tensor", "subgraph", || at().field("tensor_index"))?;
    }
    let name = |index| list.get(index).and_then(|entry| entry.name()).unwrap_or("");
    unique(list.len(), &name, &|index| path.entry(field, index).field("name"))
}

/// Checks that no name occurs twice: sorts the indices by name, then compares neighbours.
fn unique<'a>(count: usize, name: &dyn Fn(usize) -> &'a str, path: &dyn Fn(usize) -> Path) -> Check {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_unstable_by(|&a, &b| name(a).cmp(name(b)).then(a.cmp(&b)));
    for pair in order.windows(2) {
        if let &[first, second] = pair
            && name(first) == name(second)
        {
            return Err(ModelError::DuplicateName { path: path(second), first: detail(first) });
        }
    }
    Ok(())
}
