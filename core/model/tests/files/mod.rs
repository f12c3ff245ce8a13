//! The models of the shared corpora, in the folder `shared` next to the workspace or in `ARENITE_SHARED`.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Calls `check` with the name and the bytes of each model. Prints a note and returns false if the corpora are missing.
pub(crate) fn each_model(mut check: impl FnMut(&str, &[u8])) -> bool {
    let Some(shared) = shared() else {
        println!("skipped: no folder `shared` next to the workspace, and ARENITE_SHARED is not set");
        return false;
    };
    for file in files_below(&shared.join("models"), "tflite") {
        let bytes = fs::read(&file).expect("a model file can be read");
        check(&file.display().to_string(), &bytes);
    }
    for archive in files_below(&shared.join("conformance"), "zip") {
        for (name, bytes) in models_in(&archive) {
            check(&format!("{}: {name}", archive.display()), &bytes);
        }
    }
    true
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
