//! Builds the library, then programs against it, with the machine's compilers.

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

/// The folder of this test's profile.
fn profile_folder() -> PathBuf {
    let test = std::env::current_exe().expect("the test's own path");
    test.ancestors().nth(2).expect("PROFILE/deps/TEST").to_owned()
}

/// Builds a package with the profile and in the target folder of this test.
fn build(package: &str) {
    let folder = profile_folder();
    let profile = match folder.file_name().and_then(|name| name.to_str()).expect("a profile's folder") {
        "debug" => "dev",
        name => name,
    };
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "-p", package, "--profile", profile, "--target-dir"])
        .arg(folder.parent().expect("the target folder"))
        .current_dir(HERE)
        .status();
    assert!(status.expect("cargo runs").success(), "cargo build -p {package}");
}

/// Name of a dynamic library on this system.
fn library_name(name: &str) -> String {
    format!("{}{name}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX)
}

/// Builds the plugins of ops and planners and puts them in a folder.
pub fn plugins(to: &Path) {
    for name in ["ops", "planners"] {
        build(&format!("arenite-plugin-{name}"));
        let library = library_name(&format!("arenite_plugin_{name}"));
        std::fs::copy(profile_folder().join(&library), to.join(&library)).expect("a plugin is copied");
    }
}

/// The folder of the library.
fn library_folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        build("arenite-c");
        let folder = profile_folder();
        // The name that a program asks for at run time is the SONAME.
        #[cfg(target_os = "linux")]
        {
            let soname = concat!("libarenite.so.", env!("CARGO_PKG_VERSION_MAJOR"));
            let link = folder.join(soname);
            let _ = std::fs::remove_file(&link);
            std::os::unix::fs::symlink("libarenite.so", &link).expect("a link with the SONAME");
        }
        folder
    })
}

/// The dynamic library.
pub fn dynamic_library() -> PathBuf {
    library_folder().join(library_name("arenite"))
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
    let (compiler, standard) = match language {
        Language::C11 => ("cc", "-std=c11"),
        Language::Cxx17 => ("c++", "-std=c++17"),
    };
    if !have(compiler) {
        return None;
    }
    let library = library_folder();
    let name: String = source.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    let program = to.join(name);
    let mut command = Command::new(compiler);
    command.args(["-Wall", "-Wextra", "-Werror", "-pedantic", standard, "-g", "-D_POSIX_C_SOURCE=200809L"]);
    command.args(extra).arg("-I").arg(Path::new(HERE).join("include"));
    command.arg(Path::new(HERE).join(source)).arg("-o").arg(&program);
    match link {
        Link::Dynamic => {
            command.arg("-L").arg(library).arg("-larenite").arg(format!("-Wl,-rpath,{}", library.display()));
            command.args(["-lm", "-lpthread"]);
        }
        Link::Static => {
            command.arg(library.join("libarenite.a")).args(STATIC_LIBS);
        }
    }
    let output = command.output().expect("the compiler runs");
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    Some(program)
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
