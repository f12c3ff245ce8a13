//! Adding a metadata entry changes nothing else in the model.

mod files;
mod small;

use arenite_model::Model;
use arenite_model::writer::with_metadata;

const NAME: &str = "OfflineMemoryAllocation";

/// Adds an entry, then replaces it, and compares everything else with the original model.
fn check(name: &str, bytes: &[u8]) {
    let old = Model::new(bytes).expect("a sound model");
    let first = with_metadata(old, NAME, &[1; 7]);
    let model = Model::new(&first).unwrap_or_else(|error| panic!("{name}: {error}"));
    same(name, old, model, 1);
    assert_eq!(model.metadata(NAME), Some(&[1; 7][..]), "{name}");
    let again = with_metadata(model, NAME, &[2; 12]);
    let model = Model::new(&again).unwrap_or_else(|error| panic!("{name}: {error}"));
    same(name, old, model, 2);
    assert_eq!(model.metadata(NAME), Some(&[2; 12][..]), "{name}");
    assert_eq!(model.metadata_entries().filter(|(entry, _)| *entry == NAME).count(), 1, "{name}");
}

/// The new model has `added` more buffers after the old ones.
fn same(name: &str, old: Model<'_>, new: Model<'_>, added: usize) {
    let moved = new.bytes().len() - old.bytes().len();
    assert!(moved.is_multiple_of(64), "{name}: moved by {moved} bytes");
    assert_eq!((old.version(), old.description()), (new.version(), new.description()), "{name}");
    assert_eq!(old.buffer_count() + added, new.buffer_count(), "{name}");
    (0..old.buffer_count()).for_each(|i| assert!(old.buffer(i) == new.buffer(i), "{name}: buffer {i}"));
    let others = |model: Model<'_>| {
        let entries = model.metadata_entries().filter(|(entry, _)| *entry != NAME);
        entries.map(|(entry, bytes)| (entry.to_owned(), bytes.to_vec())).collect::<Vec<_>>()
    };
    assert_eq!(others(old), others(new), "{name}");
    assert_eq!(old.operator_codes().len(), new.operator_codes().len(), "{name}");
    assert_eq!(old.subgraphs().len(), new.subgraphs().len(), "{name}");
    assert_eq!(old.signatures().len(), new.signatures().len(), "{name}");
    for (old, new) in old.subgraphs().iter().zip(new.subgraphs()) {
        assert_eq!(old.position() + moved, new.position(), "{name}");
        for (old, new) in old.operators().iter().zip(new.operators()) {
            assert_eq!(old.position() + moved, new.position(), "{name}");
            assert!(old.custom_options() == new.custom_options(), "{name}: options");
        }
    }
}

/// The model has data after the flatbuffer, metadata and signatures.
#[test]
fn of_a_small_model() {
    check("rich", &small::rich());
}

#[test]
fn of_all_models_of_the_corpora() {
    files::each_model(check);
}
