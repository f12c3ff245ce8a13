//! Weights in other files, and caches, which language models have.

use std::fmt::{self, Display, Formatter};

use arenite::{Interpreter, model_file};
use arenite_common::inspection::Signature;
use serde::Serialize;

use crate::text::{self, Align, HEAD, Table, thousands};

/// A file with constants, next to the model or in its container.
#[derive(Serialize)]
pub(super) struct WeightFile {
    name: String,
    /// Its group in the model.
    group: usize,
    /// The parts that the model describes.
    buffers: usize,
    /// Of these parts together.
    bytes: u64,
}

/// An input that takes the value of the output with the same name, type and shape.
#[derive(Serialize)]
pub(super) struct Cache {
    name: String,
    #[serde(rename = "type")]
    ty: String,
    shape: String,
    bytes: Option<usize>,
    /// The keys of the signatures that have it.
    signatures: Vec<String>,
}

/// The files of the model's external buffers.
pub(super) fn weight_files(view: &model_file::Model<'_>) -> Vec<WeightFile> {
    let mut files = Vec::new();
    for (group, table) in view.external_buffer_groups().iter().enumerate() {
        let parts = view.external_buffers().iter().filter(|buffer| buffer.group() as usize == group);
        let (buffers, bytes) =
            parts.fold((0, 0u64), |(n, sum), part| (n + 1, sum.saturating_add(part.length())));
        if buffers > 0 {
            let name = table.name().unwrap_or_default().to_owned();
            files.push(WeightFile { name, group, buffers, bytes });
        }
    }
    files
}

/// The caches of all signatures. A signature that cannot be built contributes none; the report on its subgraph says
/// why.
pub(super) fn caches(interpreter: &mut Interpreter, signatures: &[Signature]) -> Vec<Cache> {
    let mut caches: Vec<Cache> = Vec::new();
    for key in signatures.iter().map(|signature| &signature.key) {
        for name in interpreter.caches(key).unwrap_or_default() {
            let Some(cache) = cache(interpreter, key, name) else { continue };
            let form = |cache: &Cache| (cache.name.clone(), cache.ty.clone(), cache.shape.clone());
            match caches.iter_mut().find(|known| form(known) == form(&cache)) {
                Some(known) => known.signatures.push(key.clone()),
                None => caches.push(cache),
            }
        }
    }
    caches
}

fn cache(interpreter: &mut Interpreter, key: &str, name: String) -> Option<Cache> {
    let signature = interpreter.signature(key).ok()?;
    let tensor = signature.input(&name).ok()?;
    let count =
        tensor.shape.iter().try_fold(1usize, |n, &size| n.checked_mul(usize::try_from(size).ok()?))?;
    let (ty, shape) = (tensor.ty.to_string(), text::shape(tensor.shape));
    Some(Cache { name, ty, shape, bytes: tensor.ty.bytes_of(count), signatures: vec![key.to_owned()] })
}

/// The tables of both; nothing for other models.
pub(super) struct Tables<'r>(pub &'r [WeightFile], pub &'r [Cache]);

impl Display for Tables<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Tables(files, caches) = self;
        if !files.is_empty() {
            writeln!(f, "\n{HEAD}weights in other files{HEAD:#}")?;
            let columns = [("group", Align::Right), ("buffers", Align::Right), ("bytes", Align::Right)];
            let mut table = Table::new(&[&columns[..], &[("file", Align::Left)]].concat());
            for WeightFile { name, group, buffers, bytes } in *files {
                let [group, buffers] = [group, buffers].map(ToString::to_string);
                table.row([group, buffers, thousands(*bytes), name.clone()]);
            }
            table.fmt(f)?;
        }
        if !caches.is_empty() {
            writeln!(f, "\n{HEAD}caches{HEAD:#}  inputs with an output of the same name, type and shape")?;
            let columns = ["name", "type", "shape"].map(|title| (title, Align::Left));
            let more = [("bytes", Align::Right), ("signatures", Align::Left)];
            let mut table = Table::new(&[&columns[..], &more].concat());
            for Cache { name, ty, shape, bytes, signatures } in *caches {
                let bytes = bytes.map(|bytes| thousands(bytes as u64)).unwrap_or_default();
                table.row([name.clone(), ty.clone(), shape.clone(), bytes, signatures.join(", ")]);
            }
            table.fmt(f)?;
        }
        Ok(())
    }
}
