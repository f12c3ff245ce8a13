//! Recurrent layers, whose states are variables that no other node reads.

use arenite::ElementType::{self, F32, I8, I16, I32};
use arenite_abi::schema::{SVDFOptions, UnidirectionalSequenceLSTMOptions, activation};
use arenite_model::writer::{Tensor, bytes_of};

use super::{Entry, NONE, REAL, SIGNED, entry};
use crate::differential::graph::Form::{self, Hybrid};
use crate::differential::graph::{Kind, Quant, Rule};
use crate::differential::net::{Net, Value};
use crate::options::Attributes;

const LSTM: &str = "UNIDIRECTIONAL_SEQUENCE_LSTM";

pub const OPS: &[Entry] =
    &[entry("SVDF", &[REAL, SIGNED], NONE, svdf), entry(LSTM, &[REAL, SIGNED], &[Hybrid(I8)], lstm)];

/// Those inputs of a node that its op updates in place.
pub fn states<'a>(op: &str, inputs: &'a [i32]) -> &'a [i32] {
    let places = match op {
        "SVDF" => 4..5,
        LSTM => 18..20,
        _ => 0..0,
    };
    inputs.get(places).unwrap_or(&[])
}

/// A variable that only one node knows.
fn state(net: &mut Net, ty: ElementType, shape: &[i32], quant: Option<Quant>) -> i32 {
    let tensor = Tensor::new("", ty as i32, shape).variable();
    let tensor = match quant {
        Some(Quant { scale, zero_point }) => tensor.quantized(scale, zero_point),
        None => tensor,
    };
    net.model().subgraphs[0].tensor(tensor)
}

/// A constant of quantized numbers with this scale, or of floats between −1 and 1.
fn weights(net: &mut Net, ty: ElementType, shape: &[i32], scale: f32) -> i32 {
    let data = net.elements(ty, shape.iter().product::<i32>() as usize);
    let quant = (ty != F32).then_some(Quant { scale, zero_point: 0 });
    net.constant((ty, shape.to_vec(), quant), data).index
}

/// Weights that make outputs of `cells`, which are between -1 and 1, no larger. Larger outputs would multiply
/// differences in each time step.
fn projection(net: &mut Net, ty: ElementType, [outputs, cells]: [i32; 2]) -> i32 {
    if ty != F32 {
        return weights(net, ty, &[outputs, cells], 0.006);
    }
    let data = net.elements(F32, (outputs * cells) as usize);
    let scale = 1.0 / (cells as u32).next_power_of_two() as f32;
    let scaled = data.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes) * scale);
    let data = bytes_of(&scaled.collect::<Vec<_>>());
    net.constant((F32, vec![outputs, cells], None), data).index
}

/// A bias, and for bytes of such a size that it matters.
fn bias(net: &mut Net, ty: ElementType, count: i32) -> i32 {
    if ty == F32 {
        return weights(net, F32, &[count], 1.0);
    }
    let numbers: Vec<i32> = (0..count).map(|_| net.random.between(-9000, 9000)).collect();
    net.constant((I32, vec![count], None), bytes_of(&numbers)).index
}

/// A tensor of this rank with elements; of bytes, with a scale.
fn input(net: &mut Net, kind: Kind, rank: usize) -> Option<Value> {
    let ty = kind.form.ty();
    let fits = |shape: &[i32]| shape.len() == rank && shape.iter().product::<i32>() > 0;
    let x = net.fitting(ty, fits, |net| net.shape(rank));
    (x.shape.iter().product::<i32>() > 0 && (ty == F32 || x.quant.is_some())).then_some(x)
}

fn svdf(net: &mut Net, kind: Kind) -> Option<()> {
    let x = input(net, kind, 2)?;
    let (batches, depth) = (x.shape[0], x.shape[1]);
    let (rank, units) = (net.random.pick(&[1, 1, 2, 3]), net.size());
    let (filters, memory) = (rank * units, net.random.pick(&[1, 2, 5, 8, 10, 17, 33]));
    let work = i64::from(batches * filters) * i64::from(depth + memory);
    if work > net.sizes.work[0] {
        return None;
    }
    let (is_real, scale) = (x.ty == F32, x.quant.map_or(1.0, |q| q.scale));
    let of_state = scale * 0.01 * net.random.pick(&[0.3, 1.0, 3.0]);
    let (narrow, wide) = if is_real { (F32, F32) } else { (I8, I16) };
    let features = weights(net, narrow, &[filters, depth], 0.01);
    let time = weights(net, wide, &[filters, memory], 1e-4);
    let bias = if net.random.chance(60) { bias(net, x.ty, units) } else { -1 };
    let meaning = (!is_real).then_some(Quant { scale: of_state, zero_point: 0 });
    let state = state(net, wide, &[batches, filters * memory], meaning);
    let fused = match is_real {
        true => net.random.pick(&[activation::NONE, activation::RELU, activation::RELU6]),
        false => activation::RELU,
    };
    let options =
        Attributes::of(|o| o.set(SVDFOptions::RANK, rank).set(SVDFOptions::FUSED_ACTIVATION_FUNCTION, fused));
    let step = of_state * 1e-4 * 20_000.0 * ((memory * rank) as f32).sqrt();
    let quant = (!is_real).then(|| Quant { scale: step, zero_point: net.random.between(-128, 127).into() });
    let rule = match is_real {
        true => Rule::Memory { depth: depth as usize, terms: (memory * rank) as usize },
        false => Rule::Integers,
    };
    let inputs = [x.index, features, time, bias, state];
    net.node(kind, &inputs, vec![(x.ty, vec![batches, units], quant)], Some(options), rule);
    Some(())
}

/// The tensors and options of an LSTM layer.
struct Layer {
    /// Of inputs and weights.
    types: [ElementType; 2],
    inputs: i32,
    cells: i32,
    outputs: i32,
    has_input_gate: bool,
    has_projection: bool,
}

impl Layer {
    /// The weights and biases: inputs 1 to 17.
    fn weights(&self, net: &mut Net) -> Vec<i32> {
        let Layer { types: [ty, of_weights], inputs, cells, outputs, .. } = *self;
        let gates = |gate: usize| gate > 0 || self.has_input_gate;
        let of = |net: &mut Net, columns: i32, gate: usize| match gates(gate) {
            true => weights(net, of_weights, &[cells, columns], 0.006),
            false => -1,
        };
        let mut list: Vec<i32> = (0..4).map(|gate| of(net, inputs, gate)).collect();
        list.extend((0..4).map(|gate| of(net, outputs, gate)));
        list.extend([-1; 3]);
        list.extend((0..4).map(|gate| if gates(gate) { bias(net, ty, cells) } else { -1 }));
        let has_bias = self.has_projection && net.random.chance(50);
        list.push(if self.has_projection { projection(net, of_weights, [outputs, cells]) } else { -1 });
        list.push(if has_bias { bias(net, ty, outputs) } else { -1 });
        list
    }
}

fn lstm(net: &mut Net, kind: Kind) -> Option<()> {
    let x = input(net, kind, 3)?;
    let is_time_major = net.random.chance(40);
    let (times, batches) = if is_time_major { (x.shape[0], x.shape[1]) } else { (x.shape[1], x.shape[0]) };
    let is_real = x.ty == F32;
    let has_projection = is_real && net.random.chance(20);
    let cells = net.size();
    let outputs = if has_projection { net.size() } else { cells };
    let layer = Layer {
        types: [x.ty, if kind.form == REAL { F32 } else { I8 }],
        inputs: x.shape[2],
        cells,
        outputs,
        has_input_gate: net.random.chance(75),
        has_projection,
    };
    let work = i64::from(times * batches * cells) * i64::from(4 * (layer.inputs + outputs));
    if work > 4 * net.sizes.work[0] {
        return None;
    }
    let quant =
        (!is_real).then(|| Quant { scale: 1.0 / 128.0, zero_point: net.random.between(-20, 20).into() });
    let mut inputs = vec![x.index];
    inputs.extend(layer.weights(net));
    inputs.push(state(net, x.ty, &[batches, outputs], quant));
    let cell = Quant { scale: 0.5f32.powi(net.random.between(9, 15)), zero_point: 0 };
    let of_cell = if is_real { (F32, None) } else { (I16, Some(cell)) };
    inputs.push(state(net, of_cell.0, &[batches, cells], of_cell.1));
    if net.random.chance(50) {
        inputs.extend([-1; 4]);
    }
    let clip = net.random.pick(&[0.0, 0.0, 0.4]);
    let options = Attributes::of(|o| {
        o.set(UnidirectionalSequenceLSTMOptions::FUSED_ACTIVATION_FUNCTION, activation::TANH)
            .set(UnidirectionalSequenceLSTMOptions::CELL_CLIP, clip)
            .set(UnidirectionalSequenceLSTMOptions::PROJ_CLIP, clip)
            .set(UnidirectionalSequenceLSTMOptions::TIME_MAJOR, is_time_major)
    });
    let rule = match kind.form {
        Form::Of(F32) => Rule::Lstm { times: times as usize, depth: (layer.inputs + outputs) as usize },
        Hybrid(_) => Rule::Hybrid,
        _ => Rule::Integers,
    };
    let result = (x.ty, vec![x.shape[0], x.shape[1], outputs], quant);
    net.node(kind, &inputs, vec![result], Some(options), rule);
    if !is_real {
        intermediates(net, quant);
    }
    Some(())
}

/// The five tensors that only have scales: four for the gates, which only a layer norm needs, and one for the outputs
/// before the projection.
fn intermediates(net: &mut Net, quant: Option<Quant>) {
    let main = &mut net.model().subgraphs[0];
    let Quant { scale, zero_point } = quant.unwrap_or(Quant { scale: 1.0, zero_point: 0 });
    let tensors: Vec<i32> = (0..5)
        .map(|i| {
            let tensor = Tensor::new("", if i < 4 { I16 } else { I8 } as i32, &[]);
            main.tensor(if i < 4 { tensor.quantized(1.0, 0) } else { tensor.quantized(scale, zero_point) })
        })
        .collect();
    if let Some(node) = main.operators.last_mut() {
        node.intermediates = tensors;
    }
}
