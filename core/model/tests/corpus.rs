//! Every model of the shared corpora loads, and everything in it can be read.
//!
//! The corpora lie beside the workspace in `shared`, or where `ARENITE_SHARED` says.

use arenite_model::{Model, QuantizationDetails, tensor_type};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

#[test]
fn every_model_of_the_corpora_loads() {
    let Some(shared) = shared() else {
        println!("skipped: no corpora beside the workspace, and ARENITE_SHARED is not set");
        return;
    };
    let mut loaded = 0;
    let mut refused = Vec::new();
    let mut check = |name: String, bytes: &[u8]| match Model::new(bytes) {
        Ok(model) => {
            read_everything(model);
            loaded += 1;
        }
        Err(error) => refused.push(format!("{name}: {error}")),
    };
    for file in files_below(&shared.join("models"), "tflite") {
        let bytes = fs::read(&file).expect("a model file can be read");
        check(file.display().to_string(), &bytes);
    }
    for archive in files_below(&shared.join("conformance"), "zip") {
        for (name, bytes) in models_in(&archive) {
            check(format!("{}: {name}", archive.display()), &bytes);
        }
    }
    println!("{loaded} models loaded, {} refused", refused.len());
    assert!(loaded + refused.len() > 0, "no model below {}", shared.display());
    assert!(refused.is_empty(), "{} of {loaded} refused:\n{}", refused.len(), refused.join("\n"));
}

fn shared() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let place = std::env::var_os("ARENITE_SHARED").map_or(beside, PathBuf::from);
    place.is_dir().then_some(place)
}

fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn models_in(archive: &Path) -> Vec<(String, Vec<u8>)> {
    let file = fs::File::open(archive).expect("an archive can be opened");
    let mut zip = zip::ZipArchive::new(file).expect("an archive is a zip file");
    let mut models = Vec::new();
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index).expect("an entry can be read");
        let name = entry.name().expect("an entry has a readable name").into_owned();
        if name.ends_with(".tflite") {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).expect("an entry can be unpacked");
            models.push((name, bytes));
        }
    }
    models
}

/// Calls every accessor; the sum keeps the reads alive.
fn read_everything(model: Model<'_>) -> usize {
    let mut sum = model.version() as usize + model.description().map_or(0, str::len);
    for index in 0..model.buffer_count() {
        sum += model.buffer(index).len();
    }
    sum += model.metadata_entries().map(|(name, bytes)| name.len() + bytes.len()).sum::<usize>();
    for graph in model.subgraphs() {
        sum += graph.name().map_or(0, str::len) + graph.inputs().len() + graph.outputs().len();
        for tensor in graph.tensors() {
            let constant = model.constant(&tensor).map_or(0, <[u8]>::len);
            assert!(tensor_type::name(tensor.element_type()).is_some());
            if tensor.sparsity().is_none() && constant > 0 {
                assert!(constant >= tensor.byte_size().unwrap_or(0));
            }
            sum += tensor.name().map_or(0, str::len) + constant + tensor.shape_signature().len();
            if let Some(quantization) = tensor.quantization() {
                sum += quantization.scale().len() + quantization.zero_point().len();
                if let Some(QuantizationDetails::Blockwise(details)) = quantization.details() {
                    assert!(graph.tensors().get(details.scales() as usize).is_some());
                }
            }
            for level in tensor.sparsity().into_iter().flat_map(|sparsity| sparsity.dim_metadata()) {
                sum += level.array_indices().map_or(0, |indices| indices.len());
            }
            sum += tensor.variant_tensors().iter().map(|inner| inner.shape().len()).sum::<usize>();
        }
        for operator in graph.operators() {
            let code = model.operator_code(&operator).expect("the opcode index was verified");
            assert!(!code.name().is_empty());
            sum += operator.custom_options().len() + operator.intermediates().len();
            sum += operator.any_builtin_options().map_or(0, |options| options.position);
            sum += usize::from(operator.mutates_input(0));
        }
    }
    for signature in model.signatures() {
        assert!(model.signature(signature.key()).is_some());
        assert!(model.subgraph(signature.subgraph_index() as usize).is_some());
        for entry in signature.inputs() {
            assert_eq!(signature.input(entry.name().unwrap_or("")), Some(entry.tensor_index() as usize));
        }
    }
    sum
}
