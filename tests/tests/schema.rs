//! `arenite_abi::schema` agrees with the tables of the model reader, and with models written by converters.

use std::path::{Path, PathBuf};

use arenite_abi::ElementType;
use arenite_abi::schema::{OPERATORS, TableInfo, Union};
use arenite_model::{
    CUSTOM, Model, RawTable, builtin_operator_code, builtin_operator_name, builtin_options_2_name,
    builtin_options_name, tensor_type,
};
use arenite_tests::case::Case;
use arenite_tests::source;

fn table(union: Union, tag: u32) -> Option<TableInfo> {
    let mut tables = OPERATORS.iter().filter_map(|op| op.options);
    tables.find(|table| (table.union, table.tag) == (union, tag))
}

#[test]
fn operators_match_the_reader() {
    for (code, op) in (0..).zip(OPERATORS) {
        assert_eq!(op.code, code, "{}", op.name);
        assert_eq!(builtin_operator_name(code), Some(op.name));
        assert_eq!(builtin_operator_code(op.name), Some(code));
    }
    assert_eq!(builtin_operator_name(OPERATORS.len() as i32), None);
    assert_eq!(arenite_abi::schema::op::CUSTOM, CUSTOM);
    assert_eq!(arenite_abi::raw::BUILTIN_CUSTOM, CUSTOM);
    assert_eq!(arenite_abi::raw::BUILTIN_DELEGATE, arenite_abi::schema::op::DELEGATE);
}

#[test]
fn tables_match_the_reader() {
    type Name = fn(u8) -> Option<&'static str>;
    let unions: [(Union, Name); 2] =
        [(Union::BuiltinOptions, builtin_options_name), (Union::BuiltinOptions2, builtin_options_2_name)];
    for (union, name) in unions {
        for tag in 1..=u8::MAX {
            let ours = table(union, tag.into());
            assert_eq!(ours.map(|table| table.name), name(tag), "type {tag} of {union:?}");
        }
    }
    for table in OPERATORS.iter().filter_map(|op| op.options) {
        assert!(table.fields.is_sorted_by(|a, b| a.slot < b.slot), "{table:?}");
    }
}

#[test]
fn element_types_match_the_reader() {
    for number in 0..64 {
        let ours = ElementType::from_raw(number).map(ElementType::name);
        assert_eq!(ours, tensor_type::name(number as i32), "type {number}");
    }
}

/// Models from converters use the options table that the schema names for the operator, and no unknown fields.
#[test]
fn models_of_converters_use_these_tables() {
    let Some(corpus) = corpus() else { return };
    let mut seen = 0;
    for source in source::find(&corpus).unwrap() {
        let case = Case::read(source).unwrap();
        let bytes = case.source.read(&case.text.model).unwrap();
        let model = Model::new(&bytes).unwrap();
        for operator in model.subgraphs().iter().flat_map(|graph| graph.operators()) {
            let code = model.operator_code(&operator).unwrap().builtin_code();
            let op = OPERATORS.iter().find(|op| op.code == code).unwrap();
            let unions = [
                (Union::BuiltinOptions, operator.builtin_options()),
                (Union::BuiltinOptions2, operator.builtin_options_2()),
            ];
            for (union, options) in unions {
                let Some(options) = options else { continue };
                let known = table(union, options.tag.into()).unwrap();
                assert_eq!(op.options, Some(known), "{}: {}", case.text.name, op.name);
                let most = known.fields.last().map_or(0, |field| usize::from(field.slot) + 1);
                assert!(slots(&options) <= most, "{}: {}", case.text.name, op.name);
                seen += 1;
            }
        }
    }
    assert!(seen > 0, "no operator with options below {}", corpus.display());
}

/// The number of slots in a table's vtable: `{ u16 its size, u16 table's size, u16 offset per slot }`, at the i32
/// offset stored in the table.
fn slots(table: &RawTable<'_>) -> usize {
    let number = |at: usize| {
        table.buffer[at..].iter().zip([0, 8]).fold(0, |n, (&b, shift)| n | usize::from(b) << shift)
    };
    let back = i32::from_le_bytes(table.buffer[table.position..][..4].try_into().unwrap());
    (number((table.position as i64 - i64::from(back)) as usize) - 4) / 2
}

fn corpus() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let path = std::env::var_os("ARENITE_SHARED").map_or(default, PathBuf::from).join("conformance");
    if !path.is_dir() {
        eprintln!("skipped: {} does not exist; set ARENITE_SHARED to the corpus", path.display());
    }
    path.is_dir().then_some(path)
}
