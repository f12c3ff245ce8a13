//! Problems with the results of TFLite's own code, from `../shared/planner` or `ARENITE_SHARED`.

mod strategies;

use std::path::{Path, PathBuf};

use arenite_abi::UsageRecord;
use arenite_planners::exact::Limits;
use arenite_planners::{micro_greedy, portfolio};
use serde_json::Value;
use strategies::{Answer, STRATEGIES, total};

/// Our names, and the reference's.
const NAMES: [(&str, &str); 8] = [
    ("naive", "naive"),
    ("equality", "equality"),
    ("greedy-in-order", "greedy_in_order"),
    ("greedy-by-breadth", "greedy_by_breadth"),
    ("greedy-by-size", "greedy_by_size"),
    ("greedy-best", "greedy_best"),
    ("min-cost-flow", "mincostflow"),
    ("greedy-by-size-offsets", "offsets_greedy_by_size"),
];

/// The lines of a file of problems. Prints a note and returns `None` if the file does not exist.
fn problems(file: &str) -> Option<(PathBuf, Vec<Value>)> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let folder = std::env::var_os("ARENITE_SHARED").map_or(default, PathBuf::from).join("planner");
    let Ok(list) = std::fs::read_to_string(folder.join(file)) else {
        println!(
            "skipped: {} does not exist; set ARENITE_SHARED to the corpora",
            folder.join(file).display()
        );
        return None;
    };
    let parse = |line| serde_json::from_str(line).expect("a JSON object");
    Some((folder, list.lines().map(parse).collect()))
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().expect("numbers").iter().map(number).collect()
}

fn record(size: u64, first: u64, last: u64) -> UsageRecord {
    UsageRecord { alignment: 1, ..UsageRecord::new(size, first as u32, last as u32) }
}

/// Every strategy gives the reference's ids and sizes, or offsets, and the same total.
fn check(problem: &str, records: &[UsageRecord], expect: &Value) {
    for (name, reference) in NAMES {
        let (_, answer) = STRATEGIES.iter().find(|(other, _)| *other == name).expect("a strategy");
        let expect = &expect[reference];
        match answer {
            Answer::Objects(assign) => {
                let objects = assign(records).expect("good records");
                let ids: Vec<u64> = objects.ids.iter().map(|&id| id.into()).collect();
                assert_eq!(ids, numbers(&expect["object_ids"]), "{problem}: ids of {name}");
                assert_eq!(objects.sizes, numbers(&expect["object_sizes"]), "{problem}: sizes of {name}");
            }
            Answer::Offsets(_) => {
                assert_eq!(
                    answer.offsets(records),
                    numbers(&expect["offsets"]),
                    "{problem}: offsets of {name}"
                );
            }
        }
        assert_eq!(total(records, &answer.offsets(records)), number(&expect["total"]), "{problem}: {name}");
    }
    let [greedy, few] =
        [micro_greedy::place, micro_greedy::place_few].map(|f| Answer::Offsets(f).offsets(records));
    assert_eq!(greedy, few, "{problem}");
}

#[test]
fn results_on_random_problems_match_tflite() {
    let Some((_, problems)) = problems("random.jsonl") else { return };
    for (i, problem) in problems.iter().enumerate() {
        let fields =
            |r: &Value| record(number(&r["size"]), number(&r["first_task"]), number(&r["last_task"]));
        let records: Vec<UsageRecord> =
            problem["records"].as_array().expect("records").iter().map(fields).collect();
        check(&format!("problem {i}"), &records, &problem["expect"]);
    }
}

/// Also, each strategy needs at least the lower bound, and strategies without reuse need the sum. `portfolio` reaches
/// the bound wherever any of them does.
#[test]
fn results_on_models_match_tflite() {
    let Some((folder, models)) = problems("models.jsonl") else {
        return;
    };
    for model in &models {
        let name = model["model"].as_str().expect("a name");
        let csv = std::fs::read_to_string(folder.join(format!("models/{name}.csv"))).expect("its records");
        let records: Vec<UsageRecord> = csv.lines().skip(1).map(line).collect();
        check(name, &records, &model["expect"]);
        let (bound, sum) = (number(&model["lower_bound_bytes"]), number(&model["naive_bytes"]));
        print!("{name}: bound {bound}");
        let mut least = sum;
        let portfolio = portfolio::solve(&records, &Limits::default()).expect("good records");
        for (strategy, answer) in STRATEGIES {
            let total = total(&records, &answer.offsets(&records));
            print!(", {strategy} {total}");
            assert!(bound <= total && total <= sum, "{name}, {strategy}: {bound} <= {total} <= {sum}");
            assert!(total == sum || !matches!(strategy, "linear" | "naive"), "{name}, {strategy}: {total}");
            least = least.min(total);
        }
        println!();
        assert_eq!(portfolio.total, total(&records, &portfolio.offsets), "{name}");
        assert!(
            portfolio.total <= least && portfolio.is_optimal() == (least == bound),
            "{name}: {portfolio:?}"
        );
    }
}

/// A line `id,lower,upper,size`, with an exclusive upper end.
fn line(line: &str) -> UsageRecord {
    let numbers = line.split(',').skip(1).map(|field| field.trim().parse().expect("a number"));
    let [lower, upper, size] = numbers.collect::<Vec<u64>>()[..] else { panic!("four fields: {line}") };
    record(size, lower, upper - 1)
}
