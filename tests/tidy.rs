//! Checks the invariants of ARCHITECTURE.md and the style of CONTRIBUTING.md: first the tables, then one test per rule.
//!
//! The rules are in `tests/tidy/src`, where a unit test breaks each one on purpose.
#![forbid(unsafe_code)]

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use arenite_tidy::crates::{self, Crate, Layer, Package};
use arenite_tidy::tree::{self, Source, Text};
use arenite_tidy::words::{self, Place, Word};
use arenite_tidy::{
    Complaint, cycles, demand, format, imports, length, names, phrases, places, safety, scan, text, tuples,
    width,
};

/// The paths of the tables, for messages.
const TABLES: &str = "tests/tidy.rs";
const EXCEPTIONS: &str = "tests/tidy/exceptions.txt";
const IMPORT_CYCLES: &str = "tests/tidy/import_cycles.txt";
const PHRASES: &str = "tests/tidy/phrases.txt";
const UNSAFE: &str = "tests/tidy/unsafe.txt";

/// A crate of the workspace, the workspace crates it depends on, and the ones only its tests depend on.
const fn row(
    name: &'static str,
    folder: &'static str,
    layer: Layer,
    needs: &'static [&'static str],
    tests_need: &'static [&'static str],
) -> Crate {
    Crate { name, folder, layer, needs, tests_need }
}

/// Every crate of the workspace. A new dependency must be added here.
#[rustfmt::skip]
const CRATES: &[Crate] = &[
    row("arenite-abi", "core/abi", Layer::Contract, &[], &[]),
    row("arenite-layout", "core/layout", Layer::Layout, &["arenite-abi"], &[]),
    row("arenite-model", "core/model", Layer::Model, &[], &["arenite-test-clock"]),
    row("arenite-runtime", "core/runtime", Layer::Runtime, &["arenite-abi", "arenite-layout", "arenite-model"],
        &["arenite-model", "arenite-test-clock"]),

    row("arenite-ops", "ops", Layer::Part, &["arenite-abi"], &["arenite-abi"]),
    row("arenite-flex", "ops/flex", Layer::Part, &["arenite-abi", "arenite-ops"], &["arenite-abi"]),
    row("arenite-mediapipe", "ops/mediapipe", Layer::Part, &["arenite-abi", "arenite-ops"], &["arenite-abi"]),
    row("arenite-planners", "planners", Layer::Part, &["arenite-abi"], &["arenite-abi", "arenite-test-clock"]),
    row("arenite-base", "delegates/base", Layer::Part, &[], &[]),
    row("arenite-layers", "delegates/layers", Layer::Part, &["arenite-abi", "arenite-base"], &[]),
    row("arenite-cpu", "delegates/cpu", Layer::Part,
        &["arenite-abi", "arenite-base", "arenite-kernels", "arenite-layers", "arenite-layout"], &[]),
    row("arenite-kernels", "delegates/kernels", Layer::Part, &["arenite-base"], &[]),
    row("arenite-gpu", "delegates/gpu", Layer::Part, &["arenite-abi", "arenite-base", "arenite-layers"], &[]),

    row("arenite-plugin-ops", "plugins/ops", Layer::Shell, &["arenite-abi", "arenite-ops"], &[]),
    row("arenite-plugin-flex", "plugins/flex", Layer::Shell, &["arenite-abi", "arenite-flex"], &[]),
    row("arenite-plugin-mediapipe", "plugins/mediapipe", Layer::Shell, &["arenite-abi", "arenite-mediapipe"], &[]),
    row("arenite-plugin-planners", "plugins/planners", Layer::Shell, &["arenite-abi", "arenite-planners"], &[]),
    row("arenite-plugin-cpu", "plugins/cpu", Layer::Shell, &["arenite-abi", "arenite-cpu"], &[]),
    row("arenite-plugin-opencl", "plugins/opencl", Layer::Shell, &["arenite-abi", "arenite-gpu"], &[]),
    row("arenite-plugin-vulkan", "plugins/vulkan", Layer::Shell, &["arenite-abi", "arenite-gpu"], &[]),
    row("arenite-plugin-template", "plugins/template", Layer::Shell, &["arenite-abi"],
        &["arenite-test-future-abi", "arenite-test-other-layout"]),
    row("arenite-builtin", "plugins/builtin", Layer::Composition,
        &["arenite-abi", "arenite-cpu", "arenite-flex", "arenite-gpu", "arenite-mediapipe", "arenite-ops", "arenite-planners"],
        &[]),

    row("arenite-common", "common", Layer::Common, &["arenite-runtime"], &[]),
    row("arenite-answers", "common/answers", Layer::Common, &["arenite-runtime", "arenite-common"], &["arenite-builtin", "arenite-model"]),
    row("arenite-language", "common/language", Layer::Common, &["arenite-runtime"], &["arenite-builtin", "arenite-model"]),
    row("arenite-text", "common/text", Layer::Common, &["arenite-language", "arenite-litertlm"], &["arenite-runtime", "arenite-builtin", "arenite-model"]),
    row("arenite-litertlm", "common/litertlm", Layer::Common, &[], &[]),
    row("arenite-limits", "common/limits", Layer::Common, &[], &[]),
    row("arenite-pictures", "common/pictures", Layer::Common, &["arenite-runtime", "arenite-common"], &[]),
    // It has no registry: it calls planners as functions, and ops are passed to it.
    row("arenite-micro", "core/micro", Layer::Micro, &["arenite-abi", "arenite-model", "arenite-planners"], &["arenite-ops"]),

    row("arenite-embed", "embed", Layer::Application, &["arenite-abi", "arenite-micro", "arenite-ops", "arenite-planners"], &[]),
    row("arenite", "arenite", Layer::Application,
        &["arenite-answers", "arenite-builtin", "arenite-pictures", "arenite-runtime"], &["arenite-plugin-template"]),
    // The program's reports use arenite-planners' function for banks and the places of arenite-ops' ops directly, not
    // as plugins.
    row("arenite-cli", "cli", Layer::Application,
        &["arenite-runtime", "arenite-abi", "arenite-answers", "arenite-builtin", "arenite-common", "arenite-language", "arenite-layers",
          "arenite-limits", "arenite-litertlm", "arenite-micro", "arenite-model", "arenite-ops", "arenite-pictures", "arenite-planners", "arenite-text"],
        &[]),
    row("arenite-c", "ffi/c", Layer::Application,
        &["arenite-runtime", "arenite-builtin", "arenite-common", "arenite-ffi-common", "arenite-language", "arenite-pictures"],
        &["arenite-c-testing", "arenite-model", "arenite-plugin-ops", "arenite-plugin-planners"]),
    row("arenite-c-testing", "ffi/c/testing", Layer::Tests, &["arenite-abi"], &[]),
    row("arenite-cpp", "ffi/cpp", Layer::Tests, &[], &["arenite-c", "arenite-model"]),
    row("arenite-micro-c", "ffi/micro", Layer::Application, &["arenite-abi", "arenite-micro", "arenite-ops"], &["arenite-model"]),
    row("arenite-ffi-common", "ffi/common", Layer::Common, &[], &[]),
    row("arenite-python", "ffi/python", Layer::Bundle,
        &["arenite-runtime", "arenite-answers", "arenite-builtin", "arenite-cli", "arenite-common", "arenite-limits",
          "arenite-pictures", "arenite-pool"],
        &[]),
    row("arenite-pool", "ffi/python/pool", Layer::Common, &[], &["arenite-runtime", "arenite-builtin"]),
    row("arenite-tflite", "ffi/tflite", Layer::Application, &["arenite-runtime", "arenite-builtin", "arenite-ffi-common"], &["arenite-model"]),

    row("arenite-tests", "tests", Layer::Tests,
        &["arenite-runtime", "arenite-abi", "arenite-builtin", "arenite-cli", "arenite-flex", "arenite-gpu", "arenite-micro", "arenite-model",
          "arenite-ops", "arenite-pictures"],
        &["arenite-cpu", "arenite-plugin-cpu", "arenite-plugin-flex", "arenite-plugin-mediapipe", "arenite-plugin-opencl", "arenite-plugin-ops", "arenite-plugin-planners",
          "arenite-plugin-template", "arenite-plugin-vulkan", "arenite-test-clock", "arenite-test-contract", "arenite-test-future-abi",
          "arenite-test-other-layout", "arenite-test-panicking"]),
    row("arenite-bench", "tests/bench", Layer::Tests,
        &["arenite-runtime", "arenite-abi", "arenite-builtin", "arenite-model"], &[]),
    row("arenite-book", "tests/book", Layer::Tests, &["arenite", "arenite-cli", "arenite-embed", "arenite-limits"],
        &["arenite-abi", "arenite-c", "arenite-micro", "arenite-ops", "arenite-plugin-flex", "arenite-plugin-opencl", "arenite-plugin-template",
          "arenite-plugin-vulkan"]),
    row("arenite-test-calls", "tests/calls", Layer::Tests,
        &["arenite-abi", "arenite-c", "arenite-model", "arenite-tests", "arenite-tflite"], &[]),
    row("arenite-test-clock", "tests/clock", Layer::Tests, &[], &[]),
    row("arenite-test-embedded", "tests/embedded", Layer::Tests, &["arenite-embed", "arenite-micro", "arenite-ops"],
        &["arenite-runtime", "arenite-builtin"]),
    row("arenite-test-embedded-board", "tests/embedded/board", Layer::Tests, &["arenite-test-embedded"], &[]),
    row("arenite-test-contract", "tests/plugins/contract", Layer::Tests, &[], &[]),
    row("arenite-test-future-abi", "tests/plugins/future_abi", Layer::Tests, &[], &[]),
    row("arenite-test-other-layout", "tests/plugins/other_layout", Layer::Tests, &[], &[]),
    row("arenite-test-panicking", "tests/plugins/panicking", Layer::Tests, &["arenite-abi"], &[]),
    row("arenite-tidy", "tests/tidy", Layer::Tests, &[], &[]),
];

/// Permitted dependencies between parts.
const APART: &[(&str, &str)] = &[
    ("arenite-flex", "arenite-ops"),
    ("arenite-mediapipe", "arenite-ops"),
    ("arenite-cpu", "arenite-base"),
    ("arenite-cpu", "arenite-kernels"),
    ("arenite-cpu", "arenite-layers"),
    ("arenite-gpu", "arenite-base"),
    ("arenite-gpu", "arenite-layers"),
    ("arenite-kernels", "arenite-base"),
    ("arenite-layers", "arenite-base"),
];

/// Packages that may use abi_stable. The second one is core/abi with another layout, under its own name.
const ABI_STABLE: &[&str] = &["arenite-abi", "arenite-test-other-layout"];
const ABI_STABLE_CODE: &[&str] = &["core/abi/src/", "tests/plugins/other_layout/src/"];

/// Words that library code must not contain, and their replacements.
const WORDS: &[Word] = &[
    Word { word: ".unwrap()", instead: ERROR },
    Word { word: ".expect(\"", instead: ERROR },
    Word { word: "panic!", instead: ERROR },
    Word { word: "unreachable!", instead: ERROR },
    Word { word: "unimplemented!", instead: ERROR },
    Word { word: "todo!", instead: "do it" },
    Word { word: "dbg!", instead: LOG },
    Word { word: "print!", instead: LOG },
    Word { word: "println!", instead: LOG },
    Word { word: "eprint!", instead: LOG },
    Word { word: "eprintln!", instead: LOG },
];
const ERROR: &str = "return an error with a remedy, or restructure the code so that it cannot fail";
const LOG: &str = "log it with `tracing`, or return it";

/// Exceptions: the host of the tests, which fails them, and code whose constructor has checked the condition.
const SAID: &[Place] = &[
    Place { file: "core/abi/src/testing.rs", word: ".expect(\"" },
    Place { file: "core/abi/src/testing/calls.rs", word: "eprintln!" },
    Place { file: "core/abi/src/testing/flexbuffer.rs", word: "panic!" },
    Place { file: "core/abi/src/testing/memory.rs", word: ".expect(\"" },
    Place { file: "core/abi/src/testing/nodes.rs", word: "panic!" },
    Place { file: "core/abi/src/testing/nodes/text.rs", word: "panic!" },
    Place { file: "core/abi/src/testing/options.rs", word: "panic!" },
    Place { file: "core/abi/src/testing/tensor.rs", word: ".expect(\"" },
    Place { file: "core/abi/src/testing/tensor.rs", word: "panic!" },
    Place { file: "core/abi/src/testing/tensors.rs", word: "unreachable!" },
    Place { file: "core/runtime/src/interpreter/mod.rs", word: "unreachable!" },
];

static TEXTS: LazyLock<Vec<Text>> = LazyLock::new(|| tree::texts(root(), &tree::list(root())));
static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(|| tree::sources(&TEXTS));
static PACKAGES: LazyLock<Vec<Package>> = LazyLock::new(|| {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root()).args(["metadata", "--format-version", "1", "--no-deps", "--offline"]);
    let output = cargo.output().expect("cargo runs, since it runs this test");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    crates::packages(&String::from_utf8_lossy(&output.stdout), root()).expect("cargo describes the workspace")
});

/// Read from the environment at run time, because work trees may share build outputs.
static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&folder).join("../..")
});

fn root() -> &'static Path {
    &ROOT
}

/// The files of which programs are built: those in the `src` folder of a crate that is not for tests.
fn library() -> impl Iterator<Item = &'static Source> {
    let folders =
        CRATES.iter().filter(|row| row.layer != Layer::Tests).map(|row| format!("{}/src/", row.folder));
    let folders: Vec<String> = folders.collect();
    SOURCES.iter().filter(move |source| folders.iter().any(|folder| source.path.starts_with(folder)))
}

#[test]
fn every_file_is_parsed_correctly() {
    let wrong = SOURCES.iter().filter_map(|source| {
        let line = scan::unbalanced(&source.code)?;
        Some(Complaint::new(
            &source.path,
            line,
            "brackets do not balance: if rustc accepts this, fix `scan::code`",
        ))
    });
    demand("scanner", &wrong.collect::<Vec<_>>());
}

#[test]
fn files_are_formatted() {
    let files: Vec<&str> = SOURCES.iter().map(|source| source.path.as_str()).collect();
    match format::check("rustfmt", root(), &files) {
        Some(found) => demand("format", &found),
        None => println!("skipped: rustfmt is not installed"),
    }
}

#[test]
fn dependencies_are_declared() {
    demand("dependencies", &crates::check_table(&PACKAGES, CRATES, TABLES));
}

#[test]
fn dependencies_follow_the_architecture() {
    demand("architecture", &crates::check_layers(&PACKAGES, CRATES, APART));
}

#[test]
fn a_crate_is_an_implementation_or_a_shell() {
    demand("implementation or shell", &crates::check_kinds(&PACKAGES, CRATES));
}

#[test]
fn only_the_contract_uses_abi_stable() {
    let mut found = crates::check_only(&PACKAGES, "abi_stable", ABI_STABLE);
    found.extend(places::check(&SOURCES, "abi_stable", ABI_STABLE_CODE, TABLES));
    demand("abi_stable", &found);
}

#[test]
fn every_crate_has_the_lints_of_the_workspace() {
    demand("lints", &crates::check_lints(&PACKAGES));
}

#[test]
fn unsafe_has_named_places() {
    let list = read(UNSAFE);
    let files = places::listed(UNSAFE, &list).unwrap_or_else(|wrong| panic!("{wrong}"));
    demand("unsafe", &places::check(&SOURCES, "unsafe", &files, UNSAFE));
    demand("forbid(unsafe_code)", &places::check_forbidden(&SOURCES, &files, UNSAFE));
}

#[test]
fn files_and_functions_are_short() {
    let library: HashSet<&str> = library().map(|source| source.path.as_str()).collect();
    let mut long = length::measure(&*SOURCES, |source| library.contains(source.path.as_str()));
    long.extend(length::measure_texts(&TEXTS));
    demand("length", &length::check(&long, &entries(EXCEPTIONS), EXCEPTIONS));
}

#[test]
fn import_cycles_shrink() {
    let allowed =
        cycles::allowed(IMPORT_CYCLES, &read(IMPORT_CYCLES)).unwrap_or_else(|wrong| panic!("{wrong}"));
    let rows = CRATES.iter().filter(|row| row.layer != Layer::Tests);
    let read = |row: &Crate| (row.folder, imports::read(&format!("{}/src", row.folder), &*SOURCES));
    demand("import cycles", &cycles::check(&rows.map(read).collect::<Vec<_>>(), &allowed, IMPORT_CYCLES));
}

#[test]
fn safety_comments_give_an_argument() {
    demand("safety", &safety::check(&*SOURCES));
}

#[test]
fn parameters_cannot_be_exchanged() {
    demand("tuples", &tuples::check(library()));
}

#[test]
fn prose_is_narrow() {
    demand("width", &width::check(&TEXTS));
}

#[test]
fn phrases_are_plain() {
    let files = phrases::measure(TEXTS.iter().filter(|text| text.path != phrases::TESTED));
    if std::env::var_os("ARENITE_TIDY_WRITE").is_some() {
        let list = phrases::lowered(&read(PHRASES), &files);
        std::fs::write(root().join(PHRASES), list).expect("the list is writable");
    }
    demand("phrases", &phrases::check(&files, &entries(PHRASES), PHRASES));
}

/// The text of a list.
fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).expect("the list is in the tree")
}

/// The entries of a list that may only shrink.
fn entries(file: &str) -> Vec<length::Exception> {
    length::exceptions(file, &read(file)).unwrap_or_else(|wrong| panic!("{wrong}"))
}

#[test]
fn types_are_nouns() {
    demand("names", &names::check(library()));
    demand("general names", &names::check_general(library()));
}

#[test]
fn library_code_neither_panics_nor_prints() {
    demand("words", &words::check(library(), WORDS, SAID, TABLES));
}

#[test]
fn lines_end_correctly() {
    demand("lines", &text::check_lines(&TEXTS));
}

#[test]
fn examples_that_do_not_compile_name_their_error() {
    demand("error codes", &text::check_error_codes(&TEXTS));
}

#[test]
fn documents_name_files_that_exist() {
    demand(
        "named files",
        &text::check_named_files(&TEXTS, &["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"]),
    );
}

#[test]
fn no_file_contains_a_path_of_one_machine() {
    demand("paths", &text::check_paths(&TEXTS));
}
