//! Plugins as libraries: found, used, and refused, as an application sees it.

use std::fs::{self, Permissions};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use arenite::config::{DelegateConfig, OnMissing};
use arenite::{Config, Error, Interpreter, LoadError, Model, NodeProvider, Registry, Status};
use arenite_model::writer::{Buffer, ModelBuilder, Operator, SubGraph};
use arenite_test_clock::Clock;
use arenite_tests::libraries::{compile_c, copy_into, library};
use arenite_tests::op_models::{OneOp, f32, i8};
use arenite_tests::reference_ops;
use tempfile::TempDir;

const TEMPLATE: &str = "arenite-plugin-template";
const PANICKING: &str = "arenite-test-panicking";
const CUBE: &str = include_str!("../../plugins/template/c/cube.c");

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// A folder with the libraries of these packages.
fn folder_of(packages: &[&str]) -> TempDir {
    let folder = folder();
    copy_into(folder.path(), packages);
    folder
}

/// A configuration with this folder and additional lines.
fn config(dir: &Path, lines: &str) -> Config {
    let text = format!("schema = 1\n{lines}\n");
    let mut config: Config = text.parse().expect("the configuration is well formed");
    config.plugins.dirs = vec![dir.to_owned()];
    config
}

fn discover(dir: &Path, lines: &str) -> Arc<Registry> {
    Arc::new(Registry::discover(&config(dir, lines)).expect("the configuration is not strict"))
}

/// A model of one custom op, f32.
fn custom(op: &str, shape: &[i32]) -> Model {
    let bytes = OneOp::custom(op).feed(f32("x", shape)).output(f32("y", shape)).model().finish();
    Model::from_bytes(bytes).expect("the model is sound")
}

/// The output for the input `x`.
fn run(mut interpreter: Interpreter, x: &[f32]) -> arenite::Result<Vec<f32>> {
    interpreter.allocate()?;
    interpreter.input_mut(0)?.copy_from_slice(x)?;
    interpreter.invoke()?;
    Ok(interpreter.output(0)?.as_slice()?.to_vec())
}

fn run_model(model: &Model, registry: &Arc<Registry>, x: &[f32]) -> arenite::Result<Vec<f32>> {
    run(reference_ops(model).registry(Arc::clone(registry)).threads(2).build()?, x)
}

const X: [f32; 4] = [0.0, 0.5, -1.0, 3.0];

#[test]
fn template_op_planner_and_delegate() {
    let dir = folder_of(&[TEMPLATE]);
    let registry = discover(dir.path(), "");
    assert!(registry.plugins().iter().any(|plugin| plugin.id == "org.arenite.template"));
    assert_eq!(registry.failures().len(), 0);
    let model = custom("Sin", &[4]);
    let wanted = X.map(f32::sin).to_vec();
    let builder = || reference_ops(&model).registry(Arc::clone(&registry));
    assert_eq!(run(builder().build().expect("it builds"), &X).expect("the op runs"), wanted);

    let first_fit = builder().planner("first-fit").build().expect("the planner is registered");
    assert_eq!(run(first_fit, &X).expect("its plan is valid"), wanted);

    let mut delegated = builder().delegate(DelegateConfig::new("sin")).build().expect("it builds");
    delegated.allocate().expect("the delegate claims the node");
    assert_eq!(delegated.served_by(), [NodeProvider::Delegate { name: "sin".into(), partition: 0 }]);
    assert_eq!(run(delegated, &X).expect("the delegate runs"), wanted);

    let mut none = DelegateConfig::new("sin");
    none.options.push(("max_nodes".into(), "0".into()));
    let mut alone = builder().delegate(none).build().expect("it builds");
    alone.allocate().expect("the op supports the node");
    assert_eq!(alone.served_by(), [NodeProvider::Plugin("org.arenite.template".into())]);
    let reasons = alone.refusals()[0].clone();
    assert_eq!(reasons, [("sin".to_owned(), "max_nodes is 0: no more nodes are claimed".to_owned())]);
}

/// The template's own precompiled programs compute ReLU; programs for a real Edge TPU are an error.
#[test]
fn precompiled_accelerator() {
    let dir = folder_of(&[TEMPLATE]);
    let registry = discover(dir.path(), "");
    let model = |program: &[u8]| {
        let one = OneOp::custom("edgetpu-custom-op").feed(i8("x", &[4])).output(i8("y", &[4]));
        let mut model = one.model();
        model.subgraphs[0].operators[0].custom_options = Buffer::Inline(program.to_vec());
        Model::from_bytes(model.finish()).expect("the model is sound")
    };
    let run = |program: &[u8]| -> arenite::Result<Vec<i8>> {
        let mut interpreter = reference_ops(&model(program)).registry(Arc::clone(&registry)).build()?;
        interpreter.allocate()?;
        interpreter.input_mut(0)?.copy_from_slice(&[-7i8, 0, 3, 9])?;
        interpreter.invoke()?;
        Ok(interpreter.output(0)?.as_slice()?.to_vec())
    };
    let program = b"TEMPLATE\x01\0\0\0\x04\0\0\0\x02\0\0\0\x02\x00\x03\x06";
    assert_eq!(run(program).expect("the program runs"), [0, 0, 3, 6]);
    let error = run(b"\x1c\0\0\0DWN1").expect_err("no Edge TPU is present").to_string();
    assert!(error.contains("edgetpu-custom-op") && error.contains("libedgetpu"), "{error}");
}

#[test]
fn plugin_in_c() {
    let dir = folder();
    if compile_c(CUBE, dir.path(), "cube").is_none() {
        return;
    }
    let registry = discover(dir.path(), "");
    let y = run_model(&custom("Cube", &[4]), &registry, &X).expect("the op runs");
    assert_eq!(y, X.map(|x| x * x * x));
}

#[test]
fn first_fit_on_real_models_gives_the_same_bytes() {
    let dir = folder_of(&[TEMPLATE]);
    let registry = discover(dir.path(), "");
    for path in real_models() {
        let model = Model::from_file(&path).expect("the model is sound");
        assert_eq!(outputs(&model, &registry, "first-fit"), outputs(&model, &registry, "arena"), "{path:?}");
    }
}

/// Without linked-in plugins, ops and planners come from libraries alone.
#[test]
fn dynamic_plugins_give_the_same_bytes_as_static_ones() {
    let names = ["cpu", "flex", "mediapipe", "ops", "planners"];
    let libraries = names.map(|name| format!("arenite-plugin-{name}"));
    let dir = folder_of(&libraries.each_ref().map(String::as_str));
    let dynamic = discover(dir.path(), "[plugins]\nbuiltin = false");
    let ids: Vec<&str> = dynamic.plugins().iter().map(|plugin| plugin.id.as_str()).collect();
    assert_eq!(ids, names.map(|name| format!("org.arenite.{name}")));
    let fixed = Arc::new(Registry::with_static_plugins().expect("they are linked in"));
    let listing = |registry: &Registry| -> Vec<_> {
        registry.plugins().iter().map(|p| (p.id.clone(), p.ops.clone(), p.planners.clone())).collect()
    };
    assert_eq!(listing(&dynamic), listing(&fixed));
    for path in real_models() {
        let model = Model::from_file(&path).expect("the model is sound");
        let wanted = outputs(&model, &fixed, "arena");
        assert!(wanted.iter().any(|bytes| bytes.iter().any(|&byte| byte != 0)), "{path:?}: all zero");
        assert_eq!(outputs(&model, &dynamic, "arena"), wanted, "{path:?}");
    }
}

/// The committed models and, if the corpora are installed, a large one.
fn real_models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let digits = root.join("examples/digits");
    let mut models = vec![digits.join("digits_f32.tflite"), digits.join("digits_i8.tflite")];
    let shared = std::env::var_os("ARENITE_SHARED").map_or(root.join("../shared"), PathBuf::from);
    let large = shared.join("models/mobilenet_v2_1.0_224_quant");
    let files = fs::read_dir(large).into_iter().flatten().flatten().map(|entry| entry.path());
    models.extend(files.filter(|path| path.extension().is_some_and(|e| e == "tflite")));
    if models.len() == 2 {
        println!(
            "skipped the large model: no folder ../shared next to the workspace, and ARENITE_SHARED is not set"
        );
    }
    models
}

fn outputs(model: &Model, registry: &Arc<Registry>, planner: &str) -> Vec<Vec<u8>> {
    let builder = reference_ops(model).registry(Arc::clone(registry)).planner(planner);
    let mut interpreter = builder.build().expect("it builds");
    interpreter.allocate().expect("it allocates");
    for i in 0..interpreter.input_count() {
        let input = interpreter.input_mut(i).expect("it exists");
        let bytes = input.into_bytes().expect("it has memory");
        // Below 0x40, so that four bytes are a float of moderate size.
        bytes.iter_mut().enumerate().for_each(|(k, byte)| *byte = (k * 37 % 61) as u8);
    }
    interpreter.invoke().expect("it runs");
    (0..interpreter.output_count())
        .map(|i| interpreter.output(i).and_then(|output| Ok(output.bytes()?.to_vec())).expect("it has data"))
        .collect()
}

// ── Refused libraries ──────────────────────────────────────────────────────────────────────────────────────────────

type Listing = (Vec<String>, Vec<String>, Vec<String>);

fn listing(registry: &Registry) -> Listing {
    let ids = registry.plugins().iter().map(|plugin| format!("{} {}", plugin.id, plugin.origin)).collect();
    (ids, registry.planner_names(), registry.delegate_names())
}

/// Loads `path` after the template, and expects an error that leaves the registry unchanged.
fn refused(path: &Path) -> LoadError {
    let mut registry = Registry::with_static_plugins().expect("they are linked in");
    registry.load_file(library(TEMPLATE)).expect("the template is sound");
    let before = listing(&registry);
    let error = registry.load_file(path).expect_err("the library must be refused");
    assert_eq!(listing(&registry), before, "{error}");
    let y = run_model(&custom("Sin", &[4]), &Arc::new(registry), &X).expect("the registry still works");
    assert_eq!(y, X.map(f32::sin));
    match error {
        Error::Plugin(failure) => {
            assert_eq!(failure.path, path);
            failure.reason
        }
        other => panic!("not a load error: {other}"),
    }
}

type IsKind = fn(&LoadError) -> bool;

#[test]
fn libraries_that_fail_to_load() {
    let dir = folder();
    let missing = dir.path().join("libmissing.so");
    let text = dir.path().join("libtext.so");
    fs::write(&text, "no library at all\n").expect("the folder can be written");
    let empty = dir.path().join("libempty.so");
    fs::write(&empty, "").expect("the folder can be written");
    let short = dir.path().join("libshort.so");
    let bytes = fs::read(library(TEMPLATE)).expect("it was built");
    fs::write(&short, &bytes[..bytes.len() / 2]).expect("the folder can be written");

    let cases: [(&Path, IsKind, &str); 7] = [
        (&missing, |e| matches!(e, LoadError::File(_)), "the file does not exist"),
        (&text, |e| matches!(e, LoadError::File(_)), "not an ELF library: begins with [6e, 6f, 20, 6c]"),
        (&empty, |e| matches!(e, LoadError::File(_)), "libempty.so: "),
        (&short, |e| matches!(e, LoadError::File(_)), "cut short: "),
        (dir.path(), |e| matches!(e, LoadError::File(_)), "must be a regular file, this is a folder"),
        (
            &library("arenite-test-other-layout"),
            |e| matches!(e, LoadError::Layout(_)),
            "its layout differs from this host's; rebuild it against this contract: ",
        ),
        (
            &library("arenite-test-future-abi"),
            |e| matches!(e, LoadError::Version(_)),
            "it needs ABI 2.0 or later, this host speaks 1.",
        ),
    ];
    let mut texts = Vec::new();
    for (path, is_kind, wanted) in cases {
        let reason = refused(path);
        let text = reason.to_string();
        assert!(is_kind(&reason) && text.contains(wanted), "wanted: {wanted}\n   got: {text}");
        assert!(text.len() < 1000, "{text}");
        texts.push(text);
    }
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), 7, "two messages are equal");
}

#[test]
fn truncated_libraries_are_refused() {
    let dir = folder();
    let path = dir.path().join("libshort.so");
    let bytes = fs::read(library(TEMPLATE)).expect("it was built");
    for part in 0..20 {
        fs::write(&path, &bytes[..bytes.len() * part / 20]).expect("the folder can be written");
        let mut registry = Registry::new();
        // The loader does not need the data after the last segment, such as debug symbols.
        if registry.load_file(&path).is_err() {
            assert_eq!(listing(&registry), (vec![], vec![], vec![]));
        }
        fs::remove_file(&path).expect("it was written");
    }
    assert!(matches!(refused_half(&path, &bytes), LoadError::File(_)));
}

fn refused_half(path: &Path, bytes: &[u8]) -> LoadError {
    fs::write(path, &bytes[..bytes.len() / 2]).expect("the folder can be written");
    refused(path)
}

#[cfg(unix)]
#[test]
fn libraries_writable_by_others_are_refused() {
    use std::os::unix::fs::PermissionsExt;
    let dir = folder_of(&[TEMPLATE]);
    let path = dir.path().join(library(TEMPLATE).file_name().expect("it has a name"));
    let set = |path: &Path, mode| {
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("the plugin made it")
    };
    set(&path, 0o777);
    let text = refused(&path).to_string();
    assert!(text.contains("other users may write to this file (mode 0777); take the right away"), "{text}");
    set(&path, 0o755);
    set(dir.path(), 0o775);
    let text = refused(&path).to_string();
    assert!(text.contains("other users may write to the folder") && text.contains("(mode 0775)"), "{text}");
    set(dir.path(), 0o1777);
    let registry = discover(dir.path(), "[plugins]\nbuiltin = false");
    assert!(registry.plugins().is_empty(), "a library in a world-writable sticky folder was loaded");
    let text = registry.failures()[0].to_string();
    assert!(text.contains("(mode 1777)"), "{text}");
    Registry::new().load_file(&path).expect("a named temporary file is not deleted");
    // A link in a folder that is writable by everybody.
    let open = folder();
    let link = open.path().join("liblink.so");
    std::os::unix::fs::symlink(&path, &link).expect("the folder can be written");
    set(open.path(), 0o777);
    let text = refused(&link).to_string();
    assert!(text.contains("other users may write to the folder"), "{text}");
}

#[test]
fn only_libraries_with_the_right_digest_are_opened() {
    let dir = folder_of(&[TEMPLATE]);
    let name = library(TEMPLATE).file_name().expect("it has a name").to_string_lossy().into_owned();
    let path = dir.path().join(&name);
    let with = |list: &str| discover(dir.path(), &format!("[plugins]\nsha256 = {{ {list} }}"));
    let has =
        |registry: &Registry| registry.plugins().iter().any(|plugin| plugin.id == "org.arenite.template");
    let unlisted = with("");
    assert!(!has(&unlisted));
    let text = unlisted.failures()[0].to_string();
    assert!(text.contains("[plugins] sha256 does not list it; if it is to be loaded, add"), "{text}");
    // The message contains the line to add.
    let line = text.rsplit("add ").next().expect("the command ends").to_owned();
    let registry = with(&line);
    assert!(has(&registry), "{:?}", registry.failures());
    assert_eq!(run_model(&custom("Sin", &[4]), &registry, &X).expect("the op runs"), X.map(f32::sin));
    let by_path = line.replace(&name, &path.display().to_string());
    assert!(has(&with(&by_path)));
    // Changes a byte after all segments of the file, which only the digest covers.
    let mut bytes = fs::read(&path).expect("it can be read");
    *bytes.last_mut().expect("it has bytes") ^= 1;
    let other = dir.path().join("other");
    fs::write(&other, bytes).expect("the folder can be written");
    fs::rename(&other, &path).expect("a library in use is replaced, not written to");
    let damaged = with(&line);
    assert!(!has(&damaged));
    let text = damaged.failures()[0].to_string();
    assert!(
        text.contains("its SHA-256 is ") && text.contains("the file is damaged or another version"),
        "{text}"
    );
}

#[test]
fn a_library_without_the_entry() {
    let dir = folder();
    let Some(path) = compile_c("int nothing(void) { return 1; }\n", dir.path(), "nothing") else { return };
    let reason = refused(&path);
    assert_eq!(reason, LoadError::NoEntry);
    assert_eq!(reason.to_string(), "it has no symbol arenite_plugin_v1: not an arenite plugin");
    // Discovery ignores a library without the entry, even if the configuration is strict.
    let registry = discover(dir.path(), "[plugins]\nstrict = true");
    assert!(registry.failures().is_empty());
}

#[test]
fn an_entry_that_returns_null_or_an_invalid_descriptor() {
    let dir = folder();
    let sources = [
        (
            "null",
            "const void *arenite_plugin_v1(const void *h, unsigned *v) { (void)h; (void)v; return 0; }\n",
        ),
        (
            "noid",
            "#include \"arenite_plugin.h\"\nstatic const ArPluginV1 p = {.header = AR_HEADER(ArPluginV1)};\n\
             AR_EXPORT const ArPluginV1 *arenite_plugin_v1(const ArHostV1 *h, uint32_t *v) \
             { (void)h; *v = AR_ABI_VERSION; return &p; }\n",
        ),
        (
            "old",
            "#include \"arenite_plugin.h\"\nstatic const ArPluginV1 p = {.header = AR_HEADER(ArPluginV1)};\n\
             AR_EXPORT const ArPluginV1 *arenite_plugin_v1(const ArHostV1 *h, uint32_t *v) \
             { (void)h; *v = 0; return &p; }\n",
        ),
        (
            "small",
            "#include \"arenite_plugin.h\"\nstatic const ArPluginV1 p = {.header = {8, 1, 0}, .id = AR_LITERAL(\"a.b\")};\n\
             AR_EXPORT const ArPluginV1 *arenite_plugin_v1(const ArHostV1 *h, uint32_t *v) \
             { (void)h; *v = AR_ABI_VERSION; return &p; }\n",
        ),
    ];
    let mut texts = Vec::new();
    for (name, source) in sources {
        let Some(path) = compile_c(source, dir.path(), name) else { return };
        let reason = refused(&path);
        assert!(matches!(reason, LoadError::Descriptor(_) | LoadError::Version(_)), "{name}: {reason}");
        texts.push(reason.to_string());
    }
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), 4, "{texts:#?}");
}

#[test]
fn the_first_of_two_plugins_with_one_id_wins() {
    let (first, second) = (folder_of(&[TEMPLATE]), folder_of(&[TEMPLATE]));
    let mut registry = Registry::new();
    registry.load_dir(first.path()).expect("the folder can be read");
    let before = listing(&registry);
    assert_eq!(before.0.len(), 1);
    registry.load_dir(first.path()).expect("the folder can be read");
    assert!(registry.failures().is_empty(), "the same file was reported as a duplicate");
    registry.load_dir(second.path()).expect("the folder can be read");
    assert_eq!(listing(&registry), before);
    let text = registry.failures()[0].to_string();
    let first = first.path().canonicalize().expect("it exists");
    assert!(text.contains("plugin id 'org.arenite.template' is taken by org.arenite.template ("), "{text}");
    assert!(text.contains(&first.display().to_string()), "{text}");
    // A duplicate is a warning, even if the configuration is strict.
    let mut config = config(&first, "[plugins]\nstrict = true");
    config.plugins.dirs.push(second.path().to_owned());
    assert_eq!(Registry::discover(&config).expect("no error").failures().len(), 1);
}

#[test]
fn allow_list_and_strict() {
    let dir = folder_of(&[TEMPLATE, PANICKING]);
    let registry = discover(dir.path(), "[plugins]\nallow = [\"org.arenite.test.*\"]\nbuiltin = false");
    let ids: Vec<&str> = registry.plugins().iter().map(|plugin| plugin.id.as_str()).collect();
    assert_eq!(ids, ["org.arenite.test.panicking"]);
    let wanted = "'org.arenite.template' matches no pattern of [plugins] allow";
    assert!(registry.failures()[0].to_string().ends_with(wanted), "{}", registry.failures()[0]);

    let strict = config(dir.path(), "[plugins]\nallow = [\"org.arenite.test.*\"]\nstrict = true");
    let error = Registry::discover(&strict).expect_err("strict").to_string();
    assert!(error.ends_with(wanted), "{error}");
    let strict = config(&dir.path().join("nowhere"), "[plugins]\nstrict = true");
    let error = Registry::discover(&strict).expect_err("strict").to_string();
    assert!(error.contains("the plugin folder cannot be read"), "{error}");
    let lax = config(&dir.path().join("nowhere"), "");
    assert_eq!(Registry::discover(&lax).expect("no error").failures().len(), 1);
}

/// Errors list plugins and folders that failed to load, if they may be the cause.
#[test]
fn errors_list_what_failed_to_load() {
    let dir = folder();
    fs::write(dir.path().join("libbroken.so"), b"no library").expect("the folder can be written");
    let mut config = config(dir.path(), "");
    config.plugins.dirs.push("/no/such/folder".into());
    let build = |model: &Model| Interpreter::builder(model).config(&config);
    let registry = || Arc::new(Registry::discover(&config).expect("the configuration is not strict"));
    let model = custom("Sin", &[4]);
    let mut interpreter = build(&model).registry(registry()).build().expect("it builds");
    let planner = build(&model).registry(registry()).planner("none-such").build().err();
    let delegate = build(&model).registry(registry()).delegate(DelegateConfig::new("gpu")).build().err();
    for (error, start) in [
        (interpreter.allocate().err(), "no plugin serves 1 of the model's ops:\n  custom op Sin"),
        (planner, "unknown planner 'none-such'"),
        (delegate, "unknown delegate 'gpu'"),
    ] {
        let text = error.expect("something is missing").to_string();
        assert!(text.starts_with(start), "{text}");
        assert!(text.contains("\n  not loaded: plugin ") && text.contains("/libbroken.so: "), "{text}");
        assert!(
            text.contains("\n  not loaded: plugin /no/such/folder: the plugin folder cannot be read"),
            "{text}"
        );
    }
    let known = custom("NEG", &[4]);
    let fallback = Registry::new().with_fallback(registry());
    let builder = build(&known).registry(Arc::new(fallback));
    let text = builder.build().and_then(|mut i| i.allocate()).expect_err("no such custom op").to_string();
    assert!(text.contains("/no/such/folder: "), "the fallback's failures are missing: {text}");
}

/// The configuration given to a builder sets the plugin folders, the allowed plugins and the preferred ones.
#[test]
fn a_builder_takes_plugins_from_a_configuration() {
    let dir = folder_of(&[TEMPLATE, PANICKING]);
    let model = custom("Sin", &[4]);
    let build = |lines: &str| Interpreter::builder(&model).config(&config(dir.path(), lines)).build();
    let interpreter = build("[planner]\nuse = \"first-fit\"").expect("the planner is registered");
    assert_eq!(run(interpreter, &X).expect("the op is registered"), X.map(f32::sin));
    let allowed = build("[plugins]\nallow = [\"org.arenite.test.*\"]").and_then(|i| run(i, &X));
    let text = allowed.expect_err("the template is not allowed").to_string();
    assert!(text.contains("'org.arenite.template' matches no pattern of [plugins] allow"), "{text}");
    let strict = build("[plugins]\nallow = [\"org.arenite.test.*\"]\nstrict = true").err();
    assert!(matches!(strict, Some(Error::Plugin(_))), "{strict:?}");
    let without = build("[plugins]\nbuiltin = false").err().expect("no planner is linked in").to_string();
    assert!(without.contains("unknown planner 'portfolio'"), "{without}");
    // A registry given to the builder keeps its own plugins.
    let builder = Interpreter::builder(&model).config(&config(dir.path(), ""));
    let given =
        builder.registry(Arc::new(Registry::with_static_plugins().expect("they are linked in"))).build();
    assert!(given.and_then(|i| run(i, &X)).is_err());
}

/// Two plugins serve the op Sin: the template, and one in C that cubes.
#[test]
fn choice_between_two_plugins() {
    let dir = folder_of(&[TEMPLATE]);
    let source = CUBE.replace("\"Cube\"", "\"Sin\"").replace("org.arenite.cube", "org.arenite.test.sin");
    if compile_c(&source, dir.path(), "zz_sin").is_none() {
        return;
    }
    let (sine, cube) = (X.map(f32::sin).to_vec(), X.map(|x| x * x * x).to_vec());
    let model = custom("Sin", &[4]);
    for (lines, wanted) in [
        ("", &sine),
        ("[ops.Sin]\nprefer = [\"org.arenite.test.sin\"]", &cube),
        ("[ops.Sin]\nprefer = [\"org.arenite.test.*\", \"org.arenite.template\"]", &cube),
        (
            "[ops.Sin]\nprefer = [\"org.arenite.template\"]\npriority = { \"org.arenite.test.sin\" = 9 }",
            &sine,
        ),
        ("[ops.Sin]\npriority = { \"org.arenite.test.sin\" = 1 }", &cube),
        ("[ops.Sin]\npriority = { \"org.arenite.test.sin\" = -1 }", &sine),
        ("[ops.Cube]\nprefer = [\"org.arenite.test.sin\"]", &sine),
    ] {
        let registry = discover(dir.path(), lines);
        assert_eq!(&run_model(&model, &registry, &X).expect("both run"), wanted, "{lines}");
    }
}

/// 10⁵ nodes, of which the delegate claims every other one: 50,000 partitions in reasonable time.
#[test]
fn alternating_delegate_nodes() {
    let dir = folder_of(&[TEMPLATE]);
    let registry = discover(dir.path(), "");
    let mut model = ModelBuilder::new();
    let codes = [model.custom("Sin", 1), model.builtin("NEG", 1)];
    let mut graph = SubGraph::new("main");
    let mut last = graph.input(f32("x", &[4]));
    for i in 0..100_000 {
        let next = graph.tensor(f32("t", &[4]));
        graph.operator(Operator::new(codes[i % 2], &[last], &[next]));
        last = next;
    }
    graph.outputs.push(last);
    model.subgraph(graph);
    let model = Model::from_bytes(model.finish()).expect("it is sound");
    let clock = Clock::start();
    let builder = reference_ops(&model).registry(registry).threads(1);
    let mut interpreter = builder.delegate(DelegateConfig::new("sin")).build().expect("it builds");
    interpreter.allocate().expect("it allocates");
    let last = NodeProvider::Delegate { name: "sin".into(), partition: 49_999 };
    assert_eq!(interpreter.served_by()[99_998], last);
    let wanted = (0..50_000).fold(X, |x, _| x.map(|x| -x.sin()));
    assert_eq!(run(interpreter, &X).expect("it runs"), wanted);
    clock.at_most(30);
}

#[test]
fn missing_delegate() {
    let dir = folder_of(&[TEMPLATE]);
    let registry = discover(dir.path(), "");
    let model = custom("Sin", &[4]);
    let build = |on_missing| {
        let mut delegate = DelegateConfig::new("sine");
        delegate.on_missing = on_missing;
        reference_ops(&model).registry(Arc::clone(&registry)).delegate(delegate).build()
    };
    let error = build(OnMissing::Error).err().expect("it is missing").to_string();
    assert_eq!(error, "unknown delegate 'sine'; did you mean 'sin'? known: cpu, sin");
    let mut interpreter = build(OnMissing::Skip).expect("it builds");
    interpreter.allocate().expect("the delegate is skipped");
    let left_out = interpreter.left_out().to_vec();
    assert_eq!((left_out.len(), left_out[0].delegate.as_str()), (1, "sine"));
    assert!(left_out[0].reason.contains("unknown delegate 'sine'"), "{left_out:?}");
    assert_eq!(run(interpreter, &X).expect("the op runs"), X.map(f32::sin));
}

// ── Panics ─────────────────────────────────────────────────────────────────────────────────────────────────────────

fn panicking() -> Arc<Registry> {
    let mut registry = Registry::with_static_plugins().expect("they are linked in");
    registry.load_file(library(PANICKING)).expect("the library loads");
    Arc::new(registry)
}

/// The process survives, and the next interpreter works.
fn still_works(registry: &Arc<Registry>) {
    let y = run_model(&custom("Panic", &[2, 3]), registry, &[1.0; 6]).expect("this call does not panic");
    assert_eq!(y, [1.0; 6]);
}

#[test]
fn op_panics() {
    let registry = panicking();
    let ends = |shape: &[i32], first: f32, wanted: &str| {
        let mut x = vec![1.0; shape.iter().product::<i32>() as usize];
        x[0] = first;
        match run_model(&custom("Panic", shape), &registry, &x).expect_err("it panics") {
            Error::Node { op, status, message, node, .. } => {
                assert_eq!((op.as_str(), status, node), ("Panic", Status::Panicked, 0));
                assert!(message.contains(wanted), "{message}");
            }
            other => panic!("not an error of the node: {other}"),
        }
        still_works(&registry);
    };
    ends(&[13, 3], 1.0, "requested panic in prepare");
    ends(&[2, 3], -1.0, "requested panic in eval");
    ends(&[2, 3], 1001.0, "panic");
    // A panic in drop is contained.
    let y = run_model(&custom("Panic", &[2, 17]), &registry, &[1.0; 34]).expect("it runs");
    assert_eq!(y, [1.0; 34]);
    still_works(&registry);
}

/// An instance that panicked is poisoned: it cannot run until it is prepared again.
#[test]
fn op_is_poisoned() {
    let registry = panicking();
    let model = custom("Panic", &[2, 3]);
    let mut interpreter = reference_ops(&model).registry(registry).build().expect("it builds");
    interpreter.allocate().expect("this call does not panic");
    let invoke = |interpreter: &mut Interpreter, x: f32| {
        interpreter.input_mut(0)?.copy_from_slice(&[x; 6])?;
        interpreter.invoke()
    };
    invoke(&mut interpreter, 1.0).expect("this call does not panic");
    assert!(invoke(&mut interpreter, -1.0).is_err());
    let error = invoke(&mut interpreter, 1.0).expect_err("the instance is poisoned").to_string();
    assert!(error.starts_with("Panic (node 0, output 'y'): "), "{error}");
    interpreter.allocate().expect("it is prepared again");
    invoke(&mut interpreter, 1.0).expect("a new instance");
}

#[test]
fn planner_panics() {
    let registry = panicking();
    let model = custom("Panic", &[2, 3]);
    let builder = reference_ops(&model).registry(Arc::clone(&registry)).planner("panicking");
    let error = builder.build().err().expect("the planner panics");
    assert!(matches!(error, Error::Plan { .. }), "{error}");
    let text = error.to_string();
    assert!(text.starts_with("planner 'panicking': ") && text.contains("requested panic in plan"), "{text}");
    still_works(&registry);
}

#[test]
fn delegate_panics() {
    let registry = panicking();
    let model = custom("Panic", &[2, 3]);
    for call in ["create", "claim", "compile", "prepare", "invoke"] {
        for on_missing in [OnMissing::Error, OnMissing::Skip] {
            let mut delegate = DelegateConfig::new("panicking");
            delegate.on_missing = on_missing;
            delegate.options.push(("in".into(), call.into()));
            let builder = reference_ops(&model).registry(Arc::clone(&registry)).delegate(delegate);
            let mut interpreter = builder.build().expect("it builds");
            let allocated = interpreter.allocate();
            let left_out = interpreter.left_out().to_vec();
            let result = allocated.and_then(|()| run(interpreter, &[1.0; 6]));
            let text = match (call, on_missing, &result) {
                // `skip` does not apply to a delegate that exists but cannot start: that is an error.
                ("create" | "invoke", _, Err(error)) => error.to_string(),
                ("claim" | "compile" | "prepare", _, Ok(_)) => {
                    assert_eq!(left_out.len(), 1, "{call}: {left_out:?}");
                    left_out[0].reason.clone()
                }
                _ => panic!("{call}, {on_missing:?}: {result:?}"),
            };
            assert!(text.contains("requested panic here"), "{call}: {text}");
            still_works(&registry);
        }
    }
    let mut wrong = DelegateConfig::new("panicking");
    wrong.options.push(("inn".into(), "create".into()));
    let builder = reference_ops(&model).registry(Arc::clone(&registry)).delegate(wrong);
    let error = builder.build().and_then(|mut i| i.allocate()).expect_err("no such option").to_string();
    assert!(error.starts_with("delegate 'panicking': ") && error.contains("'inn'"), "{error}");
}

// ── ARENITE_PLUGIN_PATH ────────────────────────────────────────────────────────────────────────────────────────────

const CHILD: &str = "ARENITE_TEST_CHILD";

/// Prints the plugins that a program finds. Does nothing unless it is started by `child_with`.
#[test]
fn child() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let registry = Registry::discover(&Config::default()).expect("the configuration is not strict");
    let interpreter = Interpreter::builder(&custom("Sin", &[4])).build().expect("it builds");
    assert_eq!(listing(interpreter.registry()), listing(&registry), "a builder finds other plugins");
    registry.plugins().iter().for_each(|plugin| println!("found {}", plugin.id));
    registry.failures().iter().for_each(|failure| println!("refused {failure}"));
}

fn child_with(path: &std::ffi::OsStr, folder: &Path) -> String {
    let program = std::env::current_exe().expect("this program has a path");
    let mut command = Command::new(program);
    command.args(["--exact", "child", "--nocapture"]).current_dir(folder);
    let output = command.env(CHILD, "1").env(arenite::PLUGIN_PATH, path).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("it prints UTF-8")
}

#[test]
fn the_plugin_path_is_read_from_the_environment() {
    let (a, b) = (folder_of(&[TEMPLATE]), folder_of(&[PANICKING]));
    let list = std::env::join_paths([a.path(), b.path()]).expect("no colons in these");
    let found = child_with(&list, Path::new("/"));
    let position = |id: &str| found.find(&format!("found {id}\n")).unwrap_or_else(|| panic!("{id}: {found}"));
    assert!(position("org.arenite.ops") < position("org.arenite.template"), "{found}");
    assert!(position("org.arenite.template") < position("org.arenite.test.panicking"), "{found}");
    assert!(!found.contains("refused"), "{found}");
    // Neither the working directory nor any relative path is searched.
    for path in ["", ".", "./", ":"] {
        let found = child_with(path.as_ref(), a.path());
        assert!(!found.contains("template"), "{path:?}: {found}");
        assert_eq!(found.contains("takes absolute paths only"), path.contains('.'), "{path:?}: {found}");
    }
    let found = child_with("/nowhere/at/all".as_ref(), a.path());
    assert!(found.contains("refused plugin /nowhere/at/all: the plugin folder cannot be read"), "{found}");
}
