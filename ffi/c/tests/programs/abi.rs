//! The binary interface against what it was: `abi/functions.txt` and `abi/layout.txt`, and programs built long ago (`tests/frozen`).
//!
//! Within a major version functions and structs are added, never changed: a line of either file stays as it is.

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

/// A header's text without comments, each stretch of white space a space.
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

/// The declarations of functions, `const char *ar_version(void);`, sorted.
fn functions() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, header) in headers() {
        let code = plain(&header);
        let declarations = code.split("ARENITE_API ").skip(1).filter_map(|rest| rest.split_once(';'));
        // Where the macro is defined there is no function.
        found.extend(
            declarations
                .map(|(text, _)| format!("{text};"))
                .filter(|text| text.contains(" *ar_") || text.contains(" ar_")),
        );
    }
    found
}

/// `(struct, fields)` of the structs that programs see, without those of arenite_plugin.h.
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

/// A C program that prints size and offsets: of the structs above, and of those that arenite_plugin.h lists.
fn layout_program() -> String {
    let mut lines = Vec::new();
    for (name, fields) in structs() {
        lines.push(format!("SIZE({name})"));
        lines.extend(fields.iter().map(|field| format!("AT({name}, {field})")));
    }
    for line in file("include/arenite_plugin.h").lines() {
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

/// What differs, as a message that says what to do.
fn assert_lines(found: &BTreeSet<String>, name: &str) {
    let listed: BTreeSet<String> =
        file(name).lines().filter(|l| l.contains(' ')).map(str::to_owned).collect();
    let gone: Vec<_> = listed.difference(found).collect();
    assert!(gone.is_empty(), "{name} has what is gone or changed, which breaks programs: {gone:#?}");
    let new: Vec<_> = found.difference(&listed).collect();
    assert!(new.is_empty(), "add to {name}, which keeps it for ever: {new:#?}");
}

#[test]
fn functions_are_what_they_were() {
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
fn structs_are_what_they_were() {
    let folder = temporary();
    let source = folder.path().join("layout.c");
    std::fs::write(&source, layout_program()).expect("a source");
    let source = source.display().to_string();
    if let Some(program) = compile(&source, Language::C11, Link::Dynamic, folder.path(), &[]) {
        let printed = run(&mut Command::new(program));
        let found: BTreeSet<String> = printed.lines().map(str::to_owned).collect();
        assert!(found.len() > 200, "{printed}");
        assert_lines(&found, "abi/layout.txt");
    }
}

/// Programs and plugins that were built from the first headers: their sources declare all that they use themselves.
#[test]
fn what_was_built_from_the_first_headers_still_runs() {
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
