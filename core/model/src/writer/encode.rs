//! Encodes models as flatbuffers. Slot numbers: tflite/converter/schema/schema.fbs.

use super::{
    Buffer, GroupPart, Level, ModelBuilder, Operator, OperatorCode, Options, Quantization, Signature,
    Sparsity, SubGraph, Tensor, Value,
};
use flatbuffers::{
    FlatBufferBuilder, TableFinishedWIPOffset, UnionWIPOffset, VOffsetT, WIPOffset,
    field_index_to_field_offset as slot,
};

type Writer = FlatBufferBuilder<'static>;
type Offset = WIPOffset<TableFinishedWIPOffset>;

/// Alignment of data after the flatbuffer and of constants inside it.
const ALIGNMENT: usize = 16;

/// Encodes a model twice: first to find the length of the flatbuffer, then with the offsets of data after it.
pub(super) fn model(model: &ModelBuilder) -> Vec<u8> {
    let start = flatbuffer(model, &mut Appendix::default()).len();
    let mut appendix = Appendix { start, bytes: Vec::new() };
    let mut file = flatbuffer(model, &mut appendix);
    file.extend_from_slice(&appendix.bytes);
    file
}

/// The data after the flatbuffer.
#[derive(Default)]
struct Appendix {
    start: usize,
    bytes: Vec<u8>,
}

impl Appendix {
    /// Adds data at the next aligned position and returns its range in the file.
    fn place(&mut self, data: &[u8]) -> (u64, u64) {
        let end = (self.start + self.bytes.len()).next_multiple_of(ALIGNMENT);
        self.bytes.resize(end - self.start, 0);
        self.bytes.extend_from_slice(data);
        (end as u64, data.len() as u64)
    }
}

/// The flatbuffer, with its length rounded up to a multiple of the alignment.
fn flatbuffer(model: &ModelBuilder, appendix: &mut Appendix) -> Vec<u8> {
    let mut fbb = FlatBufferBuilder::new();
    let buffers: Vec<_> = model.buffers.iter().map(|b| buffer(&mut fbb, b, appendix)).collect();
    let codes: Vec<_> = model.operator_codes.iter().map(|c| operator_code(&mut fbb, c)).collect();
    let graphs: Vec<_> = model.subgraphs.iter().map(|g| subgraph(&mut fbb, g, appendix)).collect();
    let metadata: Vec<_> = model.metadata.iter().map(|entry| name_and_index(&mut fbb, entry)).collect();
    let signatures: Vec<_> = model.signatures.iter().map(|s| signature(&mut fbb, s)).collect();
    let groups: Vec<_> = model.groups.iter().map(|name| group(&mut fbb, name)).collect();
    let parts: Vec<_> = model.parts.iter().map(|p| part(&mut fbb, p)).collect();
    let lists =
        [(1, codes), (2, graphs), (4, buffers), (6, metadata), (7, signatures), (8, groups), (9, parts)]
            .map(|(at, list)| (at, (!list.is_empty()).then(|| fbb.create_vector(&list))));
    let description = model.description.as_deref().map(|text| fbb.create_string(text));
    let root = table(&mut fbb, |fbb| {
        fbb.push_slot_always(slot(0), model.version);
        for (at, list) in lists {
            optional(fbb, at, list);
        }
        optional(fbb, 3, description);
    });
    fbb.finish(root, Some("TFL3"));
    pad_front(fbb.finished_data())
}

/// Flatbuffers aligns positions relative to the end. Padding after the header makes the length a multiple of the
/// alignment, and so aligns all positions relative to the start.
fn pad_front(bytes: &[u8]) -> Vec<u8> {
    let padding = bytes.len().next_multiple_of(ALIGNMENT) - bytes.len();
    let mut padded = bytes.to_vec();
    if let Some(root) = bytes.first_chunk::<4>() {
        let moved = u32::from_le_bytes(*root) + padding as u32;
        padded.splice(..4, moved.to_le_bytes());
        padded.splice(8..8, vec![0; padding]);
    }
    padded
}

fn table(fbb: &mut Writer, fields: impl FnOnce(&mut Writer)) -> Offset {
    let start = fbb.start_table();
    fields(fbb);
    fbb.end_table(start)
}

fn optional<T>(fbb: &mut Writer, at: VOffsetT, value: Option<WIPOffset<T>>) {
    if let Some(value) = value {
        fbb.push_slot_always(slot(at), value);
    }
}

/// A vector, omitted if it is empty.
fn list<T: flatbuffers::Push + Copy>(
    fbb: &mut Writer,
    values: &[T],
) -> Option<WIPOffset<flatbuffers::Vector<'static, T::Output>>> {
    (!values.is_empty()).then(|| fbb.create_vector(values))
}

/// A vector of bytes whose first byte is aligned.
fn aligned_bytes(fbb: &mut Writer, data: &[u8]) -> WIPOffset<flatbuffers::Vector<'static, u8>> {
    while !(fbb.unfinished_data().len() + data.len()).is_multiple_of(ALIGNMENT) {
        fbb.push(0u8);
    }
    fbb.create_vector(data)
}

/// Data inside the flatbuffer, or the offset and size of data after it.
type Placed = (Option<WIPOffset<flatbuffers::Vector<'static, u8>>>, u64, u64);

fn place(fbb: &mut Writer, data: &Buffer, appendix: &mut Appendix) -> Placed {
    match data {
        Buffer::None => (None, 0, 0),
        Buffer::Inline(data) => (Some(aligned_bytes(fbb, data)), 0, 0),
        Buffer::External(data) => {
            let (offset, size) = appendix.place(data);
            (None, offset, size)
        }
        Buffer::Range { offset, size } => (None, *offset, *size),
    }
}

/// Writes the range of external data, depending only on the kind of data, so that the length is the same in both
/// passes.
fn outside(fbb: &mut Writer, at: VOffsetT, data: &Buffer, offset: u64, size: u64) {
    if matches!(data, Buffer::External(_) | Buffer::Range { .. }) {
        fbb.push_slot_always(slot(at), offset);
        fbb.push_slot_always(slot(at + 1), size);
    }
}

fn buffer(fbb: &mut Writer, buffer: &Buffer, appendix: &mut Appendix) -> Offset {
    let (inline, offset, size) = place(fbb, buffer, appendix);
    table(fbb, |fbb| {
        optional(fbb, 0, inline);
        outside(fbb, 1, buffer, offset, size);
    })
}

fn operator_code(fbb: &mut Writer, code: &OperatorCode) -> Offset {
    let custom = code.custom.as_deref().map(|name| fbb.create_string(name));
    table(fbb, |fbb| {
        fbb.push_slot_always(slot(0), i8::try_from(code.code).unwrap_or(127));
        optional(fbb, 1, custom);
        fbb.push_slot(slot(2), code.version, 1);
        fbb.push_slot_always(slot(3), code.code);
    })
}

fn name_and_index(fbb: &mut Writer, (name, index): &(String, u32)) -> Offset {
    let name = fbb.create_string(name);
    table(fbb, |fbb| {
        fbb.push_slot_always(slot(0), name);
        fbb.push_slot(slot(1), *index, 0);
    })
}

fn group(fbb: &mut Writer, name: &str) -> Offset {
    let name = fbb.create_string(name);
    table(fbb, |fbb| fbb.push_slot_always(slot(0), name))
}

fn part(fbb: &mut Writer, part: &GroupPart) -> Offset {
    let packing = part.packing.as_deref().map(|name| fbb.create_string(name));
    table(fbb, |fbb| {
        fbb.push_slot(slot(0), part.id, 0);
        fbb.push_slot(slot(1), part.group, 0);
        fbb.push_slot(slot(2), part.offset, 0);
        fbb.push_slot(slot(3), part.length, 0);
        optional(fbb, 4, packing);
    })
}

fn signature(fbb: &mut Writer, signature: &Signature) -> Offset {
    let inputs: Vec<_> = signature.inputs.iter().map(|entry| name_and_index(fbb, entry)).collect();
    let outputs: Vec<_> = signature.outputs.iter().map(|entry| name_and_index(fbb, entry)).collect();
    let (inputs, outputs) = (fbb.create_vector(&inputs), fbb.create_vector(&outputs));
    let key = signature.key.as_deref().map(|key| fbb.create_string(key));
    table(fbb, |fbb| {
        fbb.push_slot_always(slot(0), inputs);
        fbb.push_slot_always(slot(1), outputs);
        optional(fbb, 2, key);
        fbb.push_slot(slot(4), signature.subgraph, 0);
    })
}

fn subgraph(fbb: &mut Writer, graph: &SubGraph, appendix: &mut Appendix) -> Offset {
    let tensors: Vec<_> = graph.tensors.iter().map(|t| tensor(fbb, t)).collect();
    let operators: Vec<_> = graph.operators.iter().map(|o| operator(fbb, o, appendix)).collect();
    let (tensors, operators) = (fbb.create_vector(&tensors), fbb.create_vector(&operators));
    let (inputs, outputs) = (fbb.create_vector(&graph.inputs), fbb.create_vector(&graph.outputs));
    let name = fbb.create_string(&graph.name);
    table(fbb, |fbb| {
        fbb.push_slot_always(slot(0), tensors);
        fbb.push_slot_always(slot(1), inputs);
        fbb.push_slot_always(slot(2), outputs);
        fbb.push_slot_always(slot(3), operators);
        fbb.push_slot_always(slot(4), name);
    })
}

fn tensor(fbb: &mut Writer, tensor: &Tensor) -> Offset {
    let name = fbb.create_string(&tensor.name);
    let shape = fbb.create_vector(&tensor.shape);
    let shape_signature = list(fbb, &tensor.shape_signature);
    let quantization = tensor.quantization.as_ref().map(|q| quantization(fbb, q));
    let sparsity = tensor.sparsity.as_ref().map(|s| sparsity(fbb, s));
    table(fbb, |fbb| {
        fbb.push_slot_always(slot(0), shape);
        fbb.push_slot(slot(1), i8::try_from(tensor.element_type).unwrap_or(i8::MAX), 0);
        fbb.push_slot(slot(2), tensor.buffer, 0);
        fbb.push_slot_always(slot(3), name);
        optional(fbb, 4, quantization);
        fbb.push_slot(slot(5), tensor.is_variable, false);
        optional(fbb, 6, sparsity);
        optional(fbb, 7, shape_signature);
        fbb.push_slot_always(slot(8), true);
        fbb.push_slot(slot(10), tensor.external_buffer, 0);
    })
}

fn quantization(fbb: &mut Writer, quantization: &Quantization) -> Offset {
    let (scale, zero_point) = (list(fbb, &quantization.scale), list(fbb, &quantization.zero_point));
    let details = quantization.blockwise.map(|details| {
        table(fbb, |fbb| {
            fbb.push_slot(slot(0), details.scales, 0);
            fbb.push_slot(slot(1), details.zero_points, 0);
            fbb.push_slot(slot(2), details.block_size, 0);
        })
    });
    table(fbb, |fbb| {
        optional(fbb, 2, scale);
        optional(fbb, 3, zero_point);
        if details.is_some() {
            fbb.push_slot_always(slot(4), 2u8);
        }
        optional(fbb, 5, details);
        fbb.push_slot(slot(6), quantization.quantized_dimension, 0);
    })
}

fn sparsity(fbb: &mut Writer, sparsity: &Sparsity) -> Offset {
    let (order, map) = (fbb.create_vector(&sparsity.traversal_order), list(fbb, &sparsity.block_map));
    let levels: Vec<_> = sparsity.levels.iter().map(|l| level(fbb, l)).collect();
    let levels = fbb.create_vector(&levels);
    table(fbb, |fbb| {
        fbb.push_slot_always(slot(0), order);
        optional(fbb, 1, map);
        fbb.push_slot_always(slot(2), levels);
    })
}

fn level(fbb: &mut Writer, level: &Level) -> Offset {
    match level {
        Level::Dense(size) => table(fbb, |fbb| fbb.push_slot(slot(1), *size, 0)),
        Level::Sparse { segments, indices } => {
            let [segments, indices] = [segments, indices].map(|values| {
                let values = fbb.create_vector(values);
                table(fbb, |fbb| fbb.push_slot_always(slot(0), values))
            });
            table(fbb, |fbb| {
                fbb.push_slot_always(slot(0), 1i8);
                for (at, vector) in [(2, segments), (4, indices)] {
                    fbb.push_slot_always(slot(at), 1u8);
                    fbb.push_slot_always(slot(at + 1), vector);
                }
            })
        }
    }
}

fn operator(fbb: &mut Writer, operator: &Operator, appendix: &mut Appendix) -> Offset {
    let (inputs, outputs) = (fbb.create_vector(&operator.inputs), fbb.create_vector(&operator.outputs));
    let intermediates = list(fbb, &operator.intermediates);
    let mutating = list(fbb, &operator.mutating_variable_inputs);
    let [first, second] = [&operator.options, &operator.options_2]
        .map(|union| union.as_ref().map(|(tag, fields)| (*tag, options(fbb, fields))));
    let (custom, offset, size) = place(fbb, &operator.custom_options, appendix);
    table(fbb, |fbb| {
        fbb.push_slot(slot(0), operator.opcode_index, 0);
        fbb.push_slot_always(slot(1), inputs);
        fbb.push_slot_always(slot(2), outputs);
        for (at, union) in [(3, first), (11, second)] {
            if let Some((tag, fields)) = union {
                fbb.push_slot_always(slot(at), tag);
                fbb.push_slot_always(slot(at + 1), fields);
            }
        }
        optional(fbb, 5, custom);
        optional(fbb, 7, mutating);
        optional(fbb, 8, intermediates);
        outside(fbb, 9, &operator.custom_options, offset, size);
    })
}

/// Writes an options table; data outside the table comes first.
fn options(fbb: &mut Writer, options: &Options) -> Offset {
    let outside: Vec<Option<WIPOffset<UnionWIPOffset>>> =
        options.slots.iter().map(|(_, value)| outside_value(fbb, value)).collect();
    table(fbb, |fbb| {
        for ((at, value), outside) in options.slots.iter().zip(outside) {
            match value {
                Value::Bool(value) => fbb.push_slot_always(slot(*at), *value),
                Value::I8(value) => fbb.push_slot_always(slot(*at), *value),
                Value::I32(value) => fbb.push_slot_always(slot(*at), *value),
                Value::I64(value) => fbb.push_slot_always(slot(*at), *value),
                Value::F32(value) => fbb.push_slot_always(slot(*at), *value),
                _ => optional(fbb, *at, outside),
            }
        }
    })
}

fn outside_value(fbb: &mut Writer, value: &Value) -> Option<WIPOffset<UnionWIPOffset>> {
    Some(match value {
        Value::Text(text) => fbb.create_string(text).as_union_value(),
        Value::I32s(values) => fbb.create_vector(values).as_union_value(),
        Value::I64s(values) => fbb.create_vector(values).as_union_value(),
        Value::F32s(values) => fbb.create_vector(values).as_union_value(),
        Value::Bytes(values) => fbb.create_vector(values).as_union_value(),
        Value::Bool(_) | Value::I8(_) | Value::I32(_) | Value::I64(_) | Value::F32(_) => return None,
    })
}
