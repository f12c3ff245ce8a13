//! The delegates `opencl` and `vulkan` on whatever devices are installed: results, caches and faults. Without a driver
//! these tests print a note and skip the delegate.

mod bound;
mod faults;
mod graphs;
mod layers;
mod ops;
mod precision;
mod seeds;
mod starts;
mod work_groups;

use std::process::Command;

use arenite::config::DelegateConfig;
use arenite_abi::Error;
use arenite_gpu::DeviceInfo;

arenite_abi::register_plugin!(arenite_gpu::PLUGIN);
arenite_abi::register_plugin!(arenite_gpu::VULKAN);

/// A GPU API and its devices.
#[derive(Clone, Copy, Debug)]
pub struct Backend {
    pub delegate: &'static str,
    pub title: &'static str,
    pub devices: fn() -> Result<Vec<DeviceInfo>, Error>,
    /// The precisions, and the largest error of results in each.
    pub precisions: &'static [(&'static str, f32)],
    pub storages: &'static [&'static str],
}

impl Backend {
    /// Options for each precision with each storage, and the largest error of results.
    pub fn ways(self) -> impl Iterator<Item = ([(&'static str, &'static str); 2], f32)> {
        let both = move |&(precision, off): &(&'static str, f32)| {
            self.storages.iter().map(move |&storage| ([("precision", precision), ("storage", storage)], off))
        };
        self.precisions.iter().flat_map(both)
    }
}

pub const BACKENDS: [Backend; 2] = [
    Backend {
        delegate: "opencl",
        title: "OpenCL",
        devices: arenite_gpu::devices,
        precisions: &[("f32", 1e-5), ("f16", 5e-3)],
        storages: &["buffer", "image"],
    },
    Backend {
        delegate: "vulkan",
        title: "Vulkan",
        devices: arenite_gpu::vulkan_devices,
        precisions: &[("f32", 1e-5), ("f16", 5e-3)],
        storages: &["buffer"],
    },
];

/// The backends with a device. The test prints a note for each of the others, and fails if `ARENITE_GPU` is set.
pub fn backends() -> impl Iterator<Item = Backend> {
    BACKENDS.into_iter().filter(|backend| {
        let devices = (backend.devices)();
        let is_there = devices.as_ref().is_ok_and(|devices| !devices.is_empty());
        if !is_there {
            leave_out(&format!("{}: {devices:?}", backend.title));
        }
        is_there
    })
}

/// Prints a note on a skipped part. Panics if `ARENITE_GPU` requires it.
pub fn leave_out(what: &str) {
    assert!(std::env::var_os("ARENITE_GPU").is_none(), "ARENITE_GPU requires {what}");
    println!("skipped: {what}");
}

/// A delegate with options.
pub fn config(delegate: &str, options: &[(&str, &str)]) -> DelegateConfig {
    let mut delegate = DelegateConfig::new(delegate);
    delegate.options = options.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    delegate
}

/// Tests of many models that add nothing for the validation layers.
const SLOW: [&str; 3] =
    ["conformance", "a_few_random_graphs_agree", "models_of_ops_agree_with_reference_ops"];

/// Vulkan's validation layers report nothing about these tests, which run a second time with the layers on.
#[test]
fn validation_layers_are_silent() {
    const LAYERS: &str = "VK_INSTANCE_LAYERS";
    if std::env::var_os(LAYERS).is_some() || !backends().any(|backend| backend.delegate == "vulkan") {
        return;
    }
    let mut tests = Command::new(std::env::current_exe().expect("this test"));
    tests.arg("--nocapture");
    SLOW.iter().for_each(|test| _ = tests.args(["--skip", test]));
    tests.env(LAYERS, "VK_LAYER_KHRONOS_validation").env("VK_LOADER_DEBUG", "layer");
    tests.env("VK_LAYER_ENABLES", "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT");
    let output = tests.output().expect("it starts");
    let said =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    if !said.contains("Insert instance layer \"VK_LAYER_KHRONOS_validation\"") {
        return leave_out("the validation layers of Vulkan");
    }
    let complaints: Vec<&str> =
        said.lines().filter(|line| line.contains("VUID") || line.contains("HAZARD")).collect();
    assert!(output.status.success() && complaints.is_empty(), "{complaints:#?}");
}
