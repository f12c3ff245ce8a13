//! Runs C programs against the library and, if it can be downloaded, against TensorFlow Lite's own. Tables list the
//! expected result of each case. If a compiler, npm or valgrind is missing, the tests that need it are skipped with a
//! message.

mod models;
mod symbols;
mod toolchain;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;
use toolchain::{Against, HERE, compile, run};

fn temporary() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// A temporary folder with the models.
fn models() -> TempDir {
    let folder = temporary();
    models::write(folder.path());
    folder
}

/// The results of a program, by case.
type Answers = BTreeMap<String, String>;

/// Parses lines `case: result`. Comments are skipped.
fn answers(text: &str) -> Answers {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let pair = |line: &str| {
        let (name, answer) = line.split_once(':').unwrap_or_else(|| panic!("no case name in: {line}"));
        (name.to_owned(), answer.trim().to_owned())
    };
    lines.map(pair).collect()
}

/// Reads a table from the folder of the programs.
fn table(name: &str) -> Answers {
    let path = Path::new(HERE).join("tests/c").join(name);
    answers(&std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// The results of a program that is linked against this library; `None` if the machine cannot build it.
fn ask(source: &str, against: Against) -> Option<Answers> {
    let folder = models();
    let program = compile(source, against, folder.path())?;
    Some(answers(&run(Command::new(program).arg(folder.path()))))
}

fn check(source: &str, against: Against) {
    let Some(found) = ask(source, against) else { return };
    let wanted = table(&format!("{source}.txt"));
    for (name, answer) in &found {
        assert_eq!(Some(answer), wanted.get(name), "{source}: {name}, {against:?}");
    }
    assert_eq!(found.len(), wanted.len(), "{source}: a case in the table was not run");
}

#[test]
fn struct_layouts_match_tensorflow_lites_headers() {
    let folder = temporary();
    for against in [Against::Ours, Against::OursByTheirHeaders] {
        let Some(program) = compile("layout", against, folder.path()) else { return };
        assert_eq!(answers(&run(&mut Command::new(program))), table("layout.txt"), "{against:?}");
    }
}

/// Programs that can be linked against either library.
const BOTH: [&str; 2] = ["calls", "registration"];

/// Programs that can be linked against ours or TensorFlow Lite's library of 2.17.
const DELEGATES: [&str; 4] = ["delegate", "exports", "modify", "partitions"];

#[test]
fn calls_return_the_documented_results() {
    BOTH.iter()
        .chain(&["today", "operator"])
        .chain(&DELEGATES)
        .for_each(|source| check(source, Against::Ours));
}

#[test]
fn programs_built_with_tensorflow_lites_headers_get_the_same_results() {
    BOTH.iter().for_each(|source| check(source, Against::OursByTheirHeaders));
}

/// Compares our results with another library's. The table has lines `case: their result | why ours is right`. Where
/// theirs is UNDEFINED, any result is accepted.
fn compare(sources: &[&str], against: Against, differences: &str) {
    let mut left = table(differences);
    for source in sources {
        let Some(theirs) = ask(source, against) else { return };
        let ours = table(&format!("{source}.txt"));
        for (name, answer) in &theirs {
            let told = left.remove(name);
            let told = told.as_ref().map(|told| told.split_once(" | ").expect("a difference has a reason").0);
            if told != Some("UNDEFINED") {
                assert_eq!(answer, told.unwrap_or(&ours[name]), "{source}: {name}: ours {}", ours[name]);
                assert_ne!(
                    told,
                    Some(&ours[name][..]),
                    "{name} does not differ: remove it from {differences}"
                );
            }
        }
    }
    assert!(left.is_empty(), "{differences} lists cases that do not exist: {left:?}");
}

#[test]
fn tensorflow_lites_library_differs_only_where_the_table_says() {
    compare(&BOTH, Against::Theirs, "differences.txt");
}

#[test]
fn tensorflow_lites_library_of_2_17_differs_only_where_the_table_says() {
    compare(&DELEGATES, Against::TheirsOf2_17, "differences_2_17.txt");
}

/// Cases that free everything they create, so that any leak is in the library.
const FREEING: [(&str, &str); 16] = [
    ("operator", "op_with_user_data"),
    ("registration", "op_with_temporary_from_init"),
    ("registration", "op_resizes_to_its_array"),
    ("delegate", "delegate_claims_a_node"),
    ("delegate", "kernel_keeps_the_tensors_of_init"),
    ("exports", "xnnpack_weights_cache"),
    ("exports", "holders"),
    ("partitions", "preview_of_nodes_apart"),
    ("partitions", "three_calls"),
    ("modify", "added_after_a_run"),
    ("modify", "failing_one_is_added"),
    ("modify", "output_is_copied"),
    ("modify", "output_stays_until_it_is_read"),
    ("modify", "input_comes_from_the_delegate"),
    ("modify", "input_cannot_be_copied"),
    ("today", "signatures"),
];

#[test]
fn valgrind_finds_no_invalid_access_and_no_leak() {
    if !toolchain::have("valgrind") {
        return;
    }
    let folder = models();
    for (source, case) in FREEING {
        let Some(program) = compile(source, Against::Ours, folder.path()) else { return };
        let mut command = Command::new("valgrind");
        // Reading which functions were inlined takes longer than the program.
        command.args(["--quiet", "--error-exitcode=9", "--leak-check=full", "--read-inline-info=no"]);
        command.arg("--errors-for-leak-kinds=definite,indirect").arg(program);
        let said = run(command.arg(folder.path()).args(["one", case]));
        assert_eq!(said.trim(), table(&format!("{source}.txt"))[case], "{source}: {case}");
    }
}
