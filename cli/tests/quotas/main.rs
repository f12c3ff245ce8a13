//! Runs the built program on hostile files: `run`, `inspect` and `plan` stay within `[quota] time` and `bytes` whatever
//! the file contains. A command may take a tenth more time plus 0.2 s, and a fifth more memory plus what a model with
//! one node needs.

mod models;
mod process;

use std::path::Path;
use std::sync::OnceLock;

use arenite_model::writer::ModelBuilder;
use process::{Ended, Limits};

/// In milliseconds.
const TIME: u64 = 300;
const BYTES: u64 = 64 << 20;

/// A temporary folder with a model and a config file.
struct Case {
    folder: tempfile::TempDir,
    limits: Limits,
}

impl Case {
    fn new(model: &ModelBuilder, quota: &str, limits: Limits) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("model.tflite"), model.finish()).expect("a model");
        let Limits { time, bytes, .. } = limits;
        let config = format!("schema = 1\n[quota]\ntime = {time}\nbytes = {bytes}\n{quota}");
        std::fs::write(folder.path().join("arenite.toml"), config).expect("a config file");
        Case { folder, limits }
    }

    fn path(&self, file: &str) -> String {
        self.folder.path().join(file).display().to_string()
    }

    /// Runs a command and fails if it exceeds a limit.
    fn keeps_to_its_limits(&self, command: &str, more: &[&str]) -> Ended {
        let (model, config) = (self.path("model.tflite"), self.path("arenite.toml"));
        let arguments = [&[command, &model[..], "--config", &config[..]], more].concat();
        let pages_of_the_file = std::fs::metadata(&model).map_or(0, |file| file.len());
        self.limits.check(&arguments, base() + pages_of_the_file)
    }

    /// Runs all three commands within the limits.
    fn all_commands(&self) {
        self.keeps_to_its_limits("run", &["--delegate", "none"]);
        for command in ["run", "inspect", "plan"] {
            self.keeps_to_its_limits(command, &[]);
        }
    }
}

/// The peak memory of a command on a model with one node.
fn base() -> u64 {
    static BASE: OnceLock<u64> = OnceLock::new();
    *BASE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let model = folder.path().join("model.tflite");
        std::fs::write(&model, models::one_node().finish()).expect("a model");
        let ended = process::run(&["run", &model.display().to_string()], None);
        assert_eq!(ended.status, Some(0), "{}", ended.stderr);
        ended.peak
    })
}

fn usual() -> Limits {
    Limits { time: TIME, bytes: BYTES, stack: None }
}

fn check(model: &ModelBuilder) {
    Case::new(model, "", usual()).all_commands();
}

/// Allows enough memory, so that only the time limit can be exceeded.
fn check_time(model: &ModelBuilder) {
    Case::new(model, "", Limits { bytes: 1 << 30, ..usual() }).all_commands();
}

#[test]
fn composites_that_double_a_long_name() {
    let model = models::doubling_composites(30, &"n".repeat(20_000));
    check(&model);
    let deep = Case::new(&model, "depth = 64\n", usual());
    let ended =
        Case::new(&model, "depth = 64\n", Limits { time: 20_000, ..usual() }).keeps_to_its_limits("run", &[]);
    assert_eq!(ended.status, Some(1), "{}", ended.stderr);
    assert!(ended.stderr.contains("the quota is") && ended.stderr.contains("in [quota]"), "{}", ended.stderr);
    deep.all_commands();
}

#[test]
fn composites_that_double() {
    let model = models::doubling_composites(40, "t");
    Case::new(&model, "depth = 64\n", usual()).all_commands();
    Case::new(&model, "depth = 64\nnodes = 1000\n", usual()).all_commands();
    let case = Case::new(&model, "depth = 64\n", Limits { bytes: 4 << 30, ..usual() });
    case.keeps_to_its_limits("run", &[]);
}

#[test]
fn a_fan_whose_order_is_searched() {
    for count in [500, 2500, 4500] {
        check(&models::fan(count));
    }
}

#[test]
fn nested_calls_on_small_stacks() {
    for nested in [models::nested_ifs(60), models::nested_composites(60)] {
        let small = Limits { stack: Some(512), ..usual() };
        let case = Case::new(&nested, "", small);
        case.all_commands();
        let error = case.keeps_to_its_limits("run", &[]).stderr;
        assert!(error.contains("needs 17 levels, the quota is 16; raise `depth` in [quota]"), "{error}");
        let deep = Case::new(&nested, "depth = 256\n", Limits { time: 5000, ..small });
        let ended = deep.keeps_to_its_limits("run", &[]);
        assert_eq!(ended.status, Some(0), "{}", ended.stderr);
    }
    let default = Case::new(&models::nested_ifs(15), "", Limits { stack: Some(256), time: 5000, ..usual() });
    let ended = default.keeps_to_its_limits("run", &[]);
    assert_eq!(ended.status, Some(0), "{}", ended.stderr);
}

#[test]
fn nested_calls_beyond_the_largest_depth() {
    let model = models::nested_ifs(2000);
    Case::new(&model, "depth = 256\n", usual()).all_commands();
    let refused = Case::new(&model, "depth = 1000000\n", usual()).keeps_to_its_limits("run", &[]);
    assert!(refused.stderr.contains("256"), "{}", refused.stderr);
}

/// A file with a hole of a terabyte must not be read. `run` maps it, and reads only the model at its beginning.
#[test]
fn a_sparse_file_of_a_terabyte() {
    let case = Case::new(&models::one_node(), "", usual());
    let path = case.path("model.tflite");
    let file = std::fs::File::options().write(true).open(&path).expect("the model");
    file.set_len(1 << 40).expect("the file system has files with holes");
    let config = case.path("arenite.toml");
    for command in [&["run", "--copy"][..], &["inspect"], &["plan"]] {
        let ended = usual().check(&[command, &[path.as_str(), "--config", &config]].concat(), base());
        assert_eq!(ended.status, Some(1), "{}", ended.stderr);
        assert!(ended.stderr.contains("1099511627776"), "{}", ended.stderr);
    }
    let mapped = usual().check(&["run", &path, "--config", &config], base());
    assert_eq!(mapped.status, Some(0), "{}", mapped.stderr);
}

#[test]
fn a_fill_of_20_gigabytes() {
    check(&models::fill(1_250_000_000, 4));
}

#[test]
fn a_loop_that_doubles_a_tensor() {
    check(&models::doubling_loop());
    check_time(&models::doubling_loop());
}

#[test]
fn a_broadcast_of_4_gigabytes() {
    check(&models::broadcast(1 << 10, 1 << 20));
    check_time(&models::broadcast(1 << 7, 1 << 20));
}

#[test]
fn a_chain_of_50_000_nodes() {
    check(&models::chain(50_000));
    check_time(&models::chain(50_000));
}

#[test]
fn nodes_that_read_a_thousand_tensors_each() {
    check_time(&models::wide_readers(1000, 1000));
}

#[test]
fn concatenations_of_concatenations() {
    check_time(&models::concatenations(60, 400));
}

#[test]
fn thousands_of_subgraphs() {
    check_time(&models::many_calls(3000));
}

#[test]
fn composites_of_tensors_with_many_scales() {
    let model = models::doubling_scales(14, 100_000);
    check(&model);
    check_time(&model);
}

#[test]
fn composites_without_nodes() {
    let model = models::empty_composites(60);
    Case::new(&model, "depth = 256\n", usual()).all_commands();
}

#[test]
fn a_loop_without_end() {
    check(&models::endless_loop());
}

#[test]
fn a_window_as_large_as_its_input() {
    check_time(&models::convolution(1500));
}

#[test]
fn ten_thousand_signatures_and_metadata() {
    check(&models::signatures(10_000));
}

#[test]
fn names_of_megabytes() {
    check(&models::long_names(100, 1 << 18));
}

#[test]
fn ops_that_no_plugin_has() {
    check(&models::unknown_ops(30_000));
}

#[test]
fn products_of_filled_matrices() {
    check_time(&models::product(6000));
}

#[test]
fn pictures_of_large_plans() {
    let case = Case::new(&models::chain(20_000), "", Limits { bytes: 512 << 20, ..usual() });
    let (svg, html) = (case.path("plan.svg"), case.path("plan.html"));
    case.keeps_to_its_limits("plan", &["--svg", &svg, "--delegate", "none"]);
    case.keeps_to_its_limits("plan", &["--html", &html, "--planner", "all", "--delegate", "none"]);
    case.keeps_to_its_limits("plan", &["--compare", "--delegate", "none"]);
    case.keeps_to_its_limits("plan", &["--micro"]);
}

#[test]
fn run_documents_its_default_time_limit() {
    let help = process::run(&["run", "--help"], None);
    assert!(help.stdout.contains("--time-limit") && help.stdout.contains("60 for `run`"), "{}", help.stdout);
    let case = Case::new(&models::endless_loop(), "", Limits { time: 1_000_000, ..usual() });
    let model = case.path("model.tflite");
    let ended = Limits { time: 300, ..usual() }.check(&["run", &model, "--time-limit", "0.3"], base());
    assert_eq!(ended.status, Some(1), "{}", ended.stderr);
    assert!(ended.stderr.contains("300"), "{}", ended.stderr);
    let ended =
        Limits { time: 300, ..usual() }.check(&["run", &model, "--time-limit", "0.3", "--json"], base());
    assert!(ended.stdout.starts_with("{\"error\":"), "{}", ended.stdout);
    assert!(Path::new(&model).exists());
}
