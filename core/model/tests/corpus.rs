//! Every model of the shared corpora loads, and all of its contents can be read.

mod files;
mod read;

use arenite_model::Model;

#[test]
fn every_model_of_the_corpora_loads() {
    let mut loaded = 0;
    let mut refused = Vec::new();
    let found = files::each_model(|name, bytes| match Model::new(bytes) {
        Ok(model) => {
            read::everything(model);
            loaded += 1;
        }
        Err(error) => refused.push(format!("{name}: {error}")),
    });
    println!("{loaded} models loaded, {} refused", refused.len());
    assert!(!found || loaded + refused.len() > 0, "the corpora contain no model");
    assert!(refused.is_empty(), "{} of {loaded} refused:\n{}", refused.len(), refused.join("\n"));
}
