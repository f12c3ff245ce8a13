//! Draws a graph from a seed: nodes from the tables, shapes of the second invocation, and defects.

use arenite::ElementType::{self, Bool, F32, I8, I16, I32, I64, U8};

use super::call::Call;
use super::graph::{CPU, Form, Graph, Kind, Setting};
use super::net::{Net, Sizes};
use super::ops::phrases::PHRASES;
use super::ops::{Entry, FAMILIES};
use super::random::Random;
use super::spoil::spoil;
use super::variables;

/// The graph of a seed.
pub fn draw(seed: u64) -> Graph {
    draw_by(seed, Random::new(seed))
}

/// The graph that these numbers determine; `seed` determines the data of its inputs.
pub fn draw_by(seed: u64, random: Random) -> Graph {
    let mut net = Net::new(seed, random, Sizes::SMALL);
    let nodes = net.random.between(1, 8) as usize;
    let mut favourite = net.random.pick(&[F32, F32, F32, F32, I8, I8, I8, U8, U8, I32, I64, Bool, I16]);
    for _ in 0..60 {
        if net.len() >= nodes {
            break;
        }
        if net.random.chance(3) {
            let phrase = net.random.pick(PHRASES);
            phrase(&mut net);
            continue;
        }
        if net.random.chance(50) {
            net.repeat();
        }
        if let Some((kind, draw)) = choose(&mut net, favourite)
            && draw(&mut net, kind).is_some()
            && let Form::To(_, to) = kind.form
        {
            favourite = to;
        }
    }
    let mut random = net.random.clone();
    let mut graph = net.finish();
    if random.chance(20) {
        variables::add(&mut graph, &mut random);
    }
    resize(&mut graph, &mut random);
    if random.chance(12) {
        spoil(&mut graph, &mut random);
    }
    graph
}

/// A graph of one node that the delegate claims, or of the nodes that one call of [`Draw`](super::ops::Draw) adds, with
/// the shapes of real layers. `None` if the seed gives none.
pub fn draw_node(seed: u64) -> Option<Graph> {
    let mut net = Net::new(seed, Random::new(seed), Sizes::REAL);
    let entries: Vec<&Entry> = FAMILIES.iter().copied().flatten().collect();
    let entry = net.random.pick(&entries);
    if entry.claimed.is_empty() {
        return None;
    }
    let form = net.random.pick(entry.claimed);
    (entry.draw)(&mut net, Kind { op: entry.op, form })?;
    Some(net.finish())
}

/// An op on elements that mostly have the preferred type.
fn choose(net: &mut Net, favourite: ElementType) -> Option<(Kind, super::ops::Draw)> {
    let entries: Vec<&Entry> = FAMILIES.iter().copied().flatten().collect();
    let entry = net.random.pick(&entries);
    let forms = if net.random.chance(93) { entry.claimed } else { entry.left };
    if forms.is_empty() {
        return None;
    }
    let of_type: Vec<Form> = forms.iter().copied().filter(|form| form.ty() == favourite).collect();
    let form = match of_type.is_empty() {
        false => net.random.pick(&of_type),
        true if net.random.chance(20) => net.random.pick(forms),
        true => return None,
    };
    Some((Kind { op: entry.op, form }, entry.draw))
}

/// Another shape for one input in the second invocation: mostly another number of images or rows.
fn resize(graph: &mut Graph, random: &mut Random) {
    let main = &graph.model.subgraphs[0];
    let mut inputs = main.inputs.clone();
    // A variable keeps its shape, so most graphs with a variable refuse another shape.
    inputs.retain(|&input| !main.tensors[input as usize].is_variable);
    let chance = if variables::any(graph) { 10 } else { 35 };
    if inputs.is_empty() || !random.chance(chance) {
        return;
    }
    let input = random.pick(&inputs);
    let mut shape = graph.model.subgraphs[0].tensors[input as usize].shape.clone();
    if shape.is_empty() {
        return;
    }
    let at = if random.chance(70) { 0 } else { random.below(shape.len()) };
    shape[at] = random.pick(&[1, 2, 3, 4, 5, 7, 9, 16, 0]);
    if shape.iter().product::<i32>() < 2000 {
        graph.resizes.insert(input, shape);
    }
}

/// The settings of the graph with this seed, unless the caller overrides them.
pub fn setting(seed: u64) -> Setting {
    let mut random = Random::new(!seed);
    let names: &[&str] = match cfg!(target_arch = "aarch64") {
        true => &["scalar", "neon", "neondot", "neoni8mm"],
        false => &["scalar", "avx2", "avx512", "avx512vnni", "amx"],
    };
    let isa = Some(random.pick(names).to_owned());
    let delegate = CPU.to_owned();
    let (threads, winograd) = (random.pick(&[1, 1, 2, 3]), random.chance(50));
    let call = random.pick(&[Call::Main, Call::Main, Call::Main, Call::Main, Call::Composite, Call::If]);
    Setting { delegate, isa, threads, winograd, call }
}
