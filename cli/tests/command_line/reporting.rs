//! `report`: the page, its data, and its behaviour in a browser.

use std::path::Path;
use std::process::Command;

use arenite_abi::schema::{IfOptions, LessOptions, OptionsTable};
use arenite_model::tensor_type::{BOOL, FLOAT32};
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor};
use serde_json::Value;

use crate::{fail, json, path, succeed};

/// A network of `nodes` nodes: blocks of a chain with a skip around it.
fn network(nodes: usize, name: impl Fn(usize) -> String) -> Vec<u8> {
    let (mut model, mut graph) = (ModelBuilder::new(), SubGraph::new("main"));
    let ops = ["ABS", "NEG", "SIN"].map(|op| model.builtin(op, 1));
    let add = model.builtin("ADD", 1);
    let mut last = graph.input(Tensor::new("x", FLOAT32, &[1, 8]));
    let mut skip = last;
    for i in 0..nodes {
        let tensor = Tensor::new(&name(i), FLOAT32, &[1, 8]);
        let output = if i + 1 == nodes { graph.output(tensor) } else { graph.tensor(tensor) };
        let operator = match i % 5 {
            4 => Operator::new(add, &[last, skip], &[output]).options(11, |options| options),
            k => Operator::new(ops[k % 3], &[last], &[output]),
        };
        graph.operator(operator);
        if i % 5 == 4 {
            skip = output;
        }
        last = output;
    }
    model.subgraph(graph);
    model.finish()
}

/// The JSON inside the page.
fn data(page: &Path) -> Value {
    let page = std::fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn the_page_has_the_nodes_the_plan_the_times_and_the_differences() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("report.html");
    let text = succeed(&["report", &path("digits_i8.tflite"), "-o", page.to_str().unwrap(), "--runs", "2"]);
    assert!(text.contains("report.html") && text.contains("15 nodes") && text.contains("2 runs"), "{text}");
    let data = data(&page);
    let main = &data["subgraphs"][0];
    assert_eq!(
        (main["nodes"].as_array().unwrap().len(), main["tensors"].as_array().unwrap().len()),
        (15, 35)
    );
    assert_eq!(main["nodes"][0]["op"], "CONV_2D");
    let facts = &main["nodes"][0]["facts"];
    assert!(
        facts["options"].as_array().unwrap().iter().any(|option| option["name"] == "stride_w"),
        "{facts}"
    );
    assert!(facts["macs"].as_u64() > Some(0) && facts["weight_bytes"].as_u64() > Some(0), "{facts}");
    // 15 nodes, an input and an output.
    assert_eq!(main["layout"]["vertices"].as_array().unwrap().len(), 17);
    let plan = &data["plans"][0];
    assert_eq!((&plan["planner"], &plan["in_use"]), (&"portfolio".into(), &true.into()));
    assert_eq!(plan["total"], data["memory"]["arena_bytes"]);
    assert_eq!(data["runs"]["count"], 2);
    let times = data["runs"]["nodes"].as_array().unwrap();
    let shares: f64 = times.iter().map(|row| row["percent"].as_f64().unwrap()).sum();
    assert!((shares - 100.0).abs() < 1e-6 && times.iter().any(|row| row["node"].is_u64()), "{times:?}");
    let output = &data["differences"]["outputs"][0];
    assert_eq!((&output["name"], &output["count"]), (&"probabilities".into(), &10.into()), "{output}");
    assert!(output["largest"].as_f64().unwrap() <= 1.0 / 256.0, "{output}");
    assert!(!data["differences"]["tensors"].as_array().unwrap().is_empty());
    let text = std::fs::read_to_string(&page).unwrap();
    for address in ["http://", "https://", "src=", "@import"] {
        assert!(!text.replace("http://www.w3.org/2000/svg", "").contains(address), "{address}");
    }
}

#[test]
fn all_planners_are_drawn_on_request() {
    let got = json(&["report", &path("digits_f32.tflite"), "--planner", "all", "--no-run", "--json"]);
    let plans = got["plans"].as_array().unwrap();
    assert!(plans.len() >= 10 && plans[0]["planner"] == "portfolio", "{plans:?}");
    assert_eq!(plans.iter().filter(|plan| plan["in_use"] == true).count(), 1);
    assert_eq!((&got["runs"], &got["differences"]), (&Value::Null, &Value::Null));
    assert_eq!(got["subgraphs"][0].get("layout"), None);
}

#[test]
fn names_in_the_model_cannot_end_the_script() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("{{data}}<b>.tflite");
    let hostile = "</script><script>alert(1)</script><!-- {{script}} \u{2028}\"'";
    std::fs::write(&model, network(5, |i| format!("{hostile}{i}"))).unwrap();
    let page = folder.path().join("report.html");
    succeed(&["report", model.to_str().unwrap(), "-o", page.to_str().unwrap(), "--no-run"]);
    let text = std::fs::read_to_string(&page).unwrap();
    assert_eq!(text.matches("</script>").count(), 2, "the data and the code");
    assert!(text.contains("<h1>{{data}}&lt;b&gt;</h1>"));
    assert_eq!(data(&page)["subgraphs"][0]["tensors"][5]["name"], format!("{hostile}4"));
    let plan = folder.path().join("plan.html");
    succeed(&["plan", model.to_str().unwrap(), "--html", plan.to_str().unwrap()]);
    assert_eq!(std::fs::read_to_string(&plan).unwrap().matches("</script>").count(), 2);
}

#[test]
fn what_cannot_be_prepared_is_reported_with_the_graph() {
    let (mut model, mut graph) = (ModelBuilder::new(), SubGraph::new("main"));
    let x = graph.input(Tensor::new("x", FLOAT32, &[4]));
    let y = graph.output(Tensor::new("y", FLOAT32, &[4]));
    let code = model.custom("Unheard", 1);
    graph.operator(Operator::new(code, &[x], &[y]));
    model.subgraph(graph);
    let folder = tempfile::tempdir().unwrap();
    let (file, page) = (folder.path().join("model.tflite"), folder.path().join("report.html"));
    std::fs::write(&file, model.finish()).unwrap();
    let arguments = ["report", file.to_str().unwrap(), "-o", page.to_str().unwrap()];
    fail(&arguments, 1, &["Unheard"]);
    fail(&["inspect", file.to_str().unwrap()], 1, &["op Unheard version 1 (FLOAT32) at node 0"]);
    let data = data(&page);
    assert_eq!(data["subgraphs"][0]["nodes"][0]["served_by"]["kind"], "unresolved");
    assert!(data["error"].as_str().unwrap().contains("Unheard"));
}

#[test]
fn mistakes_are_named() {
    let model = path("digits_i8.tflite");
    fail(&["report", &model], 2, &["--output"]);
    fail(&["report", &model, "-o", "/no/such/folder/report.html"], 1, &["/no/such/folder/report.html"]);
    fail(&["report", &model, "-o", "x.html", "--runs", "0"], 2, &["--runs"]);
    fail(&["report", "none.tflite", "-o", "x.html"], 1, &["none.tflite"]);
}

/// A large page opens without errors. Skipped without Chromium.
#[test]
fn a_browser_shows_a_thousand_nodes_without_errors() {
    let folder = tempfile::tempdir().unwrap();
    let (file, page) = (folder.path().join("large.tflite"), folder.path().join("report.html"));
    std::fs::write(&file, network(1000, |i| format!("block_{}/tensor_{i}", i / 5))).unwrap();
    succeed(&["report", file.to_str().unwrap(), "-o", page.to_str().unwrap(), "--runs", "1"]);
    assert_eq!(data(&page)["subgraphs"][0]["nodes"].as_array().unwrap().len(), 1000);
    let browser = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| {
        Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
    });
    let Some(browser) = browser else {
        println!("skipped: Chromium is not installed");
        return;
    };
    let profile = format!("--user-data-dir={}", folder.path().join("profile").display());
    let address = format!("file://{}#nodes", page.display());
    let arguments = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--enable-logging=stderr",
        "--dump-dom",
        &profile,
        &address,
    ];
    let output = Command::new(browser).args(arguments).output().unwrap();
    let (shown, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && !log.contains("CONSOLE"), "{log}");
    // The table shows the first 500 rows, and a button for the others.
    assert!(shown.contains("block_0/tensor_0") && shown.contains("Show 500 more rows"), "{log}");
}

/// `x < 0 ? -x : |x|`
fn branches() -> Vec<u8> {
    let mut model = ModelBuilder::new();
    let (less, branch) = (model.builtin("LESS", 1), model.builtin("IF", 1));
    let float = |name: &str| Tensor::new(name, FLOAT32, &[]);
    let zero = model.buffer(vec![0; 4]);
    let mut main = SubGraph::new("main");
    let (x, zero) = (main.input(float("x")), main.tensor(float("zero").buffer(zero)));
    let condition = main.tensor(Tensor::new("condition", BOOL, &[]));
    let y = main.output(float("y"));
    main.operator(Operator::new(less, &[x, zero], &[condition]).options(LessOptions::INFO.tag as u8, |o| o));
    let tag = IfOptions::INFO.tag as u8;
    main.operator(Operator::new(branch, &[condition, x], &[y]).options(tag, |o| o.i32(0, 1).i32(1, 2)));
    model.subgraph(main);
    for op in ["NEG", "ABS"] {
        let (code, mut graph) = (model.builtin(op, 1), SubGraph::new(op));
        let (x, y) = (graph.input(float("x")), graph.output(float("y")));
        graph.operator(Operator::new(code, &[x], &[y]));
        model.subgraph(graph);
    }
    model.finish()
}

#[test]
fn called_subgraphs_say_what_runs_each_node() {
    let folder = tempfile::tempdir().unwrap();
    let (model, page) = (folder.path().join("if.tflite"), folder.path().join("report.html"));
    std::fs::write(&model, branches()).unwrap();
    succeed(&["report", model.to_str().unwrap(), "-o", page.to_str().unwrap(), "--runs", "1"]);
    let data = data(&page);
    for (subgraph, op) in [(1, "NEG"), (2, "ABS")] {
        let node = &data["subgraphs"][subgraph]["nodes"][0];
        assert_eq!(node["op"], op);
        assert!(["delegate", "plugin"].contains(&node["served_by"]["kind"].as_str().unwrap()), "{node}");
    }
    let excluding = folder.path().join("arenite.toml");
    std::fs::write(&excluding, "schema = 1\n[[delegate]]\nuse = \"cpu\"\nexclude_ops = [\"NEG\"]\n").unwrap();
    let config = excluding.to_str().unwrap();
    let got = json(&["report", model.to_str().unwrap(), "--json", "--config", config, "--runs", "1"]);
    let refusals = &got["subgraphs"][1]["nodes"][0]["refusals"];
    assert_eq!(refusals[0]["reason"], "NEG is in exclude_ops", "{refusals}");
}
