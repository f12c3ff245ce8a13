use super::*;
use crate::planning::lifetime::OutputLifetimeStart;
use proptest::prelude::*;

fn config(text: &str) -> Config {
    text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn message(text: &str) -> String {
    match text.parse::<Config>() {
        Ok(config) => panic!("accepted {text:?}: {config:?}"),
        Err(error) => error.to_string(),
    }
}

fn strings(list: &[&str]) -> Vec<String> {
    list.iter().map(|s| s.to_string()).collect()
}

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect()
}

const FULL: &str = r#"
schema = 1
[plugins]
dirs = ["target/release", "/opt/plugins"]
paths = ["mine/libmine.so"]
allow = ["org.arenite.*"]
strict = true
[planner]
use = "arena"
preserve_all = true
outputs = "start"
options = { order = "size", window = 0x10 }
[[delegate]]
use = "cpu"
options = { threads = 2 }
[[delegate]]
use = "opencl"
on_missing = "skip"
exclude_ops = ["SOFTMAX"]
min_nodes = 3
max_partitions = 2
on_failure = "fallback"
options = { tuning = "exhaustive", precision = "f16", fast = true, scale = 0.5, big = 1e300, n = -1_000 }
[ops.CONV_2D]
prefer = ["org.arenite.ops"]
[ops.MyCustomOp]
priority = { "org.example.fast" = 20, "org.arenite.ops" = -5 }
[threads]
count = 4
[quota]
bytes = 1_073_741_824
device_bytes = 268_435_456
nodes = 100000
depth = 16
calls = 1_000_000
time = 5000
"#;

#[test]
fn lifetimes_need_no_planner() {
    let config = config("schema = 1\n[planner]\npreserve_all = true");
    assert_eq!(config.planner, None);
    assert_eq!(config.lifetimes, Lifetimes { preserve_all: true, ..Lifetimes::default() });
}

#[test]
fn a_delegate_requires_nothing_all_nodes_or_ops() {
    let require = |value: &str| {
        let text = format!("schema = 1\n[[delegate]]\nuse = \"cpu\"\nrequire = {value}");
        config(&text).delegates.remove(0).require
    };
    assert_eq!(require("false"), Require::Nothing);
    assert_eq!(require("true"), Require::AllNodes);
    assert_eq!(require("[\"ADD\", \"Cube\"]"), Require::Ops(strings(&["ADD", "Cube"])));
    let wrong = [
        (
            "schema = 1\n[[delegate]]\nuse = \"cpu\"\nrequire = \"all\"",
            "line 4, column 11: `delegate[0].require` must be a boolean or an array of strings, found a string",
        ),
        (
            "schema = 1\n[[delegate]]\nuse = \"cpu\"\non_missing = \"skip\"\nrequire = true",
            "line 5, column 11: `delegate[0].require`: `require` and `on_missing = \"skip\"` contradict each other: leave one of them out",
        ),
    ];
    for (text, expected) in wrong {
        assert_eq!(message(text), expected, "{text}");
    }
}

#[test]
fn reads_every_key() {
    let config = config(FULL);
    assert_eq!(config.plugins.dirs, [PathBuf::from("target/release"), PathBuf::from("/opt/plugins")]);
    assert_eq!(config.plugins.paths, [PathBuf::from("mine/libmine.so")]);
    assert_eq!(config.plugins.allow, Some(strings(&["org.arenite.*"])));
    assert!(config.plugins.strict);
    let planner = config.planner.expect("a planner");
    assert_eq!(
        (planner.name.as_str(), planner.options),
        ("arena", pairs(&[("order", "size"), ("window", "16")]))
    );
    assert_eq!(config.lifetimes, Lifetimes { preserve_all: true, outputs: OutputLifetimeStart::Start });
    let [cpu, opencl] = config.delegates.as_slice() else { panic!("two delegates") };
    assert_eq!((cpu.name.as_str(), cpu.on_missing, cpu.min_nodes), ("cpu", OnMissing::Error, 0));
    assert_eq!((cpu.max_partitions, cpu.on_failure), (None, OnFailure::Error));
    assert_eq!((opencl.max_partitions, opencl.on_failure), (NonZeroUsize::new(2), OnFailure::Fallback));
    assert_eq!(cpu.options, pairs(&[("threads", "2")]));
    assert_eq!((opencl.name.as_str(), opencl.on_missing, opencl.min_nodes), ("opencl", OnMissing::Skip, 3));
    assert_eq!(opencl.exclude_ops, strings(&["SOFTMAX"]));
    let expected = [
        ("tuning", "exhaustive"),
        ("precision", "f16"),
        ("fast", "true"),
        ("scale", "0.5"),
        ("big", "1e300"),
        ("n", "-1000"),
    ];
    assert_eq!(opencl.options, pairs(&expected));
    assert_eq!(config.ops["CONV_2D"].prefer, strings(&["org.arenite.ops"]));
    let priority = &config.ops["MyCustomOp"].priority;
    assert_eq!((priority["org.example.fast"], priority["org.arenite.ops"]), (20, -5));
    assert_eq!(config.threads, NonZeroUsize::new(4));
    let quota = QuotaConfig {
        bytes: Some(1 << 30),
        device_bytes: Some(1 << 28),
        nodes: Some(100_000),
        depth: Some(16),
        calls: Some(1_000_000),
        time: Some(5000),
    };
    assert_eq!(config.quota, quota);
}

#[test]
fn the_least_config_is_the_default() {
    assert_eq!(config("schema = 1"), Config::default());
    assert_eq!(config("schema = 1\n[plugins]\n[ops]\n[threads]\n[quota]"), Config::default());
}

#[test]
fn refuses_what_it_does_not_know() {
    let cases = [
        ("", "line 1, column 1: `schema` is missing: write `schema = 1` first"),
        (
            "schema = 2\nnew_key = 1",
            "line 1, column 10: `schema`: the file has schema 2, this version reads schema 1",
        ),
        ("schema = \"1\"", "line 1, column 10: `schema` must be an integer, found a string"),
        (
            "schema = 1\n\n  [plugin]\ndirs = []",
            "line 3, column 4: unknown key `plugin` at the top level; did you mean `plugins`? (known: schema, plugins, planner, memory, delegate, ops, threads, tie, quota)",
        ),
        (
            "schema = 1\n[plugins]\nstrict = true\nDir = []\nzzz = 1",
            "line 4, column 1: unknown key `Dir` in `plugins`; did you mean `dirs`? (known: dirs, paths, allow, sha256, strict, builtin)",
        ),
        (
            "schema = 1\n[[delegate]]\nuse = \"a\"\n[[delegate]]\nuse = \"b\"\nonmissing = \"skip\"",
            "line 6, column 1: unknown key `onmissing` in `delegate[1]`; did you mean `on_missing`? (known: use, on_missing, exclude_ops, min_nodes, max_partitions, on_failure, require, options); what only this one knows goes to `options = { onmissing = ... }`",
        ),
        (
            "schema = 1\nops.CONV_2D.preferr = []",
            "line 2, column 13: unknown key `preferr` in `ops.CONV_2D`; did you mean `prefer`? (known: prefer, priority)",
        ),
        (
            "schema = 1\nquota = { \"b\\nytes\" = 1 }",
            "line 2, column 11: unknown key `b\\nytes` in `quota`; did you mean `bytes`? (known: bytes, device_bytes, nodes, depth, calls, time)",
        ),
        (
            "schema = 1\nthreads = 2",
            "line 2, column 11: `threads` must be a table (`[threads]`, `count = ...`), found an integer",
        ),
        ("schema = 1\nplugins = 3", "line 2, column 11: `plugins` must be a table, found an integer"),
        (
            "schema = 1\n[plugins]\ndirs = \"a\"",
            "line 3, column 8: `plugins.dirs` must be an array of strings, found a string",
        ),
        (
            "schema = 1\n[plugins]\ndirs = [\"ä\", 2.5]",
            "line 3, column 14: `plugins.dirs[1]` must be a string, found a float",
        ),
        ("schema = 1\n[plugins]\ndirs = [\"\"]", "line 3, column 9: `plugins.dirs[0]`: must not be empty"),
        (
            "schema = 1\n[plugins]\nstrict = \"yes\"",
            "line 3, column 10: `plugins.strict` must be a boolean, found a string",
        ),
        (
            "schema = 1\n[planner]\noptions = {}",
            "line 2, column 1: `planner.use` is missing: name what to use",
        ),
        (
            "schema = 1\n[planner]\noutputs = \"ends\"",
            "line 3, column 11: `planner.outputs`: must be \"producer\" or \"start\", found \"ends\"; did you mean \"start\"?",
        ),
        (
            "schema = 1\n[delegate]\nuse = \"cpu\"",
            "line 2, column 1: `delegate` must be an array of tables (`[[...]]`), found a table",
        ),
        (
            "schema = 1\ndelegate = [1979-05-27]",
            "line 2, column 13: `delegate[0]` must be a table, found a date or time",
        ),
        (
            "schema = 1\n[[delegate]]\nuse = \"cpu\"\non_missing = \"skp\"",
            "line 4, column 14: `delegate[0].on_missing`: must be \"error\" or \"skip\", found \"skp\"; did you mean \"skip\"?",
        ),
        (
            "schema = 1\n[[delegate]]\nuse = \"cpu\"\nmin_nodes = -1",
            "line 4, column 13: `delegate[0].min_nodes`: must be in 0..=9223372036854775807, found -1",
        ),
        (
            "schema = 1\n[[delegate]]\nuse = \"cpu\"\nmax_partitions = 0",
            "line 4, column 18: `delegate[0].max_partitions`: must be in 1..=9223372036854775807, found 0",
        ),
        (
            "schema = 1\n[[delegate]]\nuse = \"cpu\"\non_failure = \"fall_back\"",
            "line 4, column 14: `delegate[0].on_failure`: must be \"error\" or \"fallback\", found \"fall_back\"; did you mean \"fallback\"?",
        ),
        (
            "schema = 1\n[[delegate]]\nuse = \"cpu\"\noptions = { a = 1, b = [2] }",
            "line 4, column 24: `delegate[0].options.b` must be a string, an integer, a float or a boolean, found an array",
        ),
        (
            "schema = 1\n[[delegate]]\nuse = \"cpu\"\n[[delegate]]\nuse = \"none\"",
            "line 5, column 7: `delegate[1].use`: 'none' means no delegate, but 'cpu' is listed as well: remove one of them",
        ),
        (
            "schema = 1\n[[delegate]]\nuse = \"none\"\noptions = { winograd = false }",
            "line 3, column 7: `delegate[0].use`: 'none' means no delegate, and has no option 'winograd'",
        ),
        (
            "schema = 1\n[planner]\nuse = \"x\"\noptions = { a = 1e999 }",
            "line 4, column 17: `planner.options.a`: the number does not fit in 64 bits",
        ),
        (
            "schema = 1\n[threads]\ncount = 0",
            "line 3, column 9: `threads.count`: must be in 1..=256, found 0",
        ),
        (
            "schema = 1\n[quota]\nbytes = 0xFFFF_FFFF_FFFF_FFFF",
            "line 3, column 9: `quota.bytes`: must be in 0..=9223372036854775807, found 0xFFFFFFFFFFFFFFFF",
        ),
        (
            "schema = 1\n[ops.ADD]\npriority = { x = 3000000000 }",
            "line 3, column 18: `ops.ADD.priority.x`: must be in -2147483648..=2147483647, found 3000000000",
        ),
        ("schema = 1\nops = { ADD = 1 }", "line 2, column 15: `ops.ADD` must be a table, found an integer"),
    ];
    for (text, expected) in cases {
        assert_eq!(message(text), expected, "{text}");
    }
}

#[test]
fn syntax_errors_name_the_place() {
    for (text, place) in [
        ("schema = 1\nschema = 1", "line 2, column 1: "),
        ("schema = 1\n[plugins\n", "line 2, column 9: "),
        ("schema = 1\n[plugins]\ndirs = [\"a\"\nstrict = true", "line 4, column 1: "),
    ] {
        let message = message(text);
        assert!(message.starts_with(place) && message.len() > place.len() + 5, "{message}");
    }
}

#[test]
fn deep_nesting_is_an_error() {
    message(&format!("schema = 1\nx = {}", "[".repeat(100_000)));
    message(&format!("schema = 1\nx = {}", "{a=".repeat(100_000)));
    message(&format!("schema = 1\n{}a = 1", "a.".repeat(100_000)));
    message(&format!("schema = 1\n[{}a]", "a.".repeat(100_000)));
    message(&format!("schema = 1\n{} = 1", "k".repeat(1_000_000)));
}

#[test]
fn a_file_resolves_paths_against_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arenite.toml");
    std::fs::write(&path, FULL).unwrap();
    let config = Config::from_file(&path).unwrap();
    assert_eq!(config.plugins.dirs, [folder.path().join("target/release"), PathBuf::from("/opt/plugins")]);
    assert_eq!(config.plugins.paths, [folder.path().join("mine/libmine.so")]);
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arenite.toml");
    let shown = path.display();
    let error = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        Config::from_file(&path).unwrap_err().to_string()
    };
    assert_eq!(error(b"schema = \xFF"), format!("{shown}: the config is not UTF-8 text at byte 9"));
    assert_eq!(error(&vec![b'\n'; 1 << 21]), format!("{shown}: the config is longer than 1048576 bytes"));
    let expected = format!("{shown}:2:1: unknown key `thread` at the top level; did you mean `threads`? ");
    let found = error(b"schema = 1\nthread = 1");
    assert!(found.starts_with(&expected), "{found}");
    std::fs::remove_file(&path).unwrap();
    let found = Config::from_file(&path).unwrap_err();
    assert!(found.to_string().starts_with(&format!("{shown}: cannot read the config: ")), "{found}");
    assert!(std::error::Error::source(&found).is_some());
}

#[test]
fn patterns() {
    for (pattern, text, expected) in [
        ("org.arenite.*", "org.arenite.ops", true),
        ("org.arenite.*", "org.arenite.", true),
        ("org.arenite.*", "org.arenite", false),
        ("org.arenite.ops", "org.arenite.ops", true),
        ("org.arenite.ops", "org.arenite.ops2", false),
        ("*", "", true),
        ("", "", true),
        ("", "a", false),
        ("*.ops", "org.ops.x", false),
        ("*.ops", "ops.ops", true),
        ("a*b*c", "a-b-b-c", true),
        ("a*b*c", "a-c-b", false),
        ("ab*ba", "aba", false),
        ("**a**", "xay", true),
        ("org.?", "org.x", false),
        ("*ä*", "xäy", true),
    ] {
        assert_eq!(matches_pattern(pattern, text), expected, "{pattern} {text}");
    }
    let plugins = |allow: &str| config(&format!("schema = 1\nplugins.allow = {allow}")).plugins;
    assert!(plugins("[\"a.*\", \"b\"]").allows("b"));
    assert!(!plugins("[\"a.*\", \"b\"]").allows("bb"));
    assert!(!plugins("[]").allows("a"));
    assert!(PluginsConfig::default().allows("a"));
}

/// A direct definition in exponential time, by recursion on the first character of the pattern.
fn matches_by_definition(pattern: &[char], text: &[char]) -> bool {
    match (pattern.split_first(), text.split_first()) {
        (None, _) => text.is_empty(),
        (Some(('*', rest)), _) => (0..=text.len()).any(|skip| matches_by_definition(rest, &text[skip..])),
        (Some((want, pattern)), Some((have, text))) => want == have && matches_by_definition(pattern, text),
        (Some(_), None) => false,
    }
}

proptest! {
    #[test]
    fn patterns_match_by_definition(pattern in "[ab*]{0,7}", text in "[ab]{0,9}") {
        let (p, t): (Vec<_>, Vec<_>) = (pattern.chars().collect(), text.chars().collect());
        prop_assert_eq!(matches_pattern(&pattern, &text), matches_by_definition(&p, &t));
    }

    #[test]
    fn no_text_panics(text in any::<String>()) {
        let _ = text.parse::<Config>().map_err(|error| error.to_string());
    }

    #[test]
    fn no_damage_panics(at in 0..FULL.len(), end in 0..FULL.len(), patch in "[\\[\\]{}=\"'\\\\.,#\n 0-9a-zé]{0,4}") {
        let (start, end) = (at.min(end), at.max(end).min(at + 20).max(at.min(end)));
        let text = format!("{}{patch}{}", &FULL[..start], &FULL[end..]);
        let _ = text.parse::<Config>().map_err(|error| error.to_string());
    }
}

#[test]
fn digests_of_plugins() {
    let digest = "0123456789abcdefABCDEF".repeat(3)[..64].to_owned();
    let text = format!(
        "schema = 1\n[plugins]\nsha256 = {{ \"liba.so\" = \"{digest}\", \"x/libb.so\" = \"{digest}\" }}\n"
    );
    assert_eq!(config(&text).plugins.sha256.unwrap().keys().collect::<Vec<_>>(), ["liba.so", "x/libb.so"]);
    assert_eq!(config("schema = 1\n[plugins]\nsha256 = {}").plugins.sha256, Some(Default::default()));
    assert_eq!(PluginsConfig::default().sha256, None);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("arenite.toml");
    std::fs::write(&file, &text).unwrap();
    let read = Config::from_file(&file).unwrap().plugins.sha256.unwrap();
    let wanted = ["liba.so".to_owned(), folder.path().join("x/libb.so").display().to_string()];
    assert!(wanted.iter().all(|key| read.contains_key(key)), "{read:?}");
    let error = "schema = 1\n[plugins]\nsha256 = { a = \"12\" }".parse::<Config>().unwrap_err().to_string();
    assert!(error.contains("'a' has '12'; a SHA-256 digest has 64 hexadecimal digits"), "{error}");
}
