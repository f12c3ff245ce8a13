//! Every instruction set of the machine, one to three threads: the CPU delegate chooses the tokens of the reference
//! ops, and its logits differ by at most 10⁻⁵ of the largest logit. They have the same bits for any number of threads.
//!
//! Networks are the tiny one and, if they exist, the four in `ARENITE_SHARED` or `../shared`. Networks of floats choose
//! 20 tokens after a prompt, or `ARENITE_TOKENS`: `ARENITE_TOKENS=80 cargo test -p arenite-language levels`.
//!
//! With weights of 8 bits, activations are rounded to bytes. If a sum of floats is close to a half, another order of
//! its terms can round it to the other neighbour, and later logits differ by some hundredths. In these networks that
//! happens at position 20: a product reads −22.500004 steps with the reference ops, and −22.49999 with the delegate.
//! So they are compared at earlier positions.

use std::collections::HashSet;

use arenite::config::DelegateConfig;
use arenite::{FactValue, Interpreter, Model};
use arenite_language::Session;

use crate::shared;
use crate::tiny::{self, Form};

const ISAS: [&str; 9] =
    ["scalar", "avx2", "avxvnni", "avx512", "avx512vnni", "amx", "neon", "neondot", "neoni8mm"];
const THREADS: [usize; 3] = [1, 2, 3];
/// The permitted difference, as a part of the largest logit.
const BOUND: f32 = 1e-5;
/// Tokens that are chosen after the prompt, unless `ARENITE_TOKENS` is set.
const TOKENS: usize = 20;
/// Positions at which all activations are rounded alike.
const ALIKE: usize = 20;

/// The tokens that follow a prompt by greedy choice, with the logits of each.
struct Reached {
    tokens: Vec<u32>,
    logits: Vec<Vec<f32>>,
}

/// Appends the prompt in prefills, then the tokens that it chooses, one at a time.
fn reach(session: &mut Session, prompt: &[u32], count: usize) -> Reached {
    let mut reached = Reached { tokens: Vec::new(), logits: Vec::new() };
    session.append(prompt).expect("the prompt fits");
    for _ in 0..count {
        let logits = session.logits().expect("tokens were given").to_vec();
        let token = crate::greedy().choose(&logits).expect("they are numbers");
        session.append(&[token]).expect("there is room");
        reached.tokens.push(token);
        reached.logits.push(logits);
    }
    reached
}

fn reference(model: &Model) -> Session {
    let builder = Interpreter::builder(model).without_default_delegate().threads(1);
    Session::new(builder.build().expect("its ops are known")).expect("it is a language model")
}

/// With the instructions up to a level, or all that are allowed.
fn delegated(model: &Model, isa: Option<&str>, threads: usize) -> Session {
    let mut delegate = DelegateConfig::new("cpu");
    delegate.options = isa.map(|isa| ("isa".into(), isa.into())).into_iter().collect();
    let builder = Interpreter::builder(model).delegate(delegate).threads(threads);
    Session::new(builder.build().expect("its ops are known")).expect("it is a language model")
}

/// The instruction set that the delegate's partitions report.
fn instructions(session: &Session) -> Option<String> {
    let facts = session.interpreter().facts().into_iter().flat_map(|partition| partition.facts);
    facts.filter(|fact| fact.key == "instruction set").find_map(|fact| match fact.value {
        FactValue::Text(set) => Some(set),
        FactValue::Number(..) => None,
    })
}

fn expect_close(what: &str, got: &Reached, want: &Reached) {
    assert_eq!(got.tokens, want.tokens, "{what}");
    for (step, (got, want)) in got.logits.iter().zip(&want.logits).enumerate() {
        let largest = want.iter().fold(0f32, |largest, x| largest.max(x.abs()));
        assert!(largest > 0.0, "{what}: all logits are 0");
        let far = got.iter().zip(want).position(|(got, want)| (got - want).abs() > BOUND * largest);
        assert_eq!(far.map(|i| (i, got[i], want[i])), None, "{what}, after {step} tokens");
    }
}

/// Compares the delegate with the reference ops at each level that the machine has, from plain code to all that
/// `ARENITE_ISA` allows.
fn expect_levels(name: &str, model: &Model, prompt: &[u32], count: usize) {
    let want = reach(&mut reference(model), prompt, count);
    let mut seen = HashSet::new();
    for isa in ISAS {
        let mut first: Option<Reached> = None;
        for threads in THREADS {
            let what = format!("{name}, {isa}, {threads} threads");
            let mut session = delegated(model, Some(isa), threads);
            session.prepare(prompt.len()).expect("it can be prepared");
            let set = instructions(&session).expect("the delegate claims a part");
            if threads == 1 && !seen.insert(set) {
                break; // As at an earlier level.
            }
            let got = reach(&mut session, prompt, count);
            match &first {
                None => expect_close(&what, &got, &want),
                Some(first) => assert_eq!(got.logits, first.logits, "{what}"),
            }
            first.get_or_insert(got);
        }
    }
    let mut session = delegated(model, None, 1);
    session.prepare(prompt.len()).expect("it can be prepared");
    let all = instructions(&session).expect("the delegate claims a part");
    assert!(seen.contains("scalar") && seen.contains(&all), "{name}: {seen:?}, without a level {all}");
}

#[test]
fn the_tiny_network_at_all_levels() {
    let masked = Form { mask: Some(12), ..Form::default() };
    for (name, form) in [
        ("floats", Form::default()),
        ("logits in prefills", Form { logits: true, ..Form::default() }),
        ("a mask", masked),
        ("bytes", Form { bytes: true, ..Form::default() }),
    ] {
        let model = Model::from_bytes(tiny::model(form)).expect("the model is valid");
        expect_levels(name, &model, &crate::IDS[..7], 5);
    }
}

#[test]
fn converted_networks_at_all_levels() {
    let count = std::env::var("ARENITE_TOKENS").ok();
    let count = count.map_or(TOKENS, |count| count.parse().expect("ARENITE_TOKENS is a number"));
    for network in shared::networks() {
        // Prefills of 32 and 8, or one of 8.
        let (prompt, count) = if network.name.ends_with("q8") { (8, ALIKE - 8) } else { (40, count) };
        let prompt = [&[1], &network.tokens[..prompt - 1]].concat();
        expect_levels(network.name, &network.model, &prompt, count);
    }
}
