//! Errors: usage, files, inputs, settings, options.

use std::process::{Command, Output};

use serde_json::Value;

use crate::{arenite, fail, json, path, stderr, stdout, succeed};

#[test]
fn wrong_usage_is_status_2_and_helps() {
    fail(&["run"], 2, &["<MODEL>", "--help"]);
    fail(&["run", "m.tflite", "--imge", "x.png"], 2, &["--imge", "--image"]);
    fail(&["run", "m.tflite", "--input", "in.npy"], 2, &["write K=FILE.npy"]);
    fail(&["run", "m.tflite", "--resize", "0=1xa"], 2, &["'a' is not a dimension"]);
    fail(&["run", "m.tflite", "--threads", "0"], 2, &["expected a number from 1 to"]);
    fail(&["bench", "m.tflite", "--seconds", "-1"], 2, &["seconds"]);
    let output = arenite(&["run", "--json"]);
    let error: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert!(error["error"].as_str().unwrap().contains("<MODEL>"));
}

#[test]
fn failures_are_status_1_and_name_the_file() {
    let model = path("digits_i8.tflite");
    fail(&["run", "missing.tflite"], 1, &["missing.tflite"]);
    fail(&["inspect", &path("labels.txt")], 1, &["labels.txt"]);
    fail(&["run", &model, "--image", "missing.png"], 1, &["missing.png"]);
    fail(&["run", &model, "--input", "0=missing.npy"], 1, &["missing.npy"]);
    fail(&["run", &model, "--input", "5=x.npy"], 1, &["unknown input '5'", "0 'image'"]);
    fail(&["run", &model, "--labels", "missing.txt"], 1, &["missing.txt"]);
    fail(&["run", &model, "--plugin-dir", "missing-dir"], 1, &["missing-dir"]);
    fail(&["run", &model, "--delegate", "warp"], 1, &["unknown delegate 'warp'"]);
    fail(&["run", &model, "--signature", "other"], 1, &["unknown signature 'other'", "serving_default"]);
    let output = arenite(&["run", "missing.tflite", "--json"]);
    let error: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert!(error["error"].as_str().unwrap().contains("missing.tflite"));
}

#[test]
fn a_required_delegate_runs_every_node_or_is_an_error() {
    let model = path("digits_i8.tflite");
    assert!(json(&["run", &model, "--require", "--json"])["left_out"].is_null());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("arenite.toml");
    std::fs::write(&file, "schema = 1\n[[delegate]]\nuse = 'cpu'\nexclude_ops = ['SOFTMAX']\n").unwrap();
    let config = ["--config", file.to_str().unwrap()];
    for command in ["run", "bench"] {
        succeed(&[&[command, &model], &config[..]].concat());
        let words = [
            "'cpu'",
            "must run all nodes",
            "SOFTMAX (node ",
            "SOFTMAX is in exclude_ops",
            "leave out `require`",
        ];
        fail(&[&[command, &model, "--require"], &config[..]].concat(), 1, &words);
    }
    let words = ["'none' means no delegate"];
    fail(&["run", &model, "--require", "--delegate", "none"], 1, &words);
}

#[test]
fn arrays_of_another_type_or_shape_are_rejected_with_advice() {
    let floats = format!("0={}", path("cases/f32/in_0.npy"));
    let words =
        ["float32", "INT8", "np.clip(np.round(array / 0.007843138) -1, -128, 127)", "astype(np.int8)"];
    fail(&["run", &path("digits_i8.tflite"), "--input", &floats], 1, &words);
    let scores = format!("0={}", path("cases/f32/out_0.npy"));
    let words = ["[1,10]", "[1,16,16,1]", "--resize 0=1x10"];
    fail(&["run", &path("digits_f32.tflite"), "--input", &scores], 1, &words);
}

#[test]
fn a_label_count_that_differs_from_the_class_count_is_noted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("labels.txt");
    let noted = |lines: &str| {
        std::fs::write(&file, lines).unwrap();
        let labels = file.display().to_string();
        let output = arenite(&["run", &path("digits_f32.tflite"), "--labels", &labels]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stderr(&output).contains("has 9 labels, but the model has 10 classes")
    };
    assert!(noted("0\n1\n2\n3\n4\n5\n6\n7\n8\n"));
    assert!(!noted("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n\n"));

    let model = folder.path().join("segment.tflite").display().to_string();
    let node =
        "y:INT64[1,16,16] = ARG_MAX(x:FLOAT32[1,16,16,3], axis:INT32[] value=3) {\"output_type\": \"INT64\"}";
    succeed(&["new-model", &model, node]);
    let output = arenite(&["run", &model, "--input", "x=zeros", "--labels", &file.display().to_string()]);
    let note = "has 10 labels, but the model has 3 classes";
    assert!(stderr(&output).contains(note) && stdout(&output).contains("100.0 %  0"), "{output:?}");
}

#[test]
fn inputs_of_the_wrong_kind_are_named() {
    let model = path("digits_f32.tflite");
    fail(&["run", &model, "--input", "0=text:x"], 1, &["input 0 'image'", "does not hold strings"]);
    fail(
        &["run", &model, "--image", &path("README.md")],
        1,
        &["README.md: is not a png, jpeg or bmp picture"],
    );
    fail(&["run", &model, "--image", "a.png", "--mean", "a", "--std", "1"], 2, &["expected a number"]);
}

#[test]
fn every_command_has_help() {
    let help = succeed(&["--help"]);
    let (always, with_model) = (
        ["--config", "--plugin-dir", "--json", "--verbose"],
        ["--delegate", "--planner", "--threads", "--preserve-all", "--time-limit"],
    );
    for command in ["run", "bench", "inspect", "plugins", "devices"] {
        assert!(help.contains(command));
        let help = succeed(&[command, "--help"]);
        let has_model = !matches!(command, "plugins" | "devices");
        always.iter().for_each(|option| assert!(help.contains(option), "{command} --help lacks {option}"));
        for option in with_model {
            assert_eq!(help.contains(&format!("\n      {option}")), has_model, "{option} of {command}");
        }
    }
    assert!(succeed(&["--version"]).starts_with("arenite "));
}

#[test]
fn an_unknown_option_is_answered_with_the_nearest_one_and_the_usage() {
    fail(&["run", "m.tflite", "--lables", "x"], 2, &["run has no option '--lables'; did you mean --labels?"]);
    fail(
        &["run", "m.tflite", "--foo"],
        2,
        &["run has no option '--foo'\n\n", "Usage: arenite run [OPTIONS] <MODEL>"],
    );
}

#[test]
fn gpu_delegates_say_how_to_get_them() {
    for (name, words) in [
        ("opencl", ["'opencl' is in the plugin", "-p arenite-plugin-opencl", "--features opencl"]),
        ("gpu", ["the GPU delegates are 'opencl' and 'vulkan'", "--plugin-dir", "known: cpu"]),
        ("vulkan", ["'vulkan' is in the plugin", "-p arenite-plugin-vulkan", "--features vulkan"]),
    ] {
        fail(&["run", &path("digits_i8.tflite"), "--delegate", name], 1, &words);
    }
}

/// Runs a model with a config file that has these lines after its schema.
fn configured(command: &str, lines: &str) -> Output {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("arenite.toml");
    std::fs::write(&config, format!("schema = 1\n{lines}\n")).unwrap();
    let seconds: &[&str] = if command == "bench" { &["--seconds", "0"] } else { &[] };
    let model = path("digits_i8.tflite");
    arenite(&[&[command, &model, "--config", &config.display().to_string()], seconds].concat())
}

#[test]
fn contradictory_settings_are_rejected() {
    let model = path("digits_i8.tflite");
    let both = ["run", &model, "--delegate", "none", "--delegate", "cpu"];
    fail(&both, 1, &["'none' means no delegate, but 'cpu' is listed as well: remove one of them"]);
    fail(&["run", &model, "--delegate", "none:isa=avx2"], 1, &["'none' means", "no option 'isa'"]);
    let output = configured("run", "[[delegate]]\nuse = \"cpu\"\n[[delegate]]\nuse = \"none\"");
    assert!(
        stderr(&output).contains("arenite.toml:5:7: `delegate[1].use`: 'none' means"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn an_unknown_instruction_set_is_rejected() {
    let run = |delegate: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_arenite"));
        command.args(["run", &path("digits_i8.tflite"), "--delegate", delegate]);
        command
            .env("ARENITE_ISA", "sse9")
            .env_remove("ARENITE_PLUGIN_PATH")
            .output()
            .expect("the program starts")
    };
    let refused = run("cpu");
    let error = "error: delegate 'cpu': ARENITE_ISA: unknown instruction set 'sse9'; known: scalar, avx2";
    assert!(stderr(&refused).contains(error), "{}", stderr(&refused));
    assert_eq!((refused.status.code(), run("none").status.code()), (Some(1), Some(0)));
}

#[test]
fn the_instruction_set_and_its_kernels_are_logged() {
    let run = |more: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_arenite"));
        command.args(["run", &path("digits_i8.tflite"), more]).env_remove("ARENITE_PLUGIN_PATH");
        stderr(&command.env("ARENITE_ISA", "scalar").output().expect("the program starts")).to_owned()
    };
    let (set, kernels) = ("instruction set scalar of ", ", u8i8_gemm_2x8__scalar, ");
    let (v, vv) = (run("-v"), run("-vv"));
    for line in
        [set, kernels, "info: delegate cpu runs 15 of 15 nodes in 1 partition\n", "info: planner portfolio: "]
    {
        assert!(v.contains(line), "{line}: {v}");
    }
    assert!(!v.contains("time.busy") && vv.contains("time.busy"), "stages and their times are for -vv: {v}");
    assert!(vv.contains(set) && vv.contains(kernels), "{vv}");
}

#[test]
fn a_wrong_option_of_a_delegate_is_an_error_even_if_it_may_be_missing() {
    for command in ["run", "bench"] {
        for on_missing in ["error", "skip"] {
            let lines = format!(
                "[[delegate]]\nuse = \"cpu\"\non_missing = \"{on_missing}\"\noptions = {{ threads = 2 }}"
            );
            let output = configured(command, &lines);
            assert_eq!(output.status.code(), Some(1), "{command} {on_missing}");
            let error = "error: delegate 'cpu': unknown option 'threads'; known: isa, winograd, cache\n";
            assert!(stderr(&output).ends_with(error), "{}", stderr(&output));
        }
        let absent = configured(command, "[[delegate]]\nuse = \"warp\"\non_missing = \"skip\"");
        assert_eq!((absent.status.code(), stderr(&absent).contains("warp")), (Some(0), false));
    }
}

/// Opening a pipe without a writer would block.
#[cfg(unix)]
#[test]
fn named_pipes_are_rejected_without_blocking() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = |name: &str| {
        let pipe = folder.path().join(name);
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        pipe.display().to_string()
    };
    let (any, csv) = (pipe("any"), pipe("records.csv"));
    let model = path("digits_f32.tflite");
    let input = format!("0={any}");
    for arguments in [
        &["run", &model, "--labels", &any][..],
        &["run", &model, "--image", &any],
        &["run", &model, "--input", &input],
        &["plan", &csv],
        &["plan", &any, "--micro"],
    ] {
        fail(arguments, 1, &["is a named pipe", "/dev/stdin"]);
    }
    for arguments in [&["run", &any][..], &["run", &model, "--config", &any]] {
        fail(arguments, 1, &["is not a regular file"]);
    }
}

/// Files redirected by a shell can be read: `--labels <(command)`, `--image /dev/stdin`.
#[cfg(unix)]
#[test]
fn pipes_of_the_shell_are_read() {
    let (model, image, labels) = (path("digits_f32.tflite"), path("samples/7.png"), path("labels.txt"));
    let command = format!(
        "cat '{labels}' | '{}' run '{model}' --image '{image}' --labels /dev/stdin --top 1",
        env!("CARGO_BIN_EXE_arenite")
    );
    let output = Command::new("sh").arg("-c").arg(&command).output().unwrap();
    assert!(stdout(&output).contains("7"), "{}{}", stdout(&output), stderr(&output));
    let command =
        format!("cat '{image}' | '{}' run '{model}' --image /dev/stdin", env!("CARGO_BIN_EXE_arenite"));
    let output = Command::new("sh").arg("-c").arg(&command).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}
