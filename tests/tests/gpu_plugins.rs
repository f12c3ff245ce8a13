//! The GPU delegates as plugins: a program that links neither loads them from a folder and runs models on them. Without
//! a driver these tests print a note, and fail if `ARENITE_GPU` requires one.
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arenite::config::{Config, DelegateConfig, Require};
use arenite::{Interpreter, Model, NodeProvider, Origin, Registry};
use arenite_tests::libraries::copy_into;

const PLUGINS: [(&str, &str); 2] = [("opencl", "arenite-plugin-opencl"), ("vulkan", "arenite-plugin-vulkan")];

fn digits(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/digits").join(name)
}

/// The linked plugins and the plugins of a folder.
fn discover(folder: &Path) -> Arc<Registry> {
    let mut config = Config::default();
    config.plugins.dirs = vec![folder.to_owned()];
    config.plugins.strict = true;
    Arc::new(Registry::discover(&config).expect("all libraries load"))
}

/// Whether the delegate has a device.
fn has_device(registry: &Registry, delegate: &str) -> bool {
    let devices = registry.devices().into_iter().find(|found| found.delegate == delegate);
    let devices = devices.unwrap_or_else(|| panic!("the plugin of '{delegate}' lists no devices")).devices;
    let is_there = devices.as_ref().is_ok_and(|devices| !devices.is_empty());
    if !is_there {
        assert!(std::env::var_os("ARENITE_GPU").is_none(), "ARENITE_GPU requires {delegate}: {devices:?}");
        println!("skipped: {delegate}: {devices:?}");
    }
    is_there
}

/// The scores for a picture.
fn scores(model: &Model, registry: &Arc<Registry>, delegate: &str) -> (Interpreter, Vec<f32>) {
    let mut delegate = DelegateConfig::new(delegate);
    delegate.require = Require::AllNodes;
    let builder = Interpreter::builder(model).registry(Arc::clone(registry)).delegate(delegate);
    let mut interpreter = builder.build().expect("it builds");
    interpreter.allocate().expect("it takes all nodes");
    let picture = std::fs::read(digits("samples/7.pgm")).expect("it is in the repository");
    let pixels = picture[picture.len() - 256..].iter().map(|&byte| f32::from(byte) / 127.5 - 1.0);
    let pixels: Vec<f32> = pixels.collect();
    interpreter.input_mut(0).and_then(|input| input.quantize(&pixels)).expect("it has 256 pixels");
    interpreter.invoke().expect("it runs");
    let scores = interpreter.output(0).and_then(|scores| scores.dequantize()).expect("it has scores");
    (interpreter, scores)
}

#[test]
fn a_program_runs_models_on_the_plugins_of_a_folder() {
    for (delegate, package) in PLUGINS {
        let folder = tempfile::tempdir().expect("a folder");
        copy_into(folder.path(), &[package]);
        let registry = discover(folder.path());
        let id = format!("org.arenite.{delegate}");
        let plugin = registry.plugins().iter().find(|plugin| plugin.id == id);
        assert!(
            plugin.is_some_and(
                |plugin| matches!(&plugin.origin, Origin::File(path) if path.starts_with(folder.path()))
            ),
            "{id}"
        );
        if !has_device(&registry, delegate) {
            continue;
        }
        // A step of an 8-bit score is 1/256.
        for (name, most) in [("digits_f32.tflite", 1e-5), ("digits_i8.tflite", 1.0 / 256.0 + 1e-6)] {
            let model = Model::from_file(digits(name)).expect("it is in the repository");
            let (_, want) = scores(&model, &registry, "cpu");
            let (interpreter, got) = scores(&model, &registry, delegate);
            let served = interpreter.served_by();
            let ours =
                |by: &NodeProvider| matches!(by, NodeProvider::Delegate { name, .. } if name == delegate);
            assert!(!served.is_empty() && served.iter().all(ours), "{delegate}: {served:?}");
            let off = got.iter().zip(&want).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(got.len() == 10 && off <= most, "{delegate}, {name}: off by {off}");
            assert!(got[7] > 0.9, "{delegate}, {name}: {got:?}");
        }
    }
}
