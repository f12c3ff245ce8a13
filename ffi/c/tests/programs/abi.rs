//! Compares the binary interface with earlier versions: with the lists `abi/functions.txt` and `abi/layout.txt`, and by
//! running programs that were written for the first version (`tests/frozen`).
//!
//! Within a major version, functions and structs are added but never changed: a line in either list never changes.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::symbols::{exported, headers};
use crate::toolchain::{self, HERE, Language, Link, compile, have, run};
use crate::{models, temporary};

fn file(name: &str) -> String {
    let path = Path::new(HERE).join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The text of a header without comments, with runs of white space replaced by one space.
fn plain(text: &str) -> String {
    let mut rest = text;
    let mut code = String::new();
    while let Some(start) = rest.find("/*") {
        code.push_str(&rest[..start]);
        let end = rest[start..].find("*/").map_or(rest.len(), |end| start + end + 2);
        rest = &rest[end..];
    }
    code.push_str(rest);
    code.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The declarations of all functions, such as `const char *ar_version(void);`, sorted.
fn functions() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, header) in headers() {
        let code = plain(&header);
        let declarations = code.split("ARENITE_API ").skip(1).filter_map(|rest| rest.split_once(';'));
        // Skips the definition of the macro, which is not followed by a function.
        found.extend(
            declarations
                .map(|(text, _)| format!("{text};"))
                .filter(|text| text.contains(" *ar_") || text.contains(" ar_")),
        );
    }
    found
}

/// The structs that programs see and their fields, except in arenite_plugin.h.
fn structs() -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    for (_, header) in headers() {
        let code = plain(&header);
        for body in code.split("typedef struct ").skip(1) {
            let Some((name, fields)) = body.split_once(" {") else { continue };
            let (Some((fields, _)), false) = (fields.split_once('}'), name.contains(';')) else { continue };
            let name_of = |field: &str| field.trim().rsplit([' ', '*']).next().map(str::to_owned);
            let fields = fields.split(';').filter(|field| !field.trim().is_empty()).filter_map(name_of);
            found.push((name.trim().to_owned(), fields.collect()));
        }
    }
    found
}

/// A C program that prints sizes and offsets of the structs above and the structs listed in arenite_plugin.h.
fn layout_program() -> String {
    let mut lines = Vec::new();
    for (name, fields) in structs() {
        lines.push(format!("SIZE({name})"));
        lines.extend(fields.iter().map(|field| format!("AT({name}, {field})")));
    }
    for line in file("../../core/abi/include/arenite_plugin.h").lines() {
        if let Some((name, _)) = line.strip_prefix("AR_SIZE(").and_then(|line| line.split_once(',')) {
            lines.push(format!("SIZE({name})"));
        } else if let Some(rest) = line.strip_prefix("AR_AT(") {
            let mut parts = rest.split(", ");
            lines.push(format!("AT({}, {})", parts.next().unwrap_or(""), parts.next().unwrap_or("")));
        }
    }
    format!(
        "#include <arenite.h>\n#include <arenite_plugin.h>\n#include <stdio.h>\n\
         #define SIZE(type) printf(\"%s %zu\\n\", #type, sizeof(type));\n\
         #define AT(type, field) printf(\"%s.%s %zu\\n\", #type, #field, offsetof(type, field));\n\
         int main(void) {{\n{}\nreturn 0;\n}}\n",
        lines.join("\n")
    )
}

/// Compares lines with a list. The message explains how to fix it.
fn assert_lines(found: &BTreeSet<String>, name: &str) {
    let listed: BTreeSet<String> =
        file(name).lines().filter(|l| l.contains(' ')).map(str::to_owned).collect();
    let gone: Vec<_> = listed.difference(found).collect();
    assert!(gone.is_empty(), "lines of {name} are missing or have changed, which breaks programs: {gone:#?}");
    let new: Vec<_> = found.difference(&listed).collect();
    assert!(new.is_empty(), "add these lines to {name}; they can never be removed: {new:#?}");
}

#[test]
fn functions_have_not_changed() {
    assert_lines(&functions(), "abi/functions.txt");
    if let Some(exported) = exported() {
        let name = |line: &String| {
            let name = line.split('(').next().and_then(|start| start.rsplit([' ', '*']).next());
            name.unwrap_or_default().to_owned()
        };
        assert_eq!(functions().iter().map(name).collect::<BTreeSet<_>>(), exported);
    }
}

#[test]
fn structs_have_not_changed() {
    let folder = temporary();
    let source = folder.path().join("layout.c");
    std::fs::write(&source, layout_program()).expect("the source is written");
    let source = source.display().to_string();
    if let Some(program) = compile(&source, Language::C11, Link::Dynamic, folder.path(), &[]) {
        let printed = run(&mut Command::new(program));
        let found: BTreeSet<String> = printed.lines().map(str::to_owned).collect();
        assert!(found.len() > 200, "{printed}");
        assert_lines(&found, "abi/layout.txt");
    }
}

/// Programs and plugins written for the first headers. Their sources contain all declarations that they need.
#[test]
fn programs_for_the_first_headers_still_run() {
    let folder = temporary();
    models::write(folder.path());
    if !have("cc") {
        return;
    }
    let plugins = folder.path().join("plugins");
    std::fs::create_dir(&plugins).expect("a folder");
    toolchain::compile_plugin("tests/frozen/plugin_0_1.c", &plugins);
    let program = compile("tests/frozen/program_0_1.c", Language::C11, Link::Dynamic, folder.path(), &[]);
    if let Some(program) = program {
        run(Command::new(program).arg(folder.path().join("custom.tflite")).arg(plugins));
    }
}
