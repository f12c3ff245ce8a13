//! A delegate in C that queries the operands, options and types of ops from the host.

use std::sync::Arc;

use arenite::config::DelegateConfig;
use arenite::{Model, Registry};
use arenite_abi::schema::ReshapeOptions;
use arenite_tests::libraries::compile_c;
use arenite_tests::op_models::{OneOp, f32};
use arenite_tests::reference_ops;
use tempfile::TempDir;

const SOURCE: &str = include_str!("../plugins/schemas/schemas.c");

#[test]
fn a_delegate_in_c_prints_the_schema_of_each_node() {
    let folder = TempDir::new().expect("a temporary folder");
    let Some(path) = compile_c(SOURCE, folder.path(), "schemas") else { return };
    let mut registry = Registry::with_static_plugins().expect("they are linked in");
    registry.load_file(&path).expect("it is sound");
    let registry = Arc::new(registry);
    let (x, y) = (f32("x", &[1, 4]), f32("y", &[1, 4]));
    let cases = [
        (
            OneOp::new("SOFTMAX").feed(x.clone()).output(y.clone()),
            "SOFTMAX(input) -> (output) SoftmaxOptions beta:0=0 types ",
        ),
        (
            OneOp::new("ADD").feed(x.clone()).feed(x.clone()).output(y.clone()),
            "ADD(lhs, rhs) -> (output) AddOptions fused_activation_function:9=0 pot_scale_int16:6=1 types ",
        ),
        (
            OneOp::new("RESHAPE")
                .options::<ReshapeOptions>(|o| o.set(ReshapeOptions::NEW_SHAPE, &[1, 4]))
                .feed(x.clone())
                .output(y.clone()),
            "RESHAPE(input, shape?) -> (output) ReshapeOptions new_shape:2[]=0 types ",
        ),
        (
            OneOp::new("CONCATENATION").feed(x.clone()).output(y.clone()),
            "CONCATENATION(values...) -> (output) ConcatenationOptions axis:2=0 fused_activation_function:9=0 types ",
        ),
        (OneOp::new("RELU").feed(x.clone()).output(y.clone()), "RELU(x) -> (y)  types "),
    ];
    for (model, wanted) in cases {
        let model = Model::from_bytes(model.model().finish()).expect("the model is sound");
        let builder = reference_ops(&model).registry(Arc::clone(&registry));
        let mut interpreter = builder.delegate(DelegateConfig::new("schemas")).build().expect("it builds");
        interpreter.allocate().expect("the op runs the node");
        let said = format!("{:?}", interpreter.refusals());
        assert!(said.contains(wanted), "wanted: {wanted}\n   got: {said}");
        let types = said
            .rsplit_once("types ")
            .and_then(|(_, bits)| bits.split(|c: char| !c.is_ascii_hexdigit()).next());
        let types = types.and_then(|bits| u64::from_str_radix(bits, 16).ok()).expect("a number");
        assert!(types == 0 || types & 1 == 1, "a registered op supports floats: {said}");
    }
}
