//! `config`: settings and their sources; errors that a config file causes name it.

use std::process::Command;

use arenite::config::{Config, ConfigError};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{fail, json, path, succeed};

fn write(folder: &TempDir, text: &str) -> String {
    let file = folder.path().join("arenite.toml");
    std::fs::write(&file, text).unwrap();
    file.display().to_string()
}

fn setting<'r>(report: &'r Value, key: &str) -> &'r Value {
    let settings = report["settings"].as_array().unwrap();
    settings.iter().find(|setting| setting["key"] == key).unwrap_or_else(|| panic!("{key}: {report}"))
}

#[test]
fn each_setting_names_its_source() {
    let folder = tempfile::tempdir().unwrap();
    let text = "schema = 1\n[planner]\nuse = \"naive\"\n[threads]\ncount = 3\n[memory]\nviews = false\n\
                [[delegate]]\nuse = \"cpu\"\noptions = { winograd = false }\n";
    let file = write(&folder, text);
    let got = json(&["config", "--config", &file, "--threads", "2", "--json"]);
    let from = |line: u64| json!({"kind": "file", "file": file, "line": line});
    assert_eq!(
        setting(&got, "planner.use"),
        &json!({"key": "planner.use", "value": "\"naive\"", "source": from(3)})
    );
    assert_eq!(setting(&got, "memory.views")["source"], from(7));
    assert_eq!(setting(&got, "memory.views")["value"], "false");
    assert_eq!(setting(&got, "delegate[0].options.winograd")["source"], from(10));
    assert_eq!(setting(&got, "memory.split")["source"]["kind"], "default");
    assert_eq!(setting(&got, "threads.count")["value"], "2");
    assert_eq!(setting(&got, "threads.count")["source"], json!({"kind": "option", "option": "--threads"}));
    let text = succeed(&["config", "--config", &file]);
    assert!(text.contains(&format!("{file}:3")), "{text}");
}

#[test]
fn every_key_with_a_default_is_listed() {
    let listed = json(&["config", "--json"]);
    for table in ["plugins", "planner", "memory", "threads", "tie", "quota"] {
        let error = format!("schema = 1\n[{table}]\nno_such_key = 1\n").parse::<Config>();
        let Err(ConfigError::UnknownKey { known, .. }) = error else { panic!("{table}: {error:?}") };
        for key in known.iter().filter(|key| !["options", "sha256"].contains(*key)) {
            setting(&listed, &format!("{table}.{key}"));
        }
    }
}

#[test]
fn the_environment_is_a_source() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_arenite"))
        .args(["config", "--planner", "exact"])
        .env("ARENITE_PLUGIN_PATH", folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("environment variable ARENITE_PLUGIN_PATH"), "{text}");
    assert!(text.contains("option --planner"), "{text}");
}

#[test]
fn a_wrong_planner_or_delegate_names_the_line_of_the_config() {
    let folder = tempfile::tempdir().unwrap();
    let model = path("digits_f32.tflite");
    let file = write(&folder, "schema = 1\n[planner]\nuse = \"exactt\"\n");
    fail(&["run", &model, "--config", &file], 1, &[&format!("{file}:3: "), "did you mean 'exact'?"]);
    let file = write(&folder, "schema = 1\n\n[[delegate]]\nuse = 'cpo'\n");
    fail(&["bench", &model, "--config", &file], 1, &[&format!("{file}:4: "), "'cpo'"]);
}
