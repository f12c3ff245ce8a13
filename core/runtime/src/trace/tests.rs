use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

fn json_text(trace: &ChromeTrace) -> String {
    let mut text = Vec::new();
    trace.write_to(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn parse(trace: &ChromeTrace) -> Value {
    let text = json_text(trace);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn event(name: &str) -> TraceEvent<'_> {
    let (start, duration) = (Duration::from_nanos(1_234_567), Duration::from_nanos(89));
    TraceEvent { name, category: "node", start, duration, thread: 3, args: &[] }
}

#[test]
fn an_empty_trace() {
    let trace = ChromeTrace::with_capacity(0);
    let expected = json!({"displayTimeUnit": "ms", "traceEvents": [], "otherData": {"dropped_events": 0}});
    assert_eq!(parse(&trace), expected);
    assert!(trace.is_empty());
}

#[test]
fn every_field_is_there() {
    let mut trace = ChromeTrace::with_capacity(4096);
    trace.record(&event("ADD (node 1)"));
    let args = [
        ("plugin", TraceValue::Text("org.\"x\"")),
        ("bytes", TraceValue::Integer(i64::MIN)),
        ("gflops", TraceValue::Float(2.5e300)),
        ("ratio", TraceValue::Float(f64::NAN)),
        ("limit", TraceValue::Float(f64::NEG_INFINITY)),
    ];
    trace.record(&TraceEvent { thread: u64::MAX, args: &args, ..event("MUL") });
    let pid = std::process::id();
    let expected = json!([
        {"ph": "X", "name": "ADD (node 1)", "cat": "node", "ts": 1234.567, "dur": 0.089, "pid": pid, "tid": 3},
        {"ph": "X", "name": "MUL", "cat": "node", "ts": 1234.567, "dur": 0.089, "pid": pid, "tid": u64::MAX,
         "args": {"plugin": "org.\"x\"", "bytes": i64::MIN, "gflops": 2.5e300, "ratio": "NaN", "limit": "-inf"}},
    ]);
    assert_eq!(parse(&trace)["traceEvents"], expected);
    assert_eq!((trace.len(), trace.dropped()), (2, 0));
}

#[test]
fn the_longest_times_are_numbers() {
    let mut trace = ChromeTrace::with_capacity(4096);
    trace.record(&TraceEvent { start: Duration::MAX, duration: Duration::ZERO, ..event("x") });
    let events = &parse(&trace)["traceEvents"];
    assert!(events[0]["ts"].as_f64().unwrap() > 1e25);
    assert_eq!(events[0]["dur"], json!(0.0));
}

#[test]
fn a_full_buffer_drops_whole_events() {
    for capacity in 0..700 {
        let mut trace = ChromeTrace::with_capacity(capacity);
        let address = trace.text.as_ptr();
        for name in ["a", "b", "\u{1}\u{1}\u{1}\u{1}", "d", "e"] {
            trace.record(&event(name));
        }
        let file = parse(&trace);
        let held = file["traceEvents"].as_array().unwrap().len();
        assert_eq!((held, held + trace.dropped()), (trace.len(), 5));
        assert_eq!(file["otherData"]["dropped_events"], json!(trace.dropped()));
        assert_eq!(trace.text.as_ptr(), address, "the buffer has moved");
        trace.clear();
        assert_eq!((trace.len(), trace.dropped()), (0, 0));
    }
    let mut trace = ChromeTrace::with_capacity(700);
    (0..5).for_each(|_| trace.record(&event("a")));
    assert_eq!(trace.len(), 5);
}

#[test]
fn an_error_of_the_writer_is_returned() {
    let mut small = [0u8; 10];
    let error = ChromeTrace::with_capacity(10).write_to(&mut small.as_mut_slice()).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::WriteZero);
}

proptest! {
    #[test]
    fn any_text_comes_back(name in any::<String>(), key in any::<String>(), text in "[\\x00-\\x7f]{0,40}", x: f64) {
        let mut trace = ChromeTrace::with_capacity(1 << 16);
        let args = [(key.as_str(), TraceValue::Text(&text))];
        trace.record(&TraceEvent { args: &args, ..event(&name) });
        trace.record(&TraceEvent { args: &[("x", TraceValue::Float(x))], ..event(&name) });
        let events = parse(&trace)["traceEvents"].clone();
        prop_assert_eq!(&events[0]["name"], &json!(name));
        prop_assert_eq!(&events[0]["args"][&key], &json!(text));
        if x.is_finite() {
            // serde_json rounds some digits differently; the standard library's parser is exact.
            let written = json_text(&trace);
            let (_, number) = written.rsplit_once("\"x\":").unwrap();
            let number = &number[..number.find('}').unwrap()];
            prop_assert_eq!(number.trim().parse::<f64>(), Ok(x));
        }
    }
}
