//! Signatures: subgraph and tensor indices, and names that are each there once.

use super::{Checked, check_index};
use crate::error::{ModelError, Path};
use crate::schema::{ModelTable, SignatureDef, Tables, TensorMap};

/// Verifies all signatures; `scratch` has an entry per name of the longest list.
pub(super) fn verify(root: ModelTable<'_>, scratch: &mut [u32]) -> Checked {
    let signatures = root.signature_defs();
    for (index, signature) in signatures.iter().enumerate() {
        let path = Path::root().entry("signature_defs", index);
        verify_one(root, signature, path, scratch)?;
    }
    let key = |index| signatures.get(index).map_or("", |signature| signature.key());
    let at = |index| Path::root().entry("signature_defs", index).field("signature_key");
    unique(signatures.len(), key, at, scratch)
}

fn verify_one(root: ModelTable<'_>, signature: SignatureDef<'_>, path: Path, scratch: &mut [u32]) -> Checked {
    if signature.signature_key().is_none() {
        return Err(ModelError::Missing { path: path.field("signature_key") });
    }
    let (subgraph, count) = (i64::from(signature.subgraph_index()), root.subgraphs().len());
    let subgraph = check_index(subgraph, count, "subgraph", "model", || path.field("subgraph_index"))?;
    let tensors = root.subgraphs().get(subgraph).map_or(0, |graph| graph.tensors().len());
    names(signature.inputs(), tensors, "inputs", path, scratch)?;
    names(signature.outputs(), tensors, "outputs", path, scratch)
}

fn names<'a>(
    list: Tables<'a, TensorMap<'a>>,
    tensors: usize,
    field: &'static str,
    path: Path,
    scratch: &mut [u32],
) -> Checked {
    for (index, entry) in list.iter().enumerate() {
        let at = || path.entry(field, index);
        if entry.name().is_none() {
            return Err(ModelError::Missing { path: at().field("name") });
        }
        let tensor = i64::from(entry.tensor_index());
        check_index(tensor, tensors, "tensor", "subgraph", || at().field("tensor_index"))?;
    }
    let name = |index| list.get(index).and_then(|entry| entry.name()).unwrap_or("");
    unique(list.len(), name, |index| path.entry(field, index).field("name"), scratch)
}

/// Whether no name occurs twice: sorts the indices by name, then compares neighbours.
fn unique<'a>(
    count: usize,
    name: impl Fn(usize) -> &'a str,
    path: impl Fn(usize) -> Path,
    scratch: &mut [u32],
) -> Checked {
    let needed = ModelError::ScratchTooSmall { given: scratch.len(), needed: count };
    let order = scratch.get_mut(..count).ok_or(needed)?;
    order.iter_mut().zip(0..).for_each(|(entry, index)| *entry = index);
    order.sort_unstable_by(|&a, &b| name(a as usize).cmp(name(b as usize)).then(a.cmp(&b)));
    for pair in order.windows(2) {
        if let &[first, second] = pair
            && name(first as usize) == name(second as usize)
        {
            return Err(ModelError::DuplicateName { path: path(second as usize), first: first as usize });
        }
    }
    Ok(())
}
