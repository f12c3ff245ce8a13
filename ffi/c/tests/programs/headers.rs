//! Tests each header separately, in C and C++: normally, under the sanitizers, and under valgrind.

use std::process::Command;

use crate::symbols::headers;
use crate::toolchain::{HERE, Language, Link, compile_all, memcheck, run, sanitizers};
use crate::{digits, models, temporary};

/// A folder with the files that the tests read.
fn folder() -> tempfile::TempDir {
    let folder = temporary();
    models::write(folder.path());
    let plugins = folder.path().join("plugins");
    std::fs::create_dir(&plugins).expect("a folder");
    std::fs::write(plugins.join("libbroken.so"), b"not a library").expect("a file");
    std::fs::copy(digits().join("samples/7.png"), folder.path().join("seven.png")).expect("a picture");
    folder
}

fn sources() -> Vec<String> {
    let mut sources = vec!["tests/c/headers/main.c".to_owned()];
    sources.extend(headers().into_iter().map(|(name, _)| format!("tests/c/headers/{name}.c")));
    sources
}

fn check(language: Language, extra: &[&str]) -> Option<std::path::PathBuf> {
    let folder = folder();
    let sources = sources();
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    let mut options = extra.to_vec();
    if let Language::Cxx17 = language {
        options.extend(["-x", "c++"]);
    }
    let program = compile_all(&sources, language, Link::Dynamic, folder.path(), &options)?;
    run(Command::new(&program).arg(folder.path()));
    if extra.is_empty()
        && let Language::C11 = language
        && let Some(mut command) = memcheck(&program)
    {
        run(command.arg(folder.path()));
    }
    Some(program)
}

#[test]
fn every_header_has_a_test() {
    for (name, _) in headers() {
        let source = std::path::Path::new(HERE).join(format!("tests/c/headers/{name}.c"));
        let text = std::fs::read_to_string(&source).unwrap_or_else(|error| panic!("{name}.h: {error}"));
        let first = text.lines().find(|line| line.starts_with("#include"));
        assert_eq!(first, Some(format!("#include <arenite/{name}.h>").as_str()), "{name}.c");
    }
}

#[test]
fn headers_in_c11_and_under_valgrind() {
    check(Language::C11, &[]);
}

#[test]
fn headers_in_cxx17() {
    check(Language::Cxx17, &[]);
}

#[test]
fn headers_under_the_sanitizers() {
    let folder = temporary();
    for language in [Language::C11, Language::Cxx17] {
        if let Some(options) = sanitizers(language, folder.path()) {
            check(language, options);
        }
    }
}
