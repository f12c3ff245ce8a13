use super::*;

const fn row(name: &'static str, layer: Layer, needs: &'static [&'static str]) -> Crate {
    Crate { name, folder: name, layer, needs, tests_need: &[] }
}

const CRATES: &[Crate] = &[
    row("abi", Layer::Contract, &[]),
    row("runtime", Layer::Runtime, &["abi"]),
    row("ops", Layer::Part, &["abi"]),
    row("flex", Layer::Part, &["abi", "ops"]),
    row("shell", Layer::Shell, &["abi", "ops"]),
];

fn package(name: &str, needs: &[&str]) -> Package {
    let dependencies: String =
        needs.iter().map(|need| format!("{need} = {{ workspace = true }}\n")).collect();
    let kind = if name == "shell" { "cdylib" } else { "lib" };
    Package {
        name: name.into(),
        manifest: format!("{name}/Cargo.toml"),
        text: format!("[package]\n[lints]\nworkspace = true\n[dependencies]\n{dependencies}"),
        library: vec![kind.into()],
        needs: needs.iter().map(|need| (*need).to_owned()).collect(),
        tests_need: Vec::new(),
    }
}

fn workspace() -> Vec<Package> {
    CRATES.iter().map(|row| package(row.name, row.needs)).collect()
}

#[track_caller]
fn said(found: Vec<Complaint>, want: &[&str]) {
    assert_eq!(found.iter().map(Complaint::to_string).collect::<Vec<_>>(), want);
}

#[test]
fn a_workspace_that_matches_its_table_passes() {
    let packages = workspace();
    said(check_table(&packages, CRATES, "table.rs"), &[]);
    said(check_layers(&packages, CRATES, &[("flex", "ops")]), &[]);
    said(check_kinds(&packages, CRATES), &[]);
    said(check_lints(&packages), &[]);
}

#[test]
fn an_undeclared_dependency_fails() {
    let mut packages = workspace();
    packages[2] = package("ops", &["abi", "libm", "runtime"]);
    packages[3].tests_need = vec!["flex".into(), "shell".into()];
    said(
        check_table(&packages, CRATES, "table.rs"),
        &[
            "ops/Cargo.toml:7: `ops` may not depend on `runtime`: remove the dependency, or add it to table.rs",
            "flex/Cargo.toml:1: the tests of `flex` may not depend on `shell`: remove the dependency, or add it to table.rs",
        ],
    );
}

#[test]
fn a_row_without_a_crate_fails() {
    let mut packages = workspace();
    packages[1] = package("runtime", &[]);
    packages.pop();
    packages[0].manifest = "core/abi/Cargo.toml".into();
    packages.push(package("more", &[]));
    said(
        check_table(&packages, CRATES, "table.rs"),
        &[
            "core/abi/Cargo.toml:1: `abi` is in core/abi, but table.rs has abi: correct the table",
            "runtime/Cargo.toml:1: `runtime` no longer depend(s) on `abi`: remove it from table.rs",
            "more/Cargo.toml:1: `more` is not in the table of crates: add it with its layer to table.rs",
            "table.rs:1: `shell` no longer exists: remove its row",
        ],
    );
}

#[test]
fn a_dependency_against_the_architecture_fails() {
    let packages = [
        package("abi", &["ops"]),
        package("runtime", &["abi", "ops"]),
        package("ops", &["abi", "runtime"]),
        package("flex", &["ops"]),
        package("shell", &["abi", "ops", "runtime"]),
    ];
    said(
        check_layers(&packages, CRATES, &[]),
        &[
            "abi/Cargo.toml:5: `abi` (Contract) may not depend on `ops` (Part): it depends on no other crate of the \
             workspace",
            "runtime/Cargo.toml:6: `runtime` (Runtime) may not depend on `ops` (Part): the runtime depends on no op, \
             planner or delegate; plugins register themselves",
            "ops/Cargo.toml:6: `ops` (Part) may not depend on `runtime` (Runtime): ops, planners and delegates depend \
             on the contract and layouts; shared code belongs there",
            "flex/Cargo.toml:5: `flex` (Part) may not depend on `ops` (Part): ops, planners and delegates depend on \
             the contract and layouts; shared code belongs there",
            "shell/Cargo.toml:7: `shell` (Shell) may not depend on `runtime` (Runtime): it links parts and nothing else; \
             applications choose the runtime",
        ],
    );
}

#[test]
fn a_crate_of_the_wrong_kind_fails() {
    let mut packages = workspace();
    packages[2].library = vec!["lib".into(), "cdylib".into()];
    packages[4].library = vec!["lib".into()];
    said(
        check_kinds(&packages, CRATES),
        &[
            "ops/Cargo.toml:1: `ops` is an implementation, not a shell: remove `cdylib`, or make a shell in plugins/",
            "shell/Cargo.toml:1: `shell` is a shell: its crate-type needs `cdylib`",
        ],
    );
}

#[test]
fn a_library_reserved_for_one_crate_fails_elsewhere() {
    let packages = [package("abi", &["abi_stable"]), package("ops", &["abi", "abi_stable"])];
    let want = "ops/Cargo.toml:6: only core/abi may use abi_stable (ARCHITECTURE.md): use the exports of arenite-abi";
    said(check_only(&packages, "abi_stable", &["abi"]), &[want]);
}

#[test]
fn a_crate_with_its_own_lints_fails() {
    let mut packages = workspace();
    packages[1].text = "[lints.rust]\nx = \"warn\"\n".into();
    let want = "runtime/Cargo.toml:1: `runtime` does not use the workspace's lints: write `[lints]\\nworkspace = true`";
    said(check_lints(&packages), &[want]);
}

#[test]
fn cargo_metadata_is_parsed() {
    let root = tempfile::tempdir().unwrap();
    let manifest = root.path().canonicalize().unwrap().join("ops/Cargo.toml");
    std::fs::create_dir(manifest.parent().unwrap()).unwrap();
    std::fs::write(&manifest, "[package]\n").unwrap();
    let metadata = serde_json::json!({ "packages": [{
        "name": "ops",
        "manifest_path": manifest,
        "dependencies": [
            { "name": "libm", "kind": null },
            { "name": "abi", "kind": "build" },
            { "name": "abi", "kind": null },
            { "name": "abi", "kind": "dev" },
        ],
        "targets": [{ "kind": ["lib", "cdylib"] }, { "kind": ["bin"] }, { "kind": ["test"] }],
    }]});
    let found = packages(&metadata.to_string(), root.path()).unwrap();
    let [ops] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(
        (ops.name.as_str(), ops.manifest.as_str(), ops.text.as_str()),
        ("ops", "ops/Cargo.toml", "[package]\n")
    );
    assert_eq!((ops.needs.join(" "), ops.tests_need.join(" ")), ("abi libm".into(), "abi".into()));
    assert_eq!(ops.library, ["lib", "cdylib"]);
    assert!(packages("no", root.path()).is_err());
}
