//! Every op with every element type, and with every number of inputs and outputs, against the table `nodes.txt`, whose form
//! [`arenite_abi::testing::nodes`] tells.
//!
//! An option is `tag.slot:type=value` of builtin options, with `2/` in front of those of the second union; `name=value` of a
//! flexbuffer, a value being `2`, `0.5`, `true`, `'text'` or `(1,2)`; `bytes=00ff`, custom options as they are; `v=2`, a version.

use arenite_abi::schema::{OPERATORS, Union};
use arenite_abi::testing::nodes::{self, Nodes, Operand, Refusals, numbers};
use arenite_abi::testing::{FlexBuilder, OpTest, Settable, Spec, Subgraph, Tensor, Value};
use arenite_abi::{OperandSchema, Plugin};

use crate::{NAMES, PLUGIN};

type Test = OpTest<Plugin>;

/// What types are refused with, though it does not name them.
const UNNAMED: &[&str] = &[
    "element # is # which means # the reference is # they differ by more than # steps",
    "element # of # is zero, it divides",
    "input # has scale # and zero point # the output # and # i8 is not requantized here",
    "input # has zero point # the output # for i16 both must be #",
    "steps of # do not lead from # to #",
    "the hash table is read before it was imported (HASHTABLE_IMPORT)",
    "the variable is read before it was assigned (ASSIGN_VARIABLE), into #",
    "there is no resource with handle # are open",
    "values # are # keys # a slice per key is needed, one string if they are strings",
];

/// What types are refused with.
const FORMS: &[&str] = &[
    "# and # are # and # they must agree",
    "# elements have no fixed size, they cannot be moved",
    "# has zero point # which # does not hold",
    "# is # is # they must agree",
    "# is # it may be #",
    "# is # it may be # or #",
    "# is # it must be #",
    "# is # output is # they must agree",
    "# is # the handle of a resource is one # or #",
    "# is # which the op does not register",
    "# is # with zero point # it must be #",
    "# is # without quantization",
    "# is # without quantization; it needs a scale and a zero point",
    "BROADCAST_TO has no kernel for #",
    "DEQUANTIZE has no kernel for #",
    "FILL has no kernel for #",
    "NumericVerify has no kernel for #",
    "RESIZE_BILINEAR has no kernel for #",
    "RESIZE_NEAREST_NEIGHBOR has no kernel for #",
    "SPACE_TO_BATCH_ND has no kernel for #",
    "SPARSE_TO_DENSE has no kernel for #",
    "a hash table from # to # from # to # and back is served",
    "axes # are # they must be #",
    "bias # is # input # is #",
    "boxes # are # anchors #",
    "element # is # which means # the reference is # they differ by more than # steps",
    "element # of # is zero, it divides",
    "elements of # are packed",
    "filter # is # with zero point # it must be #",
    "filter # is # without quantization",
    "indices # are # they must be #",
    "input # has scale # and zero point # the output # and # i8 is not requantized here",
    "input # has zero point # the output # for i16 both must be #",
    "input # is # initial value # output # they must agree",
    "input # is # is #",
    "input # is # it must be #",
    "input # is # its last axis must be the # elements of one #",
    "input # is # not #",
    "input # is # only axes of size # can be reduced",
    "input # is # output #",
    "input # is # output # is #",
    "input # is # output # is # gives # gives #",
    "input # is # output # is # they must agree",
    "input # is # output # is # types must agree",
    "input # is # output is #",
    "input # is # updates # output # they must agree",
    "input # is # with quantization; # or # may be",
    "input is # output is #",
    "input is # output is # both must be #",
    "inputs # and # are # and # output # is # they must agree",
    "inputs # and # are # and # they must agree",
    "inputs # and # must have one type and shape",
    "inputs are # output # is # they must agree",
    "its options ask for # indices, output # is #",
    "its options ask for type # output # is #",
    "no basic kernel for input #",
    "no kernel fills a tensor with #",
    "no kernel for #",
    "no kernel for # to #",
    "no kernel for # × # to #",
    "no kernel for input # and filter #",
    "no kernel for input # and weights #",
    "no kernel for input # filter # and bias #",
    "no kernel for input # filter # and output #",
    "no kernel for input # weights # and output #",
    "no kernel for inputs of #",
    "no kernel for inputs of # and an alpha of #",
    "no kernel for inputs of # and an output of #",
    "no kernel for type #",
    "no kernel from # to #",
    "no kernel pads # the type of input #",
    "operand # is # is #",
    "output # has scale # and zero point # for # they must be # and #",
    "output # is # a handle is # or #",
    "output # is # a size is #",
    "output # is # it may be # or #",
    "output # is # it must be #",
    "output # is # whose size depends on its contents; it must be set dynamic",
    "output # is # with input # it must be #",
    "output # is # with scale # it must be 1/32768",
    "output # of subgraph # is # is # they must agree",
    "output shape # is # it must be #",
    "reference # is # it must be #",
    "sample rate # is # it must be one #",
    "size # is # it must be #",
    "state # is # it must be # and hold # elements for each of # batches",
    "steps of # do not lead from # to #",
    "the bytes of # cannot be seen as #",
    "the condition # is # it must be #",
    "the condition # is # one # is needed",
    "the default # is # the values are # one value of that type is needed",
    "the hash table is read before it was imported (HASHTABLE_IMPORT)",
    "the index # is # one # is needed",
    "the value # is # it must be one #",
    "the value # is # it must be one # without dimensions",
    "the variable holds # is #",
    "the variable is read before it was assigned (ASSIGN_VARIABLE), into #",
    "there is no resource with handle # are open",
    "updates # are # output is #",
    "values # are # is #",
    "values # are # keys # a slice per key is needed, one string if they are strings",
    "values # are # output #",
];

/// The field `slot:type=value`.
fn field(text: &str) -> (usize, Value) {
    let (slot, rest) = text.split_once(':').expect("slot:type=value");
    let (ty, value) = rest.split_once('=').expect("type=value");
    let list = value.trim_matches(['(', ')']);
    macro_rules! by_type {
        ($($one:ident $many:ident)*) => {
            match ty {
                $(
                    stringify!($one) => <$one>::encode(value.parse().expect("a number")),
                    stringify!($many) => <[$one]>::encode(&numbers(list)),
                )*
                "i8" => i8::encode(value.parse().expect("a number")),
                _ => panic!("no field of type {ty}"),
            }
        };
    }
    let value = by_type!(i32 i32s i64 i64s u8 u8s u32 u32s f32 f32s);
    (slot.parse().expect("a slot"), value)
}

/// The entry `name=value`.
fn entry(builder: FlexBuilder, name: &str, value: &str) -> FlexBuilder {
    match value.as_bytes()[0] {
        b'\'' => builder.text(name, value.trim_matches('\'')),
        b'(' => builder.ints(name, &numbers(value.trim_matches(['(', ')']))),
        _ if value == "true" || value == "false" => builder.bool(name, value == "true"),
        _ if value.contains('.') => builder.float(name, value.parse().expect("a number")),
        _ => builder.int(name, value.parse().expect("a number")),
    }
}

/// The tag of a table and its fields, `tag.field` each.
fn table(texts: &[&str]) -> (u32, Vec<(usize, Value)>) {
    let mut tag = 0;
    let mut fields = Vec::new();
    for text in texts {
        let (number, rest) = text.split_once('.').expect("tag.field");
        tag = number.parse().expect("a tag");
        fields.extend((!rest.is_empty()).then(|| field(rest)));
    }
    (tag, fields)
}

fn with_options(mut test: Test, text: &str) -> Test {
    let (mut builtin, mut second, mut map) = (Vec::new(), Vec::new(), None::<FlexBuilder>);
    for token in text.split_whitespace().filter(|token| *token != "-") {
        let (name, value) = token.split_once('=').unwrap_or((token, ""));
        match name.as_bytes()[0] {
            b'2' if token.starts_with("2/") => second.push(&token[2..]),
            b'0'..=b'9' => builtin.push(token),
            _ if name == "v" => test = test.version(value.parse().expect("a version")),
            _ if name == "bytes" => {
                let byte = |i| u8::from_str_radix(&value[i..i + 2], 16).expect("a byte");
                test = test.custom_options(&(0..value.len()).step_by(2).map(byte).collect::<Vec<_>>());
            }
            _ => map = Some(entry(map.unwrap_or_default(), name, value)),
        }
    }
    if !builtin.is_empty() {
        let (tag, fields) = table(&builtin);
        test = test.options_of(Union::BuiltinOptions, tag, fields);
    }
    if !second.is_empty() {
        let (tag, fields) = table(&second);
        test = test.options_of(Union::BuiltinOptions2, tag, fields);
    }
    map.into_iter().fold(test, |test, map| test.flexbuffer(|_| map))
}

/// The model around the nodes of some ops: subgraphs, and resources.
fn with_model(test: Test, op: &str) -> Test {
    let floats = Tensor::f32(&[2], &[0.0; 2]);
    let numbers = [Tensor::i32(&[], &[0]), Tensor::i32(&[], &[0])];
    let same = |x: &[Tensor]| Subgraph::new(x, |x| x.to_vec());
    let first = || Subgraph::new(&numbers, |x| x[..1].to_vec());
    match op {
        "CallOnce" => test.subgraph(Subgraph::new(&[], |_| Vec::new())),
        "If" | "StablehloCase" => {
            let x = [floats];
            test.subgraph(same(&x)).subgraph(same(&x))
        }
        "StablehloComposite" => test.subgraph(same(&[floats])),
        "While" => test
            .subgraph(Subgraph::new(&numbers[..1], |x| vec![Tensor::bool(&[], &[x[0].as_i32()[0] < 3])]))
            .subgraph(Subgraph::new(&numbers[..1], |x| vec![Tensor::i32(&[], &[x[0].as_i32()[0] + 1])])),
        "StablehloReduceWindow" => test.subgraph(first().node(0, &[0, 1], &[2])),
        "StablehloScatter" => test.subgraph(first()),
        "HashtableFind" => test
            .resource(b"keys   \0\0\0\0", Tensor::i64(&[2], &[7, -1]))
            .resource(b"values \0\0\0\0", Tensor::strings(&[2], &["seven", "minus"]))
            .resource(b"order  \0\0\0\0", Tensor::u32(&[2], &[1, 0])),
        "ReadVariable" => test.resource(b"v", Tensor::f32(&[2], &[5.0, 6.0])),
        _ => test,
    }
}

#[test]
fn every_type_and_number_of_tensors() {
    let run = |op: usize, options: &'static str, inputs: &[Operand], outputs: &[Spec]| {
        let test = with_model(with_options(Test::registered(&PLUGIN, op), options), NAMES[op]);
        let test = inputs.iter().fold(test, |test, x| test.operand(x));
        outputs.iter().fold(test, |test, y| test.output(y.clone())).run()
    };
    let table = include_str!("nodes.txt");
    let nodes =
        Nodes { table, ops: NAMES, forms: FORMS, unnamed: UNNAMED, tensor: &nodes::tensor, run: &run };
    assert_eq!(nodes.check(), Refusals { types: 22_631, counts: 3_504 });
}

/// The shortest and the longest list of these operands; `None` for any length. Within a list an absent operand counts.
fn range(operands: impl Iterator<Item = OperandSchema>) -> (usize, Option<usize>) {
    operands.zip(1..).fold((0, Some(0)), |(few, many), (operand, place)| {
        let many = many.filter(|_| !operand.variadic).map(|_| place);
        (if operand.optional { few } else { place }, many)
    })
}

/// The numbers `a..b`, `a..` or `any` of a line.
fn measured(text: &str) -> (usize, Option<usize>) {
    let Some((few, many)) = text.trim().split_once("..") else { return (0, None) };
    (few.parse().expect("a number"), (!many.is_empty()).then(|| many.parse().expect("a number")))
}

/// Ops of which a line cannot show all numbers: the options choose another kernel, or the model decides.
const OTHER_NUMBERS: &[(&str, &str)] = &[
    ("AddN", "one input alone is refused, as in TensorFlow Lite"),
    ("BidirectionalSequenceLstm", "one output with merge_outputs, and the node counts what the cells need"),
    ("BidirectionalSequenceRnn", "one output with merge_outputs, and absent inputs are in the list"),
    ("If", "as many as the subgraph has"),
    ("Lstm", "the basic kernel, which has other operands"),
    ("NonMaxSuppressionV4", "both versions have one kernel"),
    ("NonMaxSuppressionV5", "both versions have one kernel"),
    ("StablehloCase", "as many as the subgraph has"),
    ("StablehloComposite", "as many as the subgraph has"),
    ("While", "as many as the subgraph has"),
];

/// The names of operands in `arenite_abi::schema` against what the ops take: as many, and optional where a node leaves one out.
#[test]
fn operands_of_the_schema_are_those_that_the_ops_take() {
    let mut compared = 0;
    for line in include_str!("nodes.txt").lines() {
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        let i = NAMES.iter().position(|name| *name == parts[0]).expect("an op");
        let (op, _) = PLUGIN.op(i).expect("it has a registration");
        let known = OPERATORS.iter().find(|known| known.code == op.builtin_code && known.name != "CUSTOM");
        let Some(known) = known else { continue };
        let (inputs, outputs) = (known.inputs().expect(parts[0]), known.outputs().expect(parts[0]));
        for (given, operand) in parts[2].split_whitespace().zip(known.inputs().expect(parts[0])) {
            let basic = parts[0] == "Lstm";
            assert!(
                given != "-" || operand.optional || basic,
                "{}: {} may be left out",
                parts[0],
                operand.name
            );
        }
        if OTHER_NUMBERS.iter().all(|(other, _)| *other != parts[0]) {
            let (in_line, out_line) = parts[4].split_once('>').expect("inputs > outputs");
            assert_eq!(range(inputs), measured(in_line), "inputs of {}", parts[0]);
            assert_eq!(range(outputs), measured(out_line), "outputs of {}", parts[0]);
            compared += 1;
        }
    }
    assert!(compared > 150, "{compared} lines were compared");
}
