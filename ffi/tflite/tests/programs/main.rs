//! Programs in C against the library, and against TensorFlow Lite's own where it can be had: what each call says stands in tables.
//! What the machine lacks (a compiler, npm, valgrind) is left out with a line.

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

/// A folder with the models.
fn models() -> TempDir {
    let folder = temporary();
    models::write(folder.path());
    folder
}

/// What a program says of each of its cases.
type Answers = BTreeMap<String, String>;

/// The lines `name: answer` of a text, comments left out.
fn answers(text: &str) -> Answers {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let pair = |line: &str| {
        let (name, answer) = line.split_once(':').unwrap_or_else(|| panic!("no name in: {line}"));
        (name.to_owned(), answer.trim().to_owned())
    };
    lines.map(pair).collect()
}

/// A table beside the programs.
fn table(name: &str) -> Answers {
    let path = Path::new(HERE).join("tests/c").join(name);
    answers(&std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// What a program says when it is linked so; `None` where it cannot be.
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
    assert_eq!(found.len(), wanted.len(), "{source}: a case of the table was not run");
}

#[test]
fn structs_lie_as_tensorflow_lites_headers_say() {
    let folder = temporary();
    for against in [Against::Ours, Against::OursByTheirHeaders] {
        let Some(program) = compile("layout", against, folder.path()) else { return };
        assert_eq!(answers(&run(&mut Command::new(program))), table("layout.txt"), "{against:?}");
    }
}

/// Programs that either library can be linked to.
const BOTH: [&str; 2] = ["calls", "registration"];

#[test]
fn calls_say_what_is_documented() {
    BOTH.iter().chain(&["today", "operator", "delegate"]).for_each(|source| check(source, Against::Ours));
}

#[test]
fn calls_compiled_with_tensorflow_lites_headers_say_the_same() {
    BOTH.iter().for_each(|source| check(source, Against::OursByTheirHeaders));
}

/// `differences.txt` has `name: theirs | why ours is right`. Where theirs is UNDEFINED, it may say anything.
#[test]
fn tensorflow_lites_own_library_says_the_same_but_where_the_table_tells() {
    let mut differences = table("differences.txt");
    for source in BOTH {
        let Some(theirs) = ask(source, Against::Theirs) else { return };
        let ours = table(&format!("{source}.txt"));
        for (name, answer) in &theirs {
            let told = differences.remove(name);
            let told = told.as_ref().map(|told| told.split_once(" | ").expect("a difference has a reason").0);
            if told != Some("UNDEFINED") {
                assert_eq!(answer, told.unwrap_or(&ours[name]), "{source}: {name}: ours {}", ours[name]);
                assert_ne!(told, Some(&ours[name][..]), "{name} does not differ: remove it from the table");
            }
        }
    }
    assert!(differences.is_empty(), "no cases: {differences:?}");
}

/// Cases that free all that they make, so that what is lost is the library's.
const FREEING: [(&str, &str); 3] =
    [("operator", "op_with_user_data"), ("delegate", "delegate_takes_a_node"), ("today", "signatures")];

#[test]
fn memory_is_used_as_allowed_and_given_back() {
    if !toolchain::have("valgrind") {
        return;
    }
    let folder = models();
    for (source, case) in FREEING {
        let Some(program) = compile(source, Against::Ours, folder.path()) else { return };
        let mut command = Command::new("valgrind");
        command.args(["--quiet", "--error-exitcode=9", "--leak-check=full"]);
        command.arg("--errors-for-leak-kinds=definite,indirect").arg(program);
        let said = run(command.arg(folder.path()).args(["one", case]));
        assert_eq!(said.trim(), table(&format!("{source}.txt"))[case], "{source}: {case}");
    }
}
