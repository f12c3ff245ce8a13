//! Numbers and names in README and the book are the recorded and the existing ones.

use std::collections::{BTreeMap, HashMap};
use std::fs;

use arenite_book::{pages, root, text};

const RECORDED: &str = "tests/bench/results/amd-epyc-25-17-2-cores.csv";
const RUNTIMES: [&str; 4] = ["arenite", "litert", "onnxruntime", "openvino"];

/// On how many networks each runtime has the smallest time, by kind and threads; `None` if it was not measured.
fn wins() -> BTreeMap<(String, String), [Option<usize>; 4]> {
    let file = fs::read_to_string(root().join(RECORDED)).expect("the recorded measurements");
    let mut times: HashMap<(String, String, String), Vec<(usize, f64)>> = HashMap::new();
    for line in file.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let runtime = RUNTIMES.iter().position(|name| *name == fields[3]).expect("a known runtime");
        if let Ok(time) = fields[5].parse() {
            let key = (fields[1].to_owned(), fields[2].to_owned(), fields[0].to_owned());
            times.entry(key).or_default().push((runtime, time));
        }
    }
    let mut wins: BTreeMap<(String, String), [Option<usize>; 4]> = BTreeMap::new();
    for ((kind, threads, _), times) in times.into_iter().filter(|(_, times)| times.len() > 1) {
        let row = wins.entry((kind, threads)).or_default();
        for (runtime, _) in &times {
            row[*runtime].get_or_insert(0);
        }
        let best = times.iter().min_by(|a, b| a.1.total_cmp(&b.1)).expect("several");
        *row[best.0].as_mut().expect("it has a time") += 1;
    }
    wins
}

#[test]
fn readme_compares_with_the_recorded_measurements() {
    let wins = wins();
    let readme = text("README.md");
    for (title, kind, threads) in [
        ("floats, one core", "f32", "1"),
        ("floats, two cores", "f32", "2"),
        ("8 bits, one core", "i8", "1"),
        ("8 bits, two cores", "i8", "2"),
    ] {
        let row = wins[&(kind.to_owned(), threads.to_owned())];
        let cells = row.map(|cell| cell.map_or("–".to_owned(), |count| count.to_string())).join(" | ");
        let line = format!("| {title} | {cells} |");
        assert!(readme.contains(&line), "README must have the line\n{line}\nof {RECORDED}");
    }
    let mean = text("docs/memory-tables.md");
    let mean = mean.lines().find(|line| line.starts_with("| **geometric mean** without")).expect("the mean");
    let mean = mean.split("**").filter(|part| part.starts_with("0.")).last().expect("the last column");
    let shown = format!("[{:.2}](docs/memory-tables.md)", mean.parse::<f64>().expect("a number"));
    assert!(readme.contains(&shown), "README must have {shown}");
}

/// The words of `text` that begin with `prefix`.
fn names(text: &str, prefix: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with(prefix) && word.len() > prefix.len()).map(str::to_owned).collect()
}

#[test]
fn every_name_in_the_book_is_in_a_header() {
    let mut declared = String::new();
    for folder in ["ffi/c/include/arenite", "core/abi/include", "ffi/micro/include"] {
        for entry in fs::read_dir(root().join(folder)).expect("a folder of headers") {
            let path = entry.expect("it can be listed").path();
            declared += &fs::read_to_string(path).expect("a header is text");
        }
    }
    for page in pages::pages(&root()) {
        for name in names(&text(&page), "ar_").into_iter().filter(|name| !name.ends_with('_')) {
            let is_declared =
                declared.contains(&format!("{name}(")) || declared.contains(&format!(" {name};"));
            assert!(is_declared, "{page}: `{name}` is in no header");
        }
    }
}
