//! Which crate may depend on which.

use std::path::Path;

use serde_json::Value;

use crate::Complaint;

/// The purpose of a crate. The layers are in the order of the drawing in ARCHITECTURE.md, from the bottom up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// All code that a plugin author depends on.
    Contract,
    /// Pure functions on memory records, for the runtime and for delegates.
    Layout,
    Model,
    Runtime,
    /// The runtime for small machines. It has no registry and calls functions of parts directly.
    Micro,
    /// Ops, planners, delegates.
    Part,
    /// A dynamic plugin: a cdylib around one part.
    Shell,
    /// The crate that links all parts.
    Composition,
    /// Code that applications share.
    Common,
    Application,
    /// An application that contains another one: the Python package has the command line.
    Bundle,
    /// Tests, and code that only tests use.
    Tests,
}

/// A row of the table: a crate, its folder, and the workspace crates that it depends on.
#[derive(Clone, Copy)]
pub struct Crate {
    pub name: &'static str,
    pub folder: &'static str,
    pub layer: Layer,
    pub needs: &'static [&'static str],
    /// Dependencies of its tests only. The crate itself, with other features, need not be listed.
    pub tests_need: &'static [&'static str],
}

/// A package as cargo describes it.
#[derive(Clone, Debug, Default)]
pub struct Package {
    pub name: String,
    /// The path of the manifest relative to the root, and its text.
    pub manifest: String,
    pub text: String,
    /// The kinds of the library: `lib`, `cdylib`, `staticlib`.
    pub library: Vec<String>,
    pub needs: Vec<String>,
    pub tests_need: Vec<String>,
}

/// The packages of `cargo metadata --no-deps`.
///
/// # Errors
/// If `metadata` is not cargo's output, or a manifest does not exist.
pub fn packages(metadata: &str, root: &Path) -> Result<Vec<Package>, String> {
    let metadata: Value = serde_json::from_str(metadata).map_err(|error| error.to_string())?;
    let root = root.canonicalize().map_err(|error| error.to_string())?;
    array(&metadata["packages"]).map(|package| read_package(package, &root)).collect()
}

/// Reports crates and dependencies that are missing in the table, and rows without a counterpart.
pub fn check_table(packages: &[Package], crates: &[Crate], table: &str) -> Vec<Complaint> {
    let mut found = Vec::new();
    for package in packages {
        let Some(row) = row(crates, &package.name) else {
            let message =
                format!("`{}` is not in the table of crates: add it with its layer to {table}", package.name);
            found.push(Complaint::new(&package.manifest, 1, message));
            continue;
        };
        let folder = package.manifest.trim_end_matches("/Cargo.toml");
        if folder != row.folder {
            let message =
                format!("`{}` is in {folder}, but {table} has {}: correct the table", row.name, row.folder);
            found.push(Complaint::new(&package.manifest, 1, message));
        }
        let kinds = [(&package.needs, row.needs, ""), (&package.tests_need, row.tests_need, "the tests of ")];
        for (real, written, whose) in kinds {
            compare(package, real, written, whose, crates, table, &mut found);
        }
    }
    let gone = crates.iter().filter(|row| packages.iter().all(|package| package.name != row.name));
    found.extend(
        gone.map(|row| Complaint::new(table, 1, format!("`{}` no longer exists: remove its row", row.name))),
    );
    found
}

/// Reports dependencies that violate the architecture, whatever the table's rows say. `apart` holds the pairs that
/// ARCHITECTURE.md names as exceptions.
pub fn check_layers(packages: &[Package], crates: &[Crate], apart: &[(&str, &str)]) -> Vec<Complaint> {
    let mut found = Vec::new();
    for package in packages {
        let Some(from) = row(crates, &package.name) else { continue };
        for need in &package.needs {
            let Some(to) = row(crates, need) else { continue };
            if may_need(from.layer, to.layer) || apart.contains(&(from.name, to.name)) {
                continue;
            }
            let message = format!(
                "`{}` ({:?}) may not depend on `{}` ({:?}): {}",
                from.name,
                from.layer,
                to.name,
                to.layer,
                invariant(from.layer)
            );
            found.push(Complaint::new(&package.manifest, line(package, need), message));
        }
    }
    found
}

/// Reports implementations that are built as a dynamic library, and shells that are not.
pub fn check_kinds(packages: &[Package], crates: &[Crate]) -> Vec<Complaint> {
    let mut found = Vec::new();
    for package in packages {
        let Some(row) = row(crates, &package.name) else { continue };
        let dynamic = package.library.iter().any(|kind| kind == "cdylib");
        let message = match row.layer {
            Layer::Contract
            | Layer::Layout
            | Layer::Model
            | Layer::Runtime
            | Layer::Micro
            | Layer::Part
            | Layer::Composition
            | Layer::Common
                if dynamic =>
            {
                "is an implementation, not a shell: remove `cdylib`, or make a shell in plugins/"
            }
            Layer::Shell if !dynamic => "is a shell: its crate-type needs `cdylib`",
            _ => continue,
        };
        let line = line(package, "crate-type");
        found.push(Complaint::new(&package.manifest, line, format!("`{}` {message}", row.name)));
    }
    found
}

/// Reports packages that use the library `name` and are not `allowed` to.
pub fn check_only(packages: &[Package], name: &str, allowed: &[&str]) -> Vec<Complaint> {
    let names = |package: &&Package| package.needs.iter().chain(&package.tests_need).any(|need| need == name);
    let wrong = packages.iter().filter(names).filter(|package| !allowed.contains(&package.name.as_str()));
    wrong
        .map(|package| {
            let message =
                format!("only core/abi may use {name} (ARCHITECTURE.md): use the exports of arenite-abi");
            Complaint::new(&package.manifest, line(package, name), message)
        })
        .collect()
}

/// Reports packages without the workspace's lints.
pub fn check_lints(packages: &[Package]) -> Vec<Complaint> {
    let inherits = |package: &&Package| {
        let mut lines = package.text.lines().map(str::trim);
        lines.any(|line| line == "[lints]") && lines.next() == Some("workspace = true")
    };
    let wrong = packages.iter().filter(|package| !inherits(package));
    wrong
        .map(|package| {
            let message = format!(
                "`{}` does not use the workspace's lints: write `[lints]\\nworkspace = true`",
                package.name
            );
            Complaint::new(&package.manifest, 1, message)
        })
        .collect()
}

fn may_need(from: Layer, to: Layer) -> bool {
    use Layer::*;
    match from {
        Contract | Model => false,
        Layout => to == Contract,
        Runtime => matches!(to, Contract | Layout | Model),
        Micro => matches!(to, Contract | Model | Part),
        Part => matches!(to, Contract | Layout),
        // A shell wraps one part, or is itself an example of one.
        Shell | Composition => matches!(to, Contract | Part | Shell),
        Common => matches!(to, Contract | Layout | Model | Runtime | Common),
        Application => !matches!(to, Application | Bundle | Tests),
        Bundle => !matches!(to, Bundle | Tests),
        Tests => true,
    }
}

fn invariant(from: Layer) -> &'static str {
    match from {
        Layer::Contract | Layer::Model => "it depends on no other crate of the workspace",
        Layer::Runtime => "the runtime depends on no op, planner or delegate; plugins register themselves",
        Layer::Micro => "it depends on the contract, the model and functions of parts",
        Layer::Layout => "it depends only on the contract",
        Layer::Part => {
            "ops, planners and delegates depend on the contract and layouts; shared code belongs there"
        }
        Layer::Shell | Layer::Composition => {
            "it links parts and nothing else; applications choose the runtime"
        }
        Layer::Common => {
            "code that applications share depends on the runtime but not on plugins, which applications choose"
        }
        Layer::Application | Layer::Bundle | Layer::Tests => {
            "nothing depends on an application; move shared code to a crate"
        }
    }
}

fn compare(
    package: &Package,
    real: &[String],
    written: &[&str],
    whose: &str,
    crates: &[Crate],
    table: &str,
    found: &mut Vec<Complaint>,
) {
    let name = &package.name;
    for need in real.iter().filter(|need| row(crates, need).is_some() && *need != name) {
        if !written.contains(&need.as_str()) {
            let message = format!(
                "{whose}`{name}` may not depend on `{need}`: remove the dependency, or add it to {table}"
            );
            found.push(Complaint::new(&package.manifest, line(package, need), message));
        }
    }
    for gone in written.iter().filter(|written| real.iter().all(|need| need != *written)) {
        let message = format!("{whose}`{name}` no longer depend(s) on `{gone}`: remove it from {table}");
        found.push(Complaint::new(&package.manifest, 1, message));
    }
}

fn row<'a>(crates: &'a [Crate], name: &str) -> Option<&'a Crate> {
    crates.iter().find(|row| row.name == name)
}

/// The line of the manifest that starts with `key`.
fn line(package: &Package, key: &str) -> usize {
    1 + package.text.lines().position(|line| line.starts_with(key)).unwrap_or(0)
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn read_package(package: &Value, root: &Path) -> Result<Package, String> {
    let path = string(&package["manifest_path"]);
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let relative =
        Path::new(&path).strip_prefix(root).map_err(|_| format!("{path} is outside of the workspace"))?;
    let needs = |tests: bool| {
        let kind = move |need: &&Value| (need["kind"].as_str() == Some("dev")) == tests;
        let mut names: Vec<String> =
            array(&package["dependencies"]).filter(kind).map(|need| string(&need["name"])).collect();
        names.sort();
        names.dedup();
        names
    };
    let is_library =
        |kinds: &&Value| array(kinds).all(|kind| kind.as_str().is_some_and(|kind| kind.ends_with("lib")));
    let library = array(&package["targets"]).map(|target| &target["kind"]).filter(is_library);
    Ok(Package {
        name: string(&package["name"]),
        manifest: relative.to_string_lossy().replace('\\', "/"),
        text,
        library: library.flat_map(|kinds| array(kinds).map(string)).collect(),
        needs: needs(false),
        tests_need: needs(true),
    })
}

#[cfg(test)]
mod tests;
