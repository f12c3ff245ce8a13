//! Builds programs against the library, with the machine's compilers.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

pub const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// What `rustc --print native-static-libs` names for the static library.
const STATIC_LIBS: [&str; 6] = ["-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl"];

/// Language and standard of a program.
#[derive(Clone, Copy)]
pub enum Language {
    C11,
    Cxx17,
}

/// How a program gets the library.
#[derive(Clone, Copy)]
pub enum Link {
    Dynamic,
    Static,
}

/// What cargo has built beside this test, as it depends on it.
fn built(name: &str) -> PathBuf {
    let file = std::env::current_exe().expect("the test's own path").with_file_name(name);
    assert!(file.is_file(), "{} is missing; does this package depend on it?", file.display());
    file
}

/// Name of a dynamic library on this system.
fn library_name(name: &str) -> String {
    format!("{}{name}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX)
}

/// Puts the plugins of ops and planners in a folder.
pub fn plugins(to: &Path) {
    for name in ["ops", "planners"] {
        let library = library_name(&format!("arenite_plugin_{name}"));
        std::fs::copy(built(&library), to.join(&library)).expect("a plugin is copied");
    }
}

/// A folder with the library under the names that it is installed under.
fn library_folder() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    FOLDER
        .get_or_init(|| {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let (dynamic, installed) = (built(&library_name("arenite_c")), library_name("arenite"));
            // The name that a program asks for at run time is the SONAME.
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

/// The dynamic library.
pub fn dynamic_library() -> PathBuf {
    library_folder().join(library_name("arenite"))
}

/// The harness for ops in C, under its own name in a folder; `None` where libraries are not ELF.
pub fn testing_library(to: &Path) -> Option<String> {
    let library = to.join(library_name("arenite_testing"));
    std::fs::copy(built(&library_name("arenite_testing")), &library).expect("the library is copied");
    cfg!(target_os = "linux").then(|| library.display().to_string())
}

/// Whether a tool is there; a line says that a check is left out if not.
pub fn have(tool: &str) -> bool {
    let found = Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        println!("left out: there is no {tool} on this machine");
    }
    found
}

/// Compiles a program without a warning; `None` if there is no compiler.
pub fn compile(source: &str, language: Language, link: Link, to: &Path, extra: &[&str]) -> Option<PathBuf> {
    compile_all(&[source], language, link, to, extra)
}

/// As [`compile`], of several sources, named like the first.
pub fn compile_all(
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
    command.args(extra).arg("-I").arg(Path::new(HERE).join("include"));
    command.args(sources.iter().map(|source| Path::new(HERE).join(source))).arg("-o").arg(&program);
    match link {
        Link::Dynamic => {
            // What a linker reads as a source in C++ otherwise.
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
pub fn compile_plugin(source: &str, to: &Path) {
    let name = Path::new(source).file_stem().and_then(|name| name.to_str()).expect("a source has a name");
    let mut command = Command::new("cc");
    command.args(["-Wall", "-Wextra", "-Werror", "-pedantic", "-std=c11", "-shared", "-fPIC", "-I"]);
    command.arg(Path::new(HERE).join("include")).arg(Path::new(HERE).join(source));
    let output = command.arg("-o").arg(to.join(library_name(name))).output().expect("the compiler runs");
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// Runs a program to its good end; gives what it wrote.
pub fn run(command: &mut Command) -> String {
    let output: Output = command.env_remove("ARENITE_PLUGIN_PATH").output().expect("the program runs");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{out}\n{err}", output.status);
    out.into_owned()
}

/// A program under valgrind's memcheck, which makes errors and lost memory its own failure; `None` without valgrind.
pub fn memcheck(program: &Path) -> Option<Command> {
    if !have("valgrind") {
        return None;
    }
    let mut command = Command::new("valgrind");
    command.args([
        "--quiet",
        "--error-exitcode=9",
        "--leak-check=full",
        "--errors-for-leak-kinds=definite,indirect",
    ]);
    command.arg(program);
    Some(command)
}

/// Options of a compiler that make wrong uses of memory, leaks and undefined behaviour the program's failure; `None` if the compiler
/// has no such thing.
pub fn sanitizers(language: Language, to: &Path) -> Option<&'static [&'static str]> {
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
        println!("left out: {compiler} has no address and undefined behaviour sanitizers on this machine");
    }
    works.then_some(OPTIONS)
}
