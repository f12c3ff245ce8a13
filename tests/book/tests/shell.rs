//! Every command in README and the book succeeds in a clone and prints the output on its page.
//!
//! Each page is one shell script: a reader types all its commands in order, and saves blocks whose first line is a file
//! name as files. In a block of `console`, lines after a command are its output, where `…` means any text, alone on a
//! line any lines; the command fails if that output starts with `error:`. Notes after `sh`:
//!
//! - `build`, after `rust`: a build script. `build.rs` of this crate does what it does.
//! - `gpu`: needs a device of OpenCL or Vulkan.
//! - `ci`: compiles or downloads. `.ci/run` runs these blocks by the test that is ignored here.
//! - `zoo`: on pages with measurements, prints their tables from networks that `tests/bench` makes, in minutes or
//!   hours.

use std::path::Path;
use std::sync::Mutex;
use std::{fs, thread};

use arenite_book::blocks::{Block, blocks};
use arenite_book::scratch::Scratch;
use arenite_book::{pages, root, text};

const PROGRAM: &str = env!("CARGO_BIN_EXE_arenite-in-the-book");

/// The blocks that a reader may meet, by language and note.
const KINDS: &[(&str, &str)] = &[
    ("c", ""),
    ("console", ""),
    ("cpp", ""),
    ("go", ""),
    ("python", ""),
    ("rust", ""),
    ("rust", "build"),
    ("sh", ""),
    ("sh", "ci"),
    ("sh", "gpu"),
    ("sh", "zoo"),
    ("text", ""),
    ("toml", ""),
];

/// A command of a `console` block, and its output.
struct Session {
    line: usize,
    command: String,
    output: Vec<String>,
}

fn sessions(block: &Block) -> Vec<Session> {
    let mut found: Vec<Session> = Vec::new();
    let mut continued = false;
    for (i, line) in block.text.lines().enumerate() {
        if let Some(command) = line.strip_prefix("$ ") {
            found.push(Session { line: block.line + 1 + i, command: command.to_owned(), output: Vec::new() });
        } else {
            let session = found.last_mut().expect("a block of `console` starts with a command");
            if continued {
                session.command += &format!("\n{line}");
            } else {
                session.output.push(line.to_owned());
            }
        }
        continued = line.ends_with('\\') && (continued || line.starts_with("$ "));
    }
    found
}

/// Whether `line` matches the line `shown` on a page, where `…` means any text. Widths of gaps do not count.
fn line_fits(shown: &str, line: &str) -> bool {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (shown, line) = (plain(shown), plain(line));
    let mut parts = shown.split('…');
    let Some(mut rest) = line.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Whether `lines` match the output on a page; a line of `…` alone means any lines.
fn fits(shown: &[String], lines: &[&str]) -> bool {
    match shown.split_first() {
        None => lines.is_empty(),
        Some((first, after)) if first.trim() == "…" => {
            (0..=lines.len()).any(|skipped| fits(after, &lines[skipped..]))
        }
        Some((first, after)) => {
            lines.split_first().is_some_and(|(line, rest)| line_fits(first, line) && fits(after, rest))
        }
    }
}

/// The script of a page, and the sessions whose outputs it writes to the numbered files of `results`.
fn script(page: &str, blocks: &[Block], notes: &[&str], results: &Path) -> (String, Vec<Session>) {
    let mut script = "set -eu\n".to_owned();
    let mut all = Vec::new();
    for block in blocks {
        script += &format!("echo '== {page}:{}' >&2\n", block.line);
        if let Some(name) = block.file_name() {
            script += &format!("cat >'{name}' <<'END_OF_BLOCK'\n{}END_OF_BLOCK\n", block.text);
        } else if block.language == "sh" && notes.contains(&block.note.as_str()) {
            script += &format!("{}\n", block.text);
        } else if block.language == "console" {
            for session in sessions(block) {
                let result = results.join(all.len().to_string());
                let fails = session.output.first().is_some_and(|line| line.starts_with("error:"));
                let not = if fails { "! " } else { "" };
                script += &format!("{not}{{ {}\n}} >'{}' 2>&1\n", session.command, result.display());
                all.push(session);
            }
        }
    }
    (script, all)
}

/// Runs a page's commands with these notes and returns the failures.
fn failures(page: &str, scratch: &Scratch, notes: &[&str]) -> Vec<String> {
    let blocks = blocks(&text(page));
    let results = tempfile::tempdir().expect("a temporary folder");
    let (script, sessions) = script(page, &blocks, notes, results.path());
    let file = results.path().join("page.sh");
    fs::write(&file, script).expect("a new file");
    let output = scratch.command(&file).output().expect("sh is installed");
    let result = |i: usize| fs::read_to_string(results.path().join(i.to_string())).ok();
    let mut found = Vec::new();
    if !output.status.success() {
        let last = (0..sessions.len()).filter_map(result).next_back().unwrap_or_default();
        found.push(format!("{page}: {}\n{}{last}", output.status, String::from_utf8_lossy(&output.stderr)));
    }
    for (i, session) in sessions.iter().enumerate() {
        let Some(result) = result(i) else { continue };
        if !fits(&session.output, &result.lines().collect::<Vec<_>>()) {
            found.push(format!("{page}:{}: `{}` prints\n{result}", session.line, session.command));
        }
    }
    found
}

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.add_program(PROGRAM);
    scratch
}

/// Whether the GPU delegates find a device. `ARENITE_GPU=required` demands one.
fn has_gpu() -> bool {
    let scratch = scratch();
    let script = scratch.clone_folder().join("devices.sh");
    let lines = "set -eu\ncargo build --release -p arenite-plugin-opencl -p arenite-plugin-vulkan\nmkdir gpu\n\
                 cp target/release/*.so gpu\narenite devices --plugin-dir gpu --json\n";
    fs::write(&script, lines).expect("a new file");
    let output = scratch.command(&script).output().expect("sh is installed");
    let found = String::from_utf8_lossy(&output.stdout).contains("opencl");
    let required = std::env::var_os("ARENITE_GPU").is_some_and(|value| value == "required");
    assert!(found || !required, "no device: {}", String::from_utf8_lossy(&output.stderr));
    found
}

#[test]
fn every_command_works() {
    let mut notes = vec![""];
    if has_gpu() {
        notes.push("gpu");
    } else {
        println!("skipped: commands for GPUs, because OpenCL lists no device");
    }
    let has_commands = |page: &String| {
        blocks(&text(page))
            .iter()
            .any(|b| b.language == "console" || notes.contains(&b.note.as_str()) && b.language == "sh")
    };
    let pages = Mutex::new(pages::pages(&root()).into_iter().filter(has_commands).collect::<Vec<_>>());
    let next = || pages.lock().expect("no page panics").pop();
    let found = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while let Some(page) = next() {
                    let begun = std::time::Instant::now();
                    found.lock().expect("no page panics").extend(failures(&page, &scratch(), &notes));
                    println!("{page}: {:.1} s", begun.elapsed().as_secs_f64());
                }
            });
        }
    });
    let found = found.into_inner().expect("no page panics");
    assert!(found.is_empty(), "{}", found.join("\n\n"));
}

/// With the real cargo, whose release builds `.ci/run` has made before.
#[test]
#[ignore = "compiles for minutes and downloads; .ci/run runs it"]
fn every_command_that_compiles_works() {
    for page in pages::pages(&root()) {
        if blocks(&text(&page)).iter().any(|block| block.note == "ci") {
            let scratch = scratch();
            scratch.use_cargo();
            let found = failures(&page, &scratch, &["ci"]);
            assert!(found.is_empty(), "{}", found.join("\n\n"));
        }
    }
}

#[test]
fn every_block_has_a_known_kind() {
    for page in pages::pages(&root()) {
        for block in blocks(&text(&page)) {
            let kind = (block.language.as_str(), block.note.as_str());
            assert!(KINDS.contains(&kind), "{page}:{}: {kind:?} is not one of {KINDS:?}", block.line);
            let has_tables =
                page.ends_with("-tables.md") || ["docs/memory.md", "docs/speed.md"].contains(&page.as_str());
            assert!(
                kind.1 != "zoo" || has_tables,
                "{page}:{}: {kind:?} is for measurements only",
                block.line
            );
            let must_be_file = ["c", "cpp", "go"].contains(&kind.0);
            assert!(
                !must_be_file || block.file_name().is_some(),
                "{page}:{}: begin with a comment that names a file, and compile that file in a block of sh",
                block.line
            );
        }
    }
}

#[test]
fn a_wrong_output_is_found() {
    let shown = ["…".to_owned(), "  96.2 %  7  (class 7)".to_owned(), "time … ms".to_owned()];
    assert!(fits(&shown, &["note", "96.2 % 7 (class 7)", "time 0.3 ms"]));
    assert!(fits(&shown, &["96.2 %  7  (class 7)", "time 12 ms"]));
    assert!(!fits(&shown, &["96.2 %  8  (class 7)", "time 12 ms"]));
    assert!(!fits(&shown, &["96.2 %  7  (class 7)", "time 12 s"]));
    assert!(!fits(&[], &["a line"]));
}
