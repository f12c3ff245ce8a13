//! Every model of the shared corpora loads, and everything in it can be read.
//!
//! The corpora lie beside the workspace in `shared`, or where `ARENITE_SHARED` says.

mod read;

use arenite_model::Model;
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
            read::everything(model);
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
