//! Makes a test of each Rust program in README and the book: a module with the program as it is printed, and a test
//! that runs its `main`.

#[path = "src/blocks.rs"]
#[allow(dead_code, unreachable_pub)] // Uses only the parts for programs.
mod blocks;
#[path = "src/pages.rs"]
#[allow(unreachable_pub)]
mod pages;

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let mut tests = String::new();
    println!("cargo::rerun-if-changed={}", root.join("docs").display());
    for page in pages::pages(&root) {
        println!("cargo::rerun-if-changed={}", root.join(&page).display());
        let text = fs::read_to_string(root.join(&page)).expect("a page can be read");
        let is_program = |block: &&blocks::Block| block.language == "rust" && block.note.is_empty();
        for block in blocks::blocks(&text).iter().filter(is_program) {
            let stem = page.trim_end_matches(".md").replace(|c: char| !c.is_ascii_alphanumeric(), "_");
            let name = format!("{}_line_{}", stem.to_lowercase(), block.line);
            let place = format!("{page}:{}", block.line);
            let mut program = block.text.clone();
            tests += &format!("/// {place}\n#[allow(dead_code, unreachable_pub)]\n");
            let file = out.join(format!("{name}.rs"));
            tests += &format!("#[path = {:?}]\nmod {name};\n", file.display().to_string());
            if block.text.contains("fn main()") {
                program += "\npub(super) fn outcome() -> impl crate::Outcome {\n    main()\n}\n";
                tests +=
                    &format!("#[test]\nfn {name}_runs() {{\n    run(\"{place}\", {name}::outcome);\n}}\n");
            }
            fs::write(&file, program).expect("the output folder can be written");
        }
    }
    fs::write(out.join("programs.rs"), tests).expect("the output folder can be written");
    // The model that docs/micro.md includes.
    arenite_embed::Model::new(root.join("examples/digits/digits_i8.tflite"))
        .write()
        .expect("it can be embedded");
}
