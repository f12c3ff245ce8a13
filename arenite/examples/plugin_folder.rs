//! Loads the plugins in a folder and runs a model with an op from one of them: `Sin`, of `plugins/template`.
//!
//! ```sh
//! cargo run --release --example plugin_folder
//! cargo run --release --example plugin_folder -- FOLDER            # a folder with your build of the template
//! ```

use std::env;
use std::error::Error;
use std::fs;
use std::path::PathBuf;

use arenite::config::Config;
use arenite::model_file::tensor_type::FLOAT32;
use arenite::model_file::writer::{ModelBuilder, Operator, SubGraph, Tensor};
use arenite::{Interpreter, Model};

/// A model of one node: the custom op `Sin`.
fn sine() -> Vec<u8> {
    let mut model = ModelBuilder::new();
    let op = model.custom("Sin", 1);
    let mut graph = SubGraph::new("main");
    let x = graph.input(Tensor::new("x", FLOAT32, &[1, 3]));
    let y = graph.output(Tensor::new("y", FLOAT32, &[1, 3]));
    graph.operator(Operator::new(op, &[x], &[y]));
    model.subgraph(graph);
    model.finish()
}

/// A new folder with the template's library, which cargo built next to this program.
fn template() -> Result<PathBuf, Box<dyn Error>> {
    let name = format!("{}arenite_plugin_template{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    let program = env::current_exe()?;
    let built = program.ancestors().nth(2).ok_or("the program has no folder")?.join("deps").join(&name);
    let folder = program.with_file_name("my-plugins");
    fs::create_dir_all(&folder)?;
    fs::copy(&built, folder.join(&name)).map_err(|error| format!("{}: {error}", built.display()))?;
    Ok(folder)
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args().nth(1).map(PathBuf::from).map_or_else(template, Ok)?;
    let mut config = Config::default();
    config.plugins.dirs.push(folder);

    let model = Model::from_bytes(sine())?;
    let mut interpreter = Interpreter::builder(&model).config(&config).build()?;
    for plugin in interpreter.registry().plugins() {
        println!("{:30} {}", plugin.id, plugin.description);
    }
    interpreter.allocate()?;
    interpreter.input_mut(0)?.copy_from_slice(&[0.0f32, 0.5, 1.0])?;
    interpreter.invoke()?;
    println!("sines: {:.3?}", interpreter.output(0)?.as_slice::<f32>()?);
    Ok(())
}
