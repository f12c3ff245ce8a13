//! Builds programs with the machine's compilers, and links them with the library.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

pub(crate) const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// The folders of `arenite.h` and `arenite_plugin.h`.
const INCLUDE: [&str; 2] = [
    concat!(env!("CARGO_MANIFEST_DIR"), "/include"),
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../core/abi/include"),
];

/// The output of `rustc --print native-static-libs` for the static library.
const STATIC_LIBS: [&str; 6] = ["-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl"];

/// The language and standard of a program.
#[derive(Clone, Copy)]
pub(crate) enum Language {
    C11,
    Cxx17,
}

/// How a program is linked with the library.
#[derive(Clone, Copy)]
pub(crate) enum Link {
    Dynamic,
    Static,
}

/// A file that cargo has built next to this test, because the test depends on its package.
fn built(name: &str) -> PathBuf {
    let file = std::env::current_exe().expect("the test's own path").with_file_name(name);
    assert!(file.is_file(), "{} is missing; does this package depend on it?", file.display());
    file
}

/// The file name of a dynamic library on this system.
fn library_name(name: &str) -> String {
    format!("{}{name}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX)
}

/// Copies the plugins with ops and planners to a folder.
pub(crate) fn plugins(to: &Path) {
    for name in ["ops", "planners"] {
        let library = library_name(&format!("arenite_plugin_{name}"));
        std::fs::copy(built(&library), to.join(&library)).expect("a plugin is copied");
    }
}

/// A folder with the library under the file names of an installation.
fn library_folder() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    FOLDER
        .get_or_init(|| {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let (dynamic, installed) = (built(&library_name("arenite_c")), library_name("arenite"));
            // At run time, a program looks for the SONAME.
            for name in [&installed, &format!("{installed}.{}", env!("CARGO_PKG_VERSION_MAJOR"))] {
                std::fs::hard_link(&dynamic, folder.path().join(name))
                    .or_else(|_| std::fs::copy(&dynamic, folder.path().join(name)).map(drop))
                    .expect("the library is copied");
            }
            let archive = built("libarenite_c.a");
            std::fs::hard_link(&archive, folder.path().join("libarenite.a"))
                .or_else(|_| std::fs::copy(&archive, folder.path().join("libarenite.a")).map(drop))
                .expect("the archive is copied");
            folder
        })
        .path()
}

/// The path of the dynamic library.
pub(crate) fn dynamic_library() -> PathBuf {
    library_folder().join(library_name("arenite"))
}

/// Copies the harness for ops in C to a folder, under its usual name. `None` if libraries are not ELF files.
pub(crate) fn testing_library(to: &Path) -> Option<String> {
    let library = to.join(library_name("arenite_testing"));
    std::fs::copy(built(&library_name("arenite_testing")), &library).expect("the library is copied");
    cfg!(target_os = "linux").then(|| library.display().to_string())
}

/// Whether a tool is installed. Prints a message if not.
pub(crate) fn have(tool: &str) -> bool {
    let found = Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        println!("skipped: {tool} is not installed");
    }
    found
}

/// Compiles a program and fails on any warning. `None` without a compiler.
pub(crate) fn compile(
    source: &str,
    language: Language,
    link: Link,
    to: &Path,
    extra: &[&str],
) -> Option<PathBuf> {
    compile_all(&[source], language, link, to, extra)
}

/// Like [`compile`], for several sources. The program is named after the first.
pub(crate) fn compile_all(
    sources: &[&str],
    language: Language,
    link: Link,
    to: &Path,
    extra: &[&str],
) -> Option<PathBuf> {
    let (compiler, standard) = match language {
        Language::C11 => ("cc", "-std=c11"),
        Language::Cxx17 => ("c++", "-std=c++17"),
    };
    if !have(compiler) {
        return None;
    }
    let library = library_folder();
    let name: String = sources[0].chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    let program = to.join(name);
    let mut command = Command::new(compiler);
    command.args(["-Wall", "-Wextra", "-Werror", "-pedantic", standard, "-g", "-D_POSIX_C_SOURCE=200809L"]);
    command.args(extra).args(INCLUDE.map(|folder| format!("-I{folder}")));
    command.args(sources.iter().map(|source| Path::new(HERE).join(source))).arg("-o").arg(&program);
    match link {
        Link::Dynamic => {
            // Otherwise a C++ compiler would read the libraries as sources.
            command
                .args(["-x", "none", "-L"])
                .arg(library)
                .arg("-larenite")
                .arg(format!("-Wl,-rpath,{}", library.display()));
            command.args(["-lm", "-lpthread"]);
        }
        Link::Static => {
            command.args(["-x", "none"]).arg(library.join("libarenite.a")).args(STATIC_LIBS);
        }
    }
    let output = command.output().expect("the compiler runs");
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    Some(program)
}

/// Compiles a plugin in C into a folder.
pub(crate) fn compile_plugin(source: &str, to: &Path) {
    let name = Path::new(source).file_stem().and_then(|name| name.to_str()).expect("a source has a name");
    let mut command = Command::new("cc");
    command.args(["-Wall", "-Wextra", "-Werror", "-pedantic", "-std=c11", "-shared", "-fPIC"]);
    command.args(INCLUDE.map(|folder| format!("-I{folder}"))).arg(Path::new(HERE).join(source));
    let output = command.arg("-o").arg(to.join(library_name(name))).output().expect("the compiler runs");
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// Runs a program, which must succeed, and returns its standard output.
pub(crate) fn run(command: &mut Command) -> String {
    let output: Output = command.env_remove("ARENITE_PLUGIN_PATH").output().expect("the program runs");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{out}\n{err}", output.status);
    out.into_owned()
}

/// Runs a program under valgrind's memcheck, which fails for invalid accesses and leaks. `None` without valgrind.
pub(crate) fn memcheck(program: &Path) -> Option<Command> {
    if !have("valgrind") {
        return None;
    }
    let mut command = Command::new("valgrind");
    // Reading which functions were inlined takes longer than the program.
    command.args([
        "--quiet",
        "--error-exitcode=9",
        "--leak-check=full",
        "--read-inline-info=no",
        "--errors-for-leak-kinds=definite,indirect",
    ]);
    command.arg(program);
    Some(command)
}

/// Compiler options that make a program fail for invalid accesses, leaks and undefined behavior. `None` if the compiler
/// does not support them.
pub(crate) fn sanitizers(language: Language, to: &Path) -> Option<&'static [&'static str]> {
    const OPTIONS: &[&str] = &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    let (compiler, name) = match language {
        Language::C11 => ("cc", "empty.c"),
        Language::Cxx17 => ("c++", "empty.cc"),
    };
    let source = to.join(name);
    std::fs::write(&source, "int main(void) { return 0; }\n".replace("(void)", "()")).ok()?;
    let mut command = Command::new(compiler);
    let built = command.args(OPTIONS).arg(&source).arg("-o").arg(to.join("empty")).output();
    let works = built.is_ok_and(|output| output.status.success())
        && Command::new(to.join("empty")).status().is_ok_and(|status| status.success());
    if !works {
        println!("skipped: {compiler} has no address and undefined behavior sanitizers on this machine");
    }
    works.then_some(OPTIONS)
}
