//! `bench`: what its report contains, tables, comparisons, and why a model is slow.

use serde_json::Value;
use tempfile::TempDir;

use crate::{fail, json, path, succeed};

fn number(report: &Value, field: &str) -> f64 {
    report[field].as_f64().unwrap_or_else(|| panic!("{field} of {report}"))
}

fn assert_times_are_ordered(report: &Value) {
    let times = ["min_ms", "median_ms", "p90_ms", "p99_ms", "max_ms"].map(|field| number(report, field));
    assert!(times[0] > 0.0 && times.is_sorted(), "{times:?}");
    assert!((times[0]..=times[4]).contains(&number(report, "mean_ms")));
    assert!(number(report, "sd_ms") >= 0.0);
}

#[test]
fn a_report_says_what_was_measured() {
    let model = path("digits_i8.tflite");
    let options =
        ["--runs", "20", "--warmup", "1", "--threads", "1", "--delegate", "cpu:winograd=false", "--json"];
    let got = json(&[&["bench", &model], &options[..]].concat());
    assert_times_are_ordered(&got);
    assert_eq!(
        (&got["runs"], &got["threads"], &got["model"]),
        (&20.into(), &1.into(), &model.clone().into())
    );
    assert_eq!(got["model_bytes"].as_u64(), Some(std::fs::metadata(&model).unwrap().len()));
    let cpu = serde_json::json!([{"name": "cpu", "options": [["winograd", "false"]]}]);
    assert_eq!(got["delegates"], cpu);
    assert_eq!(got["planner"], serde_json::json!({"name": "portfolio", "options": []}));
    assert_eq!((&got["signature"], &got["arenite"]), (&Value::Null, &env!("CARGO_PKG_VERSION").into()));
    assert!(!got["instruction_set"].as_str().unwrap().is_empty());
    let plugins = got["plugins"].as_array().unwrap();
    assert!(plugins.iter().any(|plugin| plugin["id"] == "org.arenite.cpu" && plugin["version"].is_string()));
    for field in ["init_ms", "first_ms", "arena_bytes", "delegate_bytes"] {
        assert!(number(&got, field) > 0.0, "{field}");
    }
    for field in ["persistent_bytes", "device_bytes", "peak_rss_bytes", "facts"] {
        assert!(got.get(field).is_some(), "{field}");
    }
    let hash = got["model_sha256"].as_str().unwrap();
    assert_eq!(hash.len(), 64);

    let text = succeed(&[&["bench", &model], &options[..options.len() - 1]].concat());
    for words in ["digits_i8.tflite", &hash[..16], "1 thread, delegate cpu:winograd=false, planner portfolio"]
    {
        assert!(text.contains(words), "'{words}' is missing in: {text}");
    }
    for column in ["min", "median", "90 %", "99 %", "max", "mean", "std dev", "runs", "init", "peak memory"] {
        assert!(text.contains(column), "'{column}' is missing in: {text}");
    }
}

/// The peak does not include the program's own memory, such as the measured times.
#[cfg(target_os = "linux")]
#[test]
fn the_peak_does_not_depend_on_the_number_of_runs() {
    let model = path("digits_f32.tflite");
    let peak = |runs: &str| {
        let got = json(&["bench", &model, "--runs", runs, "--threads", "1", "--json"]);
        number(&got, "peak_rss_bytes")
    };
    let (few, many) = (peak("1"), peak("3000"));
    // Addresses are random, so pages differ a little from process to process.
    assert!((few - many).abs() < 1e6, "{few} {many}");
}

#[test]
fn inputs_signatures_and_pictures_are_those_of_run() {
    let model = path("digits_f32.tflite");
    let short = ["--runs", "2", "--json"];
    let signature = ["--signature", "serving_default", "--input"];
    let array = format!("image={}", path("cases/f32/in_0.npy"));
    let got = json(&[&["bench", &model][..], &signature, &[&array], &short].concat());
    assert_eq!((&got["signature"], &got["runs"]), (&"serving_default".into(), &2.into()));
    json(&[&["bench", &model, "--image", &path("samples/7.png")], &short[..]].concat());
    fail(&["bench", &model, "--signature", "other"], 1, &["no signature 'other'", "'serving_default'"]);
    fail(&["bench", &model, "--image", "missing.png"], 1, &["missing.png"]);
}

#[test]
fn the_batch_size_can_change() {
    let model = path("digits_f32.tflite");
    let batch = |size: &str| json(&["run", &model, "--batch", size, "--input", "0=zeros", "--json"]);
    let (one, three) = (batch("1"), batch("3"));
    assert_eq!(three["outputs"][0]["shape"], serde_json::json!([3, 10]));
    let values = |got: &Value| -> Vec<f64> {
        let values = got["outputs"][0]["values"].as_array().unwrap();
        values.iter().take(5).map(|value| value.as_f64().unwrap()).collect()
    };
    // Other kernels may add in another order.
    let far = values(&one).iter().zip(values(&three)).any(|(a, b)| (a - b).abs() > 1e-5);
    assert!(!far && values(&three).len() == 5, "{one} {three}");
    let got = json(&["bench", &model, "--batch", "4", "--runs", "2", "--json"]);
    assert_eq!(got["runs"], 2);
    fail(&["run", &model, "--batch", "0"], 2, &["--batch"]);
    let folder = tempfile::tempdir().unwrap();
    let summed = folder.path().join("m.tflite").display().to_string();
    let node = "y:FLOAT32[3] = SUM(x:FLOAT32[2,3], axis:INT32[1] value=0)";
    json(&["new-model", &summed, node, "--json"]);
    for command in ["run", "bench"] {
        let words = ["the batch size cannot change from 2 to 5", "node 0 (SUM)"];
        fail(&[command, &summed, "--batch", "5"], 1, &words);
    }
}

#[test]
fn a_comparison_gives_a_row_each_and_a_ratio() {
    let (model, other) = (path("digits_i8.tflite"), path("digits_f32.tflite"));
    let compare = ["--compare", "delegate=none threads=1", "--compare", "planner=naive", "--compare", &other];
    let got = json(&[&["bench", &model, "--runs", "12"], &compare[..], &["--json"]].concat());
    let rows = got["results"].as_array().unwrap();
    assert_eq!(rows.len(), 4);
    for row in rows {
        assert_times_are_ordered(row);
        assert_eq!(row["runs"], 12);
    }
    assert_eq!((&rows[0]["compare"], rows[0].get("ratio")), (&Value::Null, None));
    assert_eq!((&rows[1]["delegates"], &rows[1]["threads"]), (&serde_json::json!([]), &1.into()));
    assert_eq!(
        (&rows[2]["compare"], &rows[2]["planner"]["name"]),
        (&"planner=naive".into(), &"naive".into())
    );
    assert_eq!(rows[3]["model"], other);
    for row in &rows[1..] {
        let [low, ratio, high] = ["low", "ratio", "high"].map(|field| number(&row["ratio"], field));
        assert!(0.0 < low && low <= ratio && ratio <= high, "{low} {ratio} {high}");
        assert_eq!((&row["ratio"]["rounds"], &row["peak_rss_bytes"]), (&12.into(), &Value::Null));
    }
    let text = succeed(&[&["bench", &model, "--runs", "12"], &compare[..]].concat());
    for words in
        ["delegate=none threads=1, against digits_i8.tflite: ", "digits_f32.tflite", "95 % confidence"]
    {
        assert!(text.contains(words), "'{words}' is missing in: {text}");
    }
}

#[test]
fn wrong_comparisons_are_explained() {
    let model = path("digits_i8.tflite");
    fail(
        &["bench", &model, "--compare", "thread=1"],
        2,
        &["neither an existing file nor a setting", "threads="],
    );
    fail(
        &["bench", &model, "--compare", "delegate=warp"],
        1,
        &["--compare delegate=warp", "unknown delegate 'warp'"],
    );
    fail(&["bench", &model, "--compare", "missing.tflite"], 1, &["--compare missing.tflite"]);
    fail(&["bench", &model, "--runs", "1", "--seconds", "1"], 2, &["--seconds"]);
    fail(&["bench", &model, "--csv", "-", "--json"], 1, &["give --csv a file"]);
}

#[test]
fn a_table_has_a_row_per_model() {
    let models = [path("digits_i8.tflite"), path("digits_f32.tflite")];
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("times.csv");
    let command = ["bench", &models[0], &models[1], "--runs", "3"];
    let text = succeed(&[&command[..], &["--csv", file.to_str().unwrap()]].concat());
    assert!(text.contains("\n  digits_i8.tflite  ") && text.contains("\n  digits_f32.tflite  "), "{text}");
    let table = std::fs::read_to_string(&file).unwrap();
    assert_eq!(succeed(&[&command[..], &["--csv", "-"]].concat()).lines().next(), table.lines().next());

    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let header = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().unwrap();
    assert_eq!(rows.len(), 2);
    for (row, model) in rows.iter().zip(&models) {
        let cell = |name: &str| &row[header.iter().position(|column| column == name).unwrap()];
        assert_eq!((cell("model"), cell("runs"), cell("planner")), (model.as_str(), "3", "portfolio"));
        let time = |name: &str| cell(name).parse::<f64>().unwrap();
        assert!(
            time("min_ms") > 0.0
                && time("min_ms") <= time("median_ms")
                && time("median_ms") <= time("max_ms")
        );
        assert_eq!((cell("ratio"), cell("sha256").len()), ("", 64));
    }
}

/// Settings by which the CPU delegate leaves convolutions to reference ops.
fn without_convolutions(folder: &TempDir) -> String {
    let file = folder.path().join("arenite.toml");
    std::fs::write(&file, "schema = 1\n[[delegate]]\nuse = \"cpu\"\nexclude_ops = [\"CONV_2D\"]\n").unwrap();
    file.display().to_string()
}

#[test]
fn an_explanation_names_the_nodes_that_no_delegate_runs() {
    let folder = tempfile::tempdir().unwrap();
    let (model, config) = (path("digits_f32.tflite"), without_convolutions(&folder));
    let command = ["bench", &model, "--config", &config, "--runs", "30", "--threads", "1"];
    let text = succeed(&[&command[..], &["--explain"]].concat());
    let (_, lines) = text.split_once("Why is it slow?").expect("an explanation");
    assert!(
        lines.contains("4 nodes that no delegate runs:") && lines.contains("CONV_2D (4 nodes)  cpu: "),
        "{lines}"
    );
    assert!(lines.lines().count() <= 11, "{lines}");

    let got = json(&[&command[..], &["--explain", "--json"]].concat());
    let gaps = &got["explanation"]["no_delegate"];
    assert_eq!((&gaps["nodes"], &gaps["ops"][0]["op"]), (&4.into(), &"CONV_2D".into()));
    assert_eq!(gaps["ops"][0]["refusals"][0]["delegate"], "cpu");
    assert!((0.0..=100.0).contains(&number(gaps, "percent")));
    let threads = &got["explanation"]["threads"];
    assert_eq!(threads["used"], 1);
    assert!(threads["tried"].as_array().unwrap().iter().all(|tried| tried["threads"] != 1));

    assert_eq!(json(&[&command[..], &["--json"]].concat()).get("explanation"), None);
    let silent = succeed(&[&command[..], &["--explain=never"]].concat());
    assert!(!silent.contains("Why is it slow?"), "{silent}");
}

#[test]
fn a_profile_tells_delegates_from_reference_ops() {
    let folder = tempfile::tempdir().unwrap();
    let (model, config) = (path("digits_f32.tflite"), without_convolutions(&folder));
    let command = ["bench", &model, "--config", &config, "--runs", "5", "--profile", "--explain=never"];
    let text = succeed(&command);
    let row =
        |op: &str| text.lines().find(|line| line.contains(op)).unwrap_or_else(|| panic!("{op}: {text}"));
    assert!(row("CONV_2D").contains("no delegate  CONV_2D"), "{text}");
    assert!(row("SOFTMAX").contains("cpu          SOFTMAX"), "{text}");
    let got = json(&[&command[..], &["--json"]].concat());
    let ops = got["ops"].as_array().unwrap();
    let of = |row: &Value| (row["op"].clone(), row["delegate"].clone(), row["node"].clone());
    assert_eq!(of(&ops[0]), ("CONV_2D".into(), Value::Null, 0.into()));
    assert_eq!(of(&ops[ops.len() - 1]), ("cpu: SOFTMAX".into(), "cpu".into(), Value::Null));
}
