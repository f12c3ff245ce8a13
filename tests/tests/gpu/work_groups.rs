//! Kernels of the GPU delegates run in the work-groups that the tuner chose, and facts name them.

use arenite::{FactValue, Interpreter, Model};
use arenite_gpu::DeviceInfo;
use arenite_gpu::work_groups::{Extent, KernelLimits, Kind, Tuning, candidates};

use super::starts::{model_of, on_device, run};
use super::{Backend, backends};

/// A fact about a work-group.
#[derive(Debug, PartialEq)]
struct Reported {
    kernel: String,
    size: Extent,
    grid: Extent,
    /// How it was chosen, and the number of kernels if there are several.
    how: String,
}

fn extent(text: &str) -> Extent {
    let numbers: Vec<u32> = text.split(" × ").map(|n| n.parse().expect("a number")).collect();
    numbers.try_into().expect("three numbers")
}

fn reported(interpreter: &Interpreter) -> Vec<Reported> {
    let facts = interpreter.facts().into_iter().flat_map(|partition| partition.facts);
    let groups = facts.filter_map(|fact| match (fact.key.strip_prefix("work-group of "), fact.value) {
        (Some(kernel), FactValue::Text(text)) => {
            let (size, rest) = text.split_once(" for ").expect("a size");
            let (grid, how) = rest.split_once(" work-items, ").expect("a grid");
            Some(Reported {
                kernel: kernel.to_owned(),
                size: extent(size),
                grid: extent(grid),
                how: how.to_owned(),
            })
        }
        _ => None,
    });
    groups.collect()
}

/// The limits of a kernel that supports as many work-items as its device, with waves of any size: candidates of whole
/// waves are among these, if any candidate that divides the grid is.
fn limits(device: &DeviceInfo) -> KernelLimits {
    KernelLimits { most: device.limits.total, wave: 1 }
}

fn digits() -> Model {
    Model::from_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/digits/digits_f32.tflite"))
        .expect("it is in the repository")
}

/// The option decides the work-group of every kernel, and a fact reports it. Results do not depend on it.
#[test]
fn each_kernel_runs_in_the_work_group_of_the_option() {
    let model = digits();
    let want = run(&mut arenite_tests::reference_ops(&model).build().expect("it builds"));
    for Backend { delegate, .. } in backends() {
        for (tuning, size) in [("fixed", [8, 4, 1]), ("5x2x1", [5, 2, 1]), ("1x1x3", [1, 1, 3])] {
            let options = [("tuning", tuning), ("products", "direct")];
            let mut interpreter = on_device(delegate, &model, &options, &[]);
            let got = run(&mut interpreter);
            assert!(got.iter().zip(&want).all(|(a, b)| (a - b).abs() <= 1e-4), "{delegate} {tuning}");
            let groups = reported(&interpreter);
            assert!(groups.len() > 3, "{delegate}: {groups:?}");
            for group in groups {
                assert_eq!(group.size, size, "{delegate}: {group:?}");
                assert!(group.how.starts_with("fixed"), "{delegate}: {group:?}");
            }
        }
    }
}

/// `fast` is the formula of each kernel's kind, for its grid. Products that use tiles have the size of their tiles.
#[test]
fn each_kernel_runs_in_the_work_group_of_the_formula() {
    for Backend { delegate, devices, .. } in backends() {
        let devices = devices().expect("they are listed");
        let device = devices.iter().find(|device| device.kind == "gpu").unwrap_or(&devices[0]);
        let mut interpreter = on_device(delegate, &digits(), &[("products", "tiled")], &[]);
        run(&mut interpreter);
        let groups = reported(&interpreter);
        assert!(groups.iter().any(|group| group.kernel == "conv_2d"), "{delegate}: {groups:?}");
        for group in groups {
            let (kind, how) = match group.kernel.as_str() {
                "conv_2d" => (Kind::Convolution, "by formula"),
                "tiled" => (Kind::Tiles, "as the kernel requires"),
                "depthwise_conv_2d" | "chain" | "elementwise" | "pool_2d" => (Kind::Slices, "by formula"),
                "softmax" | "moves" | "reduce" => (Kind::Other, "by formula"),
                other => panic!("which kind has '{other}'?"),
            };
            let want = candidates(Tuning::Fast, kind, &device.limits, limits(device), group.grid);
            assert_eq!(want, [group.size], "{delegate}: {group:?}");
            assert!(group.how.starts_with(how), "{delegate}: {group:?}");
        }
    }
}

/// After the first invocation, facts name the fastest of all candidates; another interpreter of the process uses it
/// without timing.
#[test]
fn each_kernel_runs_in_the_fastest_work_group() {
    // No other test has this grid, whose sizes are shared in the process. Sizes that divide it are of whole waves.
    let model = model_of([128, 24], 2, &[("EXP", &[0], 1)]);
    for Backend { delegate, devices, .. } in backends() {
        let devices = devices().expect("they are listed");
        let device = devices.iter().find(|device| device.kind == "gpu").unwrap_or(&devices[0]);
        let start = || {
            let mut interpreter = on_device(delegate, &model, &[("tuning", "exhaustive")], &[]);
            run(&mut interpreter);
            reported(&interpreter)
        };
        let (first, second) = (start(), start());
        let [Reported { size, grid, how, .. }] = &first[..] else { panic!("{delegate}: {first:?}") };
        let sizes = candidates(Tuning::Exhaustive, Kind::Other, &device.limits, limits(device), *grid);
        assert!(sizes.len() > 1 && sizes.contains(size), "{delegate}: {first:?}, {sizes:?}");
        assert_eq!(how, "timed", "{delegate}");
        assert_eq!((&second[0].size, second[0].how.as_str()), (size, "timed before"), "{delegate}");
    }
}
