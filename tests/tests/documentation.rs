//! The TOML in the documentation works: every `arenite.toml` runs a model, and every Cargo.toml names existing
//! packages.

use std::fs;
use std::path::{Path, PathBuf};

use arenite::{Config, ConfigError, Interpreter, LoadError, Model, NodeProvider};
use arenite_tests::libraries::{copy_into, library};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// A block of TOML in a README, in docs, or in a comment of a source file.
struct Block {
    file: PathBuf,
    line: usize,
    text: String,
}

/// All blocks in the files below a folder whose names end with one of `endings`.
fn blocks(folder: &Path, endings: &[&str], found: &mut Vec<Block>) {
    for entry in fs::read_dir(folder).expect("a folder of the project") {
        let path = entry.expect("it can be listed").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && !name.starts_with('.') && name != "target" {
            blocks(&path, endings, found);
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            let text = fs::read_to_string(&path).expect("it is text");
            found.extend(blocks_of(&path, &text));
        }
    }
}

fn blocks_of(file: &Path, text: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for (i, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let line =
            ["//! ", "/// ", "//!", "///"].iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line);
        match &mut open {
            None if line == "```toml" => {
                open = Some(Block { file: file.to_owned(), line: i + 1, text: String::new() });
            }
            Some(_) if line == "```" => found.extend(open.take()),
            Some(block) => block.text += &format!("{line}\n"),
            None => {}
        }
    }
    found
}

fn documented() -> Vec<Block> {
    let mut found = Vec::new();
    blocks(Path::new(ROOT), &[".md", ".rs", ".h"], &mut found);
    found
}

#[test]
fn every_configuration_in_the_documentation_runs_a_model() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [plugins, mine, extra] = ["plugins", "my-plugins", "extra"].map(|name| folder.path().join(name));
    for folder in [&plugins, &mine, &extra] {
        fs::create_dir(folder).expect("a new folder");
    }
    let shells = ["ops", "planners", "cpu"].map(|name| format!("arenite-plugin-{name}"));
    for folder in [&plugins, &mine] {
        copy_into(folder, &shells.each_ref().map(String::as_str));
    }
    fs::copy(library("arenite-plugin-template"), extra.join("libmine.so")).expect("a library can be copied");
    let model =
        Model::from_file(Path::new(ROOT).join("examples/digits/digits_f32.tflite")).expect("it is sound");
    let mut run = 0;
    for block in documented().iter().filter(|block| block.text.contains("schema = ")) {
        let place = format!("{}:{}", block.file.display(), block.line);
        let path = folder.path().join("arenite.toml");
        fs::write(&path, &block.text).expect("the folder can be written");
        let config = Config::from_file(&path).unwrap_or_else(|error| panic!("{place}: {error}"));
        let mut interpreter = Interpreter::builder(&model)
            .config(&config)
            .build()
            .unwrap_or_else(|error| panic!("{place}: {error}"));
        interpreter.allocate().unwrap_or_else(|error| panic!("{place}: {error}"));
        interpreter
            .input_mut(0)
            .expect("one input")
            .copy_from_slice(&[0.5f32; 256])
            .expect("the input has this size");
        interpreter.invoke().unwrap_or_else(|error| panic!("{place}: {error}"));
        // The plugins that are linked in are in the folder, too.
        let failures = interpreter.registry().failures();
        assert!(
            failures.iter().all(|f| matches!(f.reason, LoadError::Duplicate(_))),
            "{place}: {failures:?}"
        );
        assert!(
            interpreter.left_out().iter().all(|left| left.is_absent),
            "{place}: {:?}",
            interpreter.left_out()
        );
        let fast =
            |served: &&NodeProvider| matches!(served, NodeProvider::Delegate { name, .. } if name == "cpu");
        let delegated = interpreter.served_by().iter().filter(fast).count();
        assert!(
            2 * delegated > interpreter.served_by().len(),
            "{place}: the CPU delegate has {delegated} nodes"
        );
        run += 1;
    }
    assert!(run >= 3, "README, docs/config.md and the documentation of `config`: {run}");
}

/// Manifests for authors of plugins and programs: `package = { path = "ARENITE/folder" }`.
#[test]
fn every_manifest_in_the_documentation_names_existing_packages() {
    let mut dependencies = 0;
    for block in documented().iter().filter(|block| !block.text.contains("schema = ")) {
        let place = format!("{}:{}", block.file.display(), block.line);
        let lines = block.text.lines().filter_map(|line| line.split_once(" = { path = \"ARENITE/"));
        for (package, rest) in lines {
            let folder = rest.split('"').next().unwrap_or_default();
            let manifest = fs::read_to_string(Path::new(ROOT).join(folder).join("Cargo.toml"));
            let manifest = manifest.unwrap_or_else(|error| panic!("{place}: {folder}: {error}"));
            assert!(
                manifest.contains(&format!("name = \"{package}\"\n")),
                "{place}: {package} is not in {folder}"
            );
            dependencies += 1;
        }
        // The manifest of a Python package with a plugin; `ffi/python` tests the name of the entry points.
        let is_python = block.text.contains("[project.entry-points.\"arenite.plugins\"]");
        assert!(
            is_python || block.text.contains("[dependencies]"),
            "{place}: neither an arenite.toml nor a manifest"
        );
    }
    assert!(dependencies >= 1, "the manifest in the template's README");
}

/// `docs/config.md` contains the example from the documentation of `config`, and every key.
#[test]
fn every_key_is_documented() {
    let page = fs::read_to_string(Path::new(ROOT).join("docs/config.md")).expect("it exists");
    let source = fs::read_to_string(Path::new(ROOT).join("core/runtime/src/config.rs")).expect("it exists");
    let block = |text: &str| blocks_of(Path::new(""), text).remove(0).text;
    assert_eq!(block(&page), block(&source));
    let tables = [
        "",
        "[plugins]\n",
        "[planner]\n",
        "[memory]\n",
        "[[delegate]]\n",
        "[ops.ADD]\n",
        "[threads]\n",
        "[quota]\n",
    ];
    for table in tables {
        let error = format!("schema = 1\n{table}no_such_key = 1\n").parse::<Config>();
        let Err(ConfigError::UnknownKey { known, .. }) = error else { panic!("{table}: {error:?}") };
        for key in known {
            let in_block = block(&page).lines().any(|line| {
                // A key whose value depends on the machine is commented out.
                let line = line.trim_start_matches(['[', '#', ' ']);
                line.starts_with(key)
                    && !line[key.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
            });
            assert!(in_block, "{table}{key} is not in the block of docs/config.md");
        }
    }
}
