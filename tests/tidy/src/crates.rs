//! Which crate may depend on which.

use std::path::Path;

use serde_json::Value;

use crate::Complaint;

/// What a crate is for. The order of the layers is that of the drawing in ARCHITECTURE.md, from below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// All that a plugin author depends on.
    Contract,
    /// Pure functions on records of memory, for the runtime and for delegates.
    Layout,
    Model,
    Runtime,
    /// The runtime of small machines: it has no registry, so that what it needs of parts it calls.
    Micro,
    /// Ops, planners, delegates.
    Part,
    /// A dynamic plugin: a cdylib around one part.
    Shell,
    /// Where all parts meet.
    Composition,
    /// What applications share.
    Common,
    Application,
    /// What is only tested with, or tests.
    Tests,
}

/// A row of the table: a crate, where it lies, and the crates of the workspace that it depends on.
#[derive(Clone, Copy)]
pub struct Crate {
    pub name: &'static str,
    pub folder: &'static str,
    pub layer: Layer,
    pub needs: &'static [&'static str],
    /// By its tests alone. Itself, with other features, needs no mention.
    pub tests_need: &'static [&'static str],
}

/// What cargo says of a crate.
#[derive(Clone, Debug, Default)]
pub struct Package {
    pub name: String,
    /// Relative to the root, and its text.
    pub manifest: String,
    pub text: String,
    /// Kinds of the library: `lib`, `cdylib`, `staticlib`.
    pub library: Vec<String>,
    pub needs: Vec<String>,
    pub tests_need: Vec<String>,
}

/// The packages of `cargo metadata --no-deps`.
///
/// # Errors
/// If `metadata` is not what cargo prints, or a manifest is not there.
pub fn packages(metadata: &str, root: &Path) -> Result<Vec<Package>, String> {
    let metadata: Value = serde_json::from_str(metadata).map_err(|error| error.to_string())?;
    let root = root.canonicalize().map_err(|error| error.to_string())?;
    array(&metadata["packages"]).map(|package| read_package(package, &root)).collect()
}

/// Complains of crates and dependencies that the table does not know, and of rows that nothing stands for.
pub fn check_table(packages: &[Package], crates: &[Crate], table: &str) -> Vec<Complaint> {
    let mut found = Vec::new();
    for package in packages {
        let Some(row) = row(crates, &package.name) else {
            let message =
                format!("`{}` is not in the table of crates: write its layer down in {table}", package.name);
            found.push(Complaint::new(&package.manifest, 1, message));
            continue;
        };
        let folder = package.manifest.trim_end_matches("/Cargo.toml");
        if folder != row.folder {
            let message =
                format!("`{}` lies in {folder}, {table} says {}: correct the table", row.name, row.folder);
            found.push(Complaint::new(&package.manifest, 1, message));
        }
        let kinds = [(&package.needs, row.needs, ""), (&package.tests_need, row.tests_need, "the tests of ")];
        for (real, written, whose) in kinds {
            compare(package, real, written, whose, crates, table, &mut found);
        }
    }
    let gone = crates.iter().filter(|row| packages.iter().all(|package| package.name != row.name));
    found.extend(gone.map(|row| Complaint::new(table, 1, format!("`{}` is gone: remove its row", row.name))));
    found
}

/// Complains of dependencies against the architecture, whatever the table's rows say. `apart` holds the pairs that
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

/// Complains of an implementation that is built as a dynamic library, and of a shell that is not.
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

/// Complains of packages that name the library `name` and are not `allowed` to.
pub fn check_only(packages: &[Package], name: &str, allowed: &[&str]) -> Vec<Complaint> {
    let names = |package: &&Package| package.needs.iter().chain(&package.tests_need).any(|need| need == name);
    let wrong = packages.iter().filter(names).filter(|package| !allowed.contains(&package.name.as_str()));
    wrong
        .map(|package| {
            let message =
                format!("only core/abi names {name} (ARCHITECTURE.md): use what arenite-abi exports");
            Complaint::new(&package.manifest, line(package, name), message)
        })
        .collect()
}

/// Complains of packages without the workspace's lints.
pub fn check_lints(packages: &[Package]) -> Vec<Complaint> {
    let inherits = |package: &&Package| {
        let mut lines = package.text.lines().map(str::trim);
        lines.any(|line| line == "[lints]") && lines.next() == Some("workspace = true")
    };
    let wrong = packages.iter().filter(|package| !inherits(package));
    wrong
        .map(|package| {
            let message = format!(
                "`{}` has lints of its own, or none: write `[lints]\\nworkspace = true`",
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
        // A shell is of one part, or is itself an example of one.
        Shell | Composition => matches!(to, Contract | Part | Shell),
        Common => matches!(to, Contract | Layout | Model | Runtime | Common),
        Application => !matches!(to, Application | Tests),
        Tests => true,
    }
}

fn invariant(from: Layer) -> &'static str {
    match from {
        Layer::Contract | Layer::Model => "it depends on no other crate of the workspace",
        Layer::Runtime => "the runtime depends on no op, planner or delegate; plugins register themselves",
        Layer::Micro => "it depends on the contract, on the model and on functions of parts",
        Layer::Layout => "it depends on the contract alone",
        Layer::Part => {
            "ops, planners and delegates know the contract and layouts; what they share belongs there"
        }
        Layer::Shell | Layer::Composition => {
            "it links parts and nothing else; applications choose the runtime"
        }
        Layer::Common => "what applications share knows the runtime, and no plugin: they choose those",
        Layer::Application | Layer::Tests => {
            "nothing depends on an application; make a crate of what both need"
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
                "{whose}`{name}` may not depend on `{need}`: do without, or write it down in {table}"
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

/// The line of the manifest that begins with `key`.
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
        Path::new(&path).strip_prefix(root).map_err(|_| format!("{path} lies outside of the workspace"))?;
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
