//! Checks every op with every element type and with every number of inputs and outputs against the table `nodes.txt`;
//! [`arenite_abi::testing::nodes`] describes its format.
//!
//! Options are `name=value`, where a value is `2`, `0.5`, `true`, `'text'` or `(1,2)`: the fields of a builtin op's
//! table by their names in the schema (`()` for a table without fields), the entries of a custom op's flexbuffer;
//! `bytes=00ff` for raw custom options; `v=2` for a version.

use arenite_abi::schema::OPERATORS;
use arenite_abi::testing::nodes::{self, Nodes, Operand, Refusals};
use arenite_abi::testing::{FlexBuilder, OpTest, Spec, Subgraph, Tensor};
use arenite_abi::{OperandSchema, Plugin, Result};

use crate::PLUGIN;

type Test = OpTest<Plugin>;

/// Messages for rejected types that do not name the type.
const UNNAMED: &[&str] = &[
    "element # is # which means # the reference is # they differ by more than # steps",
    "element # of # is a zero divisor",
    "input # has scale # and zero point # the output # and # i8 inputs cannot be requantized",
    "input # has zero point # the output # for i16 both must be #",
    "steps of # do not lead from # to #",
    "the hash table is read before it was imported (HASHTABLE_IMPORT)",
    "the variable is read before it was assigned (ASSIGN_VARIABLE), into #",
    "resource handle # does not exist; # are open",
    "values # are # keys # a slice per key is needed, one string if they are strings",
];

/// Messages for rejected types; `#` is a name, a type or a number.
const FORMS: &[&str] = &[
    "ONE_HOT has no kernel for #",
    "bias # is # with input # it must be #",
    "inputs # and # are # and # their types and rows must agree",
    "option # is # is # number # they must agree",
    "# elements have no fixed size and cannot be moved",
    "# has zero point # which # does not hold",
    "# is # is # they must agree",
    "# is # it may be #",
    "# is # it may be # or #",
    "# is # it must be #",
    "# is # a resource handle is one # or #",
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
    "a hash table from # to # only # to # and # to # are supported",
    "axes # are # they must be #",
    "bias # is # input # is #",
    "element # is # which means # the reference is # they differ by more than # steps",
    "element # of # is a zero divisor",
    "packed elements of # are not supported",
    "filter # is # with zero point # it must be #",
    "filter # is # without quantization",
    "indices # are # they must be #",
    "input # has scale # and zero point # the output # and # i8 inputs cannot be requantized",
    "input # has zero point # the output # for i16 both must be #",
    "input # is # it must be #",
    "input # is # its last axis must be the # elements of one #",
    "input # is # not #",
    "input # is # only axes of size # can be reduced",
    "input # is # output # is # gives # gives #",
    "input # is # output # is # types must agree",
    "input # is # with quantization; only # and # support that",
    "input is # output is # they must agree",
    "input is # output is # both must be #",
    "inputs # and # must have the same type and shape",
    "inputs are # output # is # they must agree",
    "its options ask for # indices, output # is # they must agree",
    "its options ask for type # output # is # they must agree",
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
    "the bytes of # cannot be reinterpreted as #",
    "the condition # is # it must be #",
    "the condition # is # one # is needed",
    "the default # is # the values are # one value of that type is needed",
    "the hash table is read before it was imported (HASHTABLE_IMPORT)",
    "the index # is # one # is needed",
    "the value # is # it must be one #",
    "the value # is # it must be one # without dimensions",
    "the variable holds # is # they must agree",
    "the variable is read before it was assigned (ASSIGN_VARIABLE), into #",
    "resource handle # does not exist; # are open",
    "values # are # keys # a slice per key is needed, one string if they are strings",
];

fn with_options(mut test: Test, builtin: bool, text: &'static str) -> Test {
    let (mut fields, mut map) = (Vec::new(), None::<FlexBuilder>);
    for token in text.split_whitespace().filter(|token| *token != "-") {
        let (name, value) = token.split_once('=').unwrap_or((token, ""));
        match name {
            "v" => test = test.version(value.parse().expect("a version")),
            "bytes" => {
                let byte = |i| u8::from_str_radix(&value[i..i + 2], 16).expect("a byte");
                test = test.custom_options(&(0..value.len()).step_by(2).map(byte).collect::<Vec<_>>());
            }
            _ if builtin => fields.push(token),
            _ => map = Some(map.unwrap_or_default().parse(token)),
        }
    }
    if !fields.is_empty() {
        test = test.options_text(&fields.join(" "));
    }
    map.into_iter().fold(test, |test, map| test.flexbuffer(|_| map))
}

/// Adds the model around the nodes of some ops: subgraphs and resources.
fn with_model(test: Test, op: &str) -> Test {
    let floats = Tensor::f32(&[2], &[0.0; 2]);
    let numbers = [Tensor::i32(&[], &[0]), Tensor::i32(&[], &[0])];
    let same = |x: &[Tensor]| Subgraph::new(x, |x| x.to_vec());
    let first = || Subgraph::new(&numbers, |x| x[..1].to_vec());
    match op {
        "CALL_ONCE" => test.subgraph(Subgraph::new(&[], |_| Vec::new())),
        "IF" | "STABLEHLO_CASE" => {
            let x = [floats];
            test.subgraph(same(&x)).subgraph(same(&x))
        }
        "STABLEHLO_COMPOSITE" => test.subgraph(same(&[floats])),
        "WHILE" => test
            .subgraph(Subgraph::new(&numbers[..1], |x| vec![Tensor::bool(&[], &[x[0].as_i32()[0] < 3])]))
            .subgraph(Subgraph::new(&numbers[..1], |x| vec![Tensor::i32(&[], &[x[0].as_i32()[0] + 1])])),
        "STABLEHLO_REDUCE_WINDOW" => test.subgraph(first().node(0, &[0, 1], &[2])),
        "STABLEHLO_SCATTER" => test.subgraph(first()),
        "HASHTABLE_FIND" => test
            .resource(b"keys   \0\0\0\0", Tensor::i64(&[2], &[7, -1]))
            .resource(b"values \0\0\0\0", Tensor::strings(&[2], &["seven", "minus"]))
            .resource(b"order  \0\0\0\0", Tensor::u32(&[2], &[1, 0])),
        "READ_VARIABLE" => test.resource(b"v", Tensor::f32(&[2], &[5.0, 6.0])),
        _ => test,
    }
}

/// The names of the ops in the schema, and of custom ops in models.
fn names() -> Vec<&'static str> {
    let ops = (0..).map_while(|i| PLUGIN.op(i));
    let name = |code| OPERATORS.iter().find(|known| known.code == code).expect("the schema has the op").name;
    ops.map(|(op, custom)| if custom.is_empty() { name(op.builtin_code) } else { custom }).collect()
}

/// Runs a node of op `op`.
fn run(op: usize, options: &'static str, inputs: &[Operand], outputs: &[Spec]) -> Result<Vec<Tensor>> {
    let test = Test::registered(&PLUGIN, op);
    let builtin = PLUGIN.op(op).is_some_and(|(_, custom)| custom.is_empty());
    let test = with_model(with_options(test, builtin, options), names()[op]);
    let test = inputs.iter().fold(test, |test, x| test.operand(x));
    outputs.iter().fold(test, |test, y| test.output(y.clone())).run()
}

/// Runs the nodes of `refusals.txt`, which ops reject for their shapes, options or data: `op | options | inputs |
/// outputs | status | message`. The prefix `?` makes an input a constant, and in a second run one whose data is known
/// in `eval`.
#[test]
fn refusals() {
    let (names, mut wrong) = (names(), Vec::new());
    for line in include_str!("refusals.txt").lines() {
        let parts: Vec<&'static str> = line.split(" | ").collect();
        let [op, options, inputs, outputs, status, message] = parts[..] else {
            panic!("'{line}' must have six parts")
        };
        let op = names.iter().position(|name| *name == op).unwrap_or_else(|| panic!("{op} is unknown"));
        let list = |text: &'static str| text.split(' ').filter(|x| *x != "none");
        let outputs: Vec<Spec> = list(outputs).map(nodes::output).collect();
        for role in ["=", ""] {
            let operand = |x| Operand::parse(&str::replace(x, '?', role), None, &nodes::tensor);
            let got = run(op, options, &list(inputs).map(operand).collect::<Vec<_>>(), &outputs);
            let got = got.map_err(|error| format!("{:?} | {}", error.status(), error.message()));
            if got != Err(format!("{status} | {message}")) {
                wrong.push(format!("{line}: {got:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_type_and_number_of_tensors() {
    let names = names();
    let table = include_str!("nodes.txt");
    let nodes =
        Nodes { table, ops: &names, forms: FORMS, unnamed: UNNAMED, tensor: &nodes::tensor, run: &run };
    assert_eq!(nodes.check(), Refusals { types: 49_901, counts: 7_100 });
}

/// The minimum and maximum length of a list of these operands; the maximum is `None` if there is no limit. An absent
/// operand within a list counts.
fn range(operands: impl Iterator<Item = OperandSchema>) -> (usize, Option<usize>) {
    operands.zip(1..).fold((0, Some(0)), |(few, many), (operand, place)| {
        let many = many.filter(|_| !operand.variadic).map(|_| place);
        (if operand.optional { few } else { place }, many)
    })
}

/// Parses the numbers `a..b`, `a..` or `any` of a line.
fn measured(text: &str) -> (usize, Option<usize>) {
    let Some((few, many)) = text.trim().split_once("..") else { return (0, None) };
    (few.parse().expect("a number"), (!many.is_empty()).then(|| many.parse().expect("a number")))
}

/// Ops for which a single line cannot show all numbers: the options choose another kernel, or the model decides.
const OTHER_NUMBERS: &[(&str, &str)] = &[
    ("ADD_N", "one input alone is refused, as in TensorFlow Lite"),
    ("BIDIRECTIONAL_SEQUENCE_LSTM", "one output with merge_outputs, and the node counts what the cells need"),
    ("BIDIRECTIONAL_SEQUENCE_RNN", "one output with merge_outputs, and absent inputs are in the list"),
    ("IF", "as many as the subgraph has"),
    ("LSTM", "the basic kernel, which has other operands"),
    ("NON_MAX_SUPPRESSION_V4", "both versions have one kernel"),
    ("NON_MAX_SUPPRESSION_V5", "both versions have one kernel"),
    ("STABLEHLO_CASE", "as many as the subgraph has"),
    ("STABLEHLO_COMPOSITE", "as many as the subgraph has"),
    ("WHILE", "as many as the subgraph has"),
];

/// Each op accepts as many operands as `arenite_abi::schema` lists for it, and the same operands may be absent.
#[test]
fn schema_operands_match_the_ops() {
    let (names, mut compared) = (names(), 0);
    for line in include_str!("nodes.txt").lines() {
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        let i = names.iter().position(|name| *name == parts[0]).expect("an op");
        let (op, _) = PLUGIN.op(i).expect("it has a registration");
        let known = OPERATORS.iter().find(|known| known.code == op.builtin_code && known.name != "CUSTOM");
        let Some(known) = known else { continue };
        let (inputs, outputs) = (known.inputs().expect(parts[0]), known.outputs().expect(parts[0]));
        for (given, operand) in parts[2].split_whitespace().zip(known.inputs().expect(parts[0])) {
            let basic = parts[0] == "LSTM";
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
