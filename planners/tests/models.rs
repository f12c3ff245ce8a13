//! Plans for the usage records of real models, if the checkout has them in `../shared/planner`.

use std::path::Path;

use arenite_abi::UsageRecord;
use arenite_planners::{arena, naive};

#[test]
fn models_lie_between_lower_bound_and_sum() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/planner");
    let Ok(list) = std::fs::read_to_string(folder.join("models.jsonl")) else {
        println!("skipped: {} is not there", folder.display());
        return;
    };
    for line in list.lines() {
        let model: serde_json::Value = serde_json::from_str(line).expect("a JSON object");
        let name = model["model"].as_str().expect("a name");
        let csv = std::fs::read_to_string(folder.join(format!("models/{name}.csv"))).expect("its records");
        let records: Vec<UsageRecord> = csv.lines().skip(1).map(record).collect();
        let total = |place: fn(&[UsageRecord], &mut [u64]) -> arenite_abi::Result<()>| {
            let mut offsets = vec![0; records.len()];
            place(&records, &mut offsets).expect("good records");
            records.iter().zip(&offsets).map(|(record, offset)| offset + record.size).max().unwrap_or(0)
        };
        let known = |key: &str| model[key].as_u64().expect("a number");
        let (bound, sum, arena) = (known("lower_bound_bytes"), known("naive_bytes"), total(arena::place));
        println!("{name}: lower bound {bound}, arena {arena}, naive {sum}");
        assert_eq!(total(naive::place), sum, "{name}");
        assert!(bound <= arena && arena <= sum, "{name}: {bound} <= {arena} <= {sum}");
    }
}

/// A line `id,lower,upper,size`, the upper end exclusive.
fn record(line: &str) -> UsageRecord {
    let numbers = line.split(',').skip(1).map(|field| field.trim().parse().expect("a number"));
    let [lower, upper, size] = numbers.collect::<Vec<u64>>()[..] else { panic!("four fields: {line}") };
    UsageRecord { alignment: 1, ..UsageRecord::new(size, lower as u32, upper as u32 - 1) }
}
