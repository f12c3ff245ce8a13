//! core/abi/include/arenite_plugin.h against core/abi/src/frozen.rs: sizes, offsets and numbers.

use std::collections::BTreeMap;
use std::mem::offset_of;

use arenite_abi::raw::*;
use arenite_abi::{ElementType, Status, UsageRecord};

const HEADER: &str = include_str!("../../../../core/abi/include/arenite_plugin.h");
const FROZEN: &str = include_str!("../../../../core/abi/src/frozen.rs");
const RESOURCE_MEMORY: &str = include_str!("../../../../core/abi/src/resource_memory.rs");
const SIZES: &str = include_str!("../../../../core/abi/src/sizes.rs");
const CLAIMING: &str = include_str!("../../../../core/abi/src/claiming/raw.rs");
const OP_SCHEMA: &str = include_str!("../../../../core/abi/src/op_schema/raw.rs");
const BUILD: &str = include_str!("../../../../core/abi/src/build_info.rs");
const EMBEDDING: &str = include_str!("../../../../core/abi/src/embedding/raw.rs");
const OBJECTS: &str = include_str!("../../../../core/abi/src/objects/raw.rs");
const DEVICES: &str = include_str!("../../../../core/abi/src/devices/raw.rs");

/// `(struct, field, offset)`, and `(struct, "", size)`.
type Layout = Vec<(String, String, usize)>;

macro_rules! layouts {
    ($($name:ident { $($field:ident),* })*) => {
        fn layout_of_rust() -> Layout {
            let mut layout = Layout::new();
            $(
                layout.push((stringify!($name).into(), String::new(), size_of::<$name>()));
                $(layout.push((stringify!($name).into(), stringify!($field).into(), offset_of!($name, $field)));)*
            )*
            layout
        }
    };
}

layouts! {
    ArHeader { struct_size, major, minor }
    ArStr { data, length }
    ArBytes { data, length }
    ArSpan { data, bytes }
    ArPair { key, value }
    ArTable { buffer, position, tag }
    ArQuantizationV1 { header, scales, scale_count, zero_points, zero_point_count, quantized_dimension, block_size }
    ArTensorV1 { element_type, rank, dims, data, bytes, quantization, flags, memory_kind, handle, name }
    ArNodeV1 { header, builtin_code, version, custom_name, index, subgraph, tensors, tensor_stride, tensor_count, inputs, input_count, outputs, output_count, intermediates, intermediate_count, options, options_2, custom_options }
    ArHostV1 { header, set_error, log, parallel_for, query }
    ArPrepareV1 { header, context, set_output_shape, set_output_dynamic, set_output_constant, request_persistent, request_scratch, share_memory, plan, query }
    ArEvalV1 { header, context, threads, persistent, persistent_count, scratch, scratch_count, resize_output, is_cancelled, query }
    ArOpV1 { header, builtin_code, min_version, max_version, flags, custom_name, element_types, state_size, state_align, prepare, eval, drop, query }
    ArUsageRecordV1 { size, alignment, first_node, last_node, fixed_offset, tensor, share_with, share_kind, reserved }
    ArPlanRequestV1 { header, records, record_count, record_stride, capacity, time_limit, options, option_count }
    ArAssignmentV1 { header, kind, object_count, offsets, object_ids, object_sizes, optimal }
    ArPlannerV1 { header, name, plan, query }
    ArPlanV1 { header, plan }
    ArGraphV1 { header, tensors, tensor_stride, tensor_count, nodes, node_stride, node_count, inputs, input_count, outputs, output_count }
    ArSubgraphsV1 { header, describe, set_input, forward, prepare, invoke, output }
    ArResourcesV1 { header, open, value, assign }
    ArLayoutV1 { header, share_part }
    ArConstantsV1 { header, release, origin }
    ArMemoryV1 { header, room, hold }
    ArProfileV1 { header, note }
    ArDescribeV1 { header, context, describe }
    ArClaimsV1 { header, context, accept, refuse }
    ArClaimV1 { header, claim }
    ArVouchV1 { header, vouch }
    ArPartitionV1 { header, graph, nodes, node_count, inputs, input_count, outputs, output_count }
    ArCompileHostV1 { header, context, threads, subgraphs, query }
    ArCompileV1 { header, compile }
    ArPlanNotesV1 { header, context, note }
    ArKernelPlanV1 { header, plan }
    ArDelegateV1 { header, name, create, claim, compile, prepare, invoke, destroy_kernel, destroy, query }
    ArCreateV1 { header, create }
    ArPluginV1 { header, id, version, description, ops, op_count, op_stride, planners, planner_count, planner_stride, delegates, delegate_count, delegate_stride, query }
    ArObjectRecordV1 { extents, first_node, last_node, tensor, reserved }
    ArObjectRequestV1 { header, extents, records, record_count, record_stride, reader_starts, readers, options, option_count }
    ArObjectAssignmentV1 { header, object_count, ids, sizes }
    ArAssignV1 { header, assign }
    ArNoSharingV1 { header }
    ArObjectsV1 { header, assign }
    ArDeviceV1 { header, name, driver, kind, memory, limits, limit_count }
    ArDeviceNotesV1 { header, context, note }
    ArDevicesV1 { header, list }
    ArFactNotesV1 { header, context, number, text }
    ArFactsV1 { header, tell }
    ArBuffersV1 { header, read }
    ArBindV1 { header, object, bind, unbind, read, write, copy }
    ArKeepV1 { header, keep }
    ArResourceMemoryV1 { header, version }
    ArSizesV1 { header, ports, reserve }
    ArOperandV1 { name, flags, reserved }
    ArOptionV1 { name, slot, element_type, flags, reserved, default_value }
    ArOpSchemaV1 { header, code, registered, name, element_types, inputs, input_count, outputs, output_count, operand_stride, options_table, options_union, options_tag, options, option_count, option_stride }
    ArOpSchemasV1 { header, find }
    ArServerV1 { header, kind, reserved, name }
    ArClaimHostV1 { header, context, claims, subgraphs, accept_in, partitions, server, query }
    ArClaimWithHostV1 { header, claim }
    ArPluginBuildV1 { header, sanitizers, panic }
    ArEmbedV1 { header, embed }
}

/// Parses the lines `AR_SIZE(struct, size);` and `AR_AT(struct, field, offset);`.
fn layout_of_c() -> Layout {
    let arguments = |line: &'static str, name: &str| -> Option<Vec<&'static str>> {
        Some(line.strip_prefix(name)?.strip_suffix(");")?.split(", ").collect())
    };
    let number = |text: &str| text.parse().expect("a number");
    HEADER
        .lines()
        .filter_map(|line| match (arguments(line, "AR_SIZE("), arguments(line, "AR_AT(")) {
            (Some(a), _) => Some((a[0].into(), String::new(), number(a[1]))),
            (_, Some(a)) => Some((a[0].into(), a[1].into(), number(a[2]))),
            _ => None,
        })
        .collect()
}

/// The structs and fields in the order of frozen.rs, then the ones for shared objects and devices.
fn names_in_raw() -> Vec<(String, String)> {
    let (frozen, _) = FROZEN.split_once("pub struct ArRangeFn").expect("the structs end with ArRangeFn");
    let mut names = Vec::new();
    let mut current = "";
    let others = OBJECTS
        .lines()
        .chain(DEVICES.lines())
        .chain(RESOURCE_MEMORY.lines())
        .chain(SIZES.lines())
        .chain(OP_SCHEMA.lines())
        .chain(CLAIMING.lines())
        .chain(BUILD.lines())
        .chain(EMBEDDING.lines());
    for line in frozen.lines().chain(others) {
        if let Some(name) = line.strip_prefix("pub struct ").and_then(|rest| rest.strip_suffix(" {")) {
            current = name;
            names.push((name.to_owned(), String::new()));
        } else if let Some((field, _)) = line.strip_prefix("    pub ").and_then(|rest| rest.split_once(':'))
            && !field.starts_with("const fn ")
        {
            names.push((current.to_owned(), field.to_owned()));
        }
    }
    names
}

#[test]
fn every_struct_and_field_is_compared() {
    let names =
        |layout: Layout| -> Vec<(String, String)> { layout.into_iter().map(|(s, f, _)| (s, f)).collect() };
    assert!(names_in_raw().len() > 100, "frozen.rs was parsed wrongly: {:?}", names_in_raw());
    assert_eq!(names(layout_of_c()), names_in_raw());
    assert_eq!(names(layout_of_rust()), names_in_raw());
}

#[cfg(target_pointer_width = "64")]
#[test]
fn layouts_agree() {
    for (c, rust) in layout_of_c().iter().zip(&layout_of_rust()) {
        assert_eq!(c, rust);
    }
}

/// For each struct, the fields that the header declares are the ones it asserts, in the same order.
#[test]
fn declared_fields_match_the_asserted_ones() {
    let mut declared: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut current: Option<&str> = None;
    for line in HEADER.lines() {
        let line = line.split("/*").next().unwrap_or("").trim_end();
        if let Some(name) =
            line.trim_start_matches("typedef ").strip_prefix("struct ").and_then(|l| l.strip_suffix(" {"))
        {
            current = Some(name);
        } else if line.starts_with('}') {
            current = None;
        } else if let (Some(name), Some(line)) =
            (current, line.strip_prefix("  ").filter(|l| is_declaration(l)))
        {
            declared.entry(name).or_default().push(match line.split_once("(*") {
                Some((_, rest)) => rest.split(')').next().unwrap_or(""),
                None => line
                    .rsplit([' ', '*'])
                    .next()
                    .unwrap_or("")
                    .trim_end_matches("[3];")
                    .trim_end_matches(';'),
            });
        }
    }
    assert_eq!(declared.len(), names_in_raw().iter().filter(|(_, field)| field.is_empty()).count());
    for (name, fields) in declared {
        let asserted: Vec<String> = layout_of_c()
            .into_iter()
            .filter(|(s, f, _)| s == name && !f.is_empty())
            .map(|(_, f, _)| f)
            .collect();
        assert_eq!(fields, asserted, "{name}");
    }
}

/// Whether a line of a struct, without its indentation, starts the declaration of a field. A function may continue on
/// the next line, which is indented further.
fn is_declaration(line: &str) -> bool {
    !line.starts_with(' ') && (line.ends_with(';') || line.contains("(*"))
}

/// The ids of interfaces.
const INTERFACES: [(&str, u64); 26] = [
    ("INTERFACE_SUBGRAPHS", INTERFACE_SUBGRAPHS),
    ("INTERFACE_RESOURCES", INTERFACE_RESOURCES),
    ("INTERFACE_LAYOUT", INTERFACE_LAYOUT),
    ("INTERFACE_PROFILE", INTERFACE_PROFILE),
    ("INTERFACE_CONSTANTS", INTERFACE_CONSTANTS),
    ("INTERFACE_CLAIM", INTERFACE_CLAIM),
    ("INTERFACE_COMPILE", INTERFACE_COMPILE),
    ("INTERFACE_KERNEL_PLAN", INTERFACE_KERNEL_PLAN),
    ("INTERFACE_PLAN", INTERFACE_PLAN),
    ("INTERFACE_CREATE", INTERFACE_CREATE),
    ("INTERFACE_VOUCH", INTERFACE_VOUCH),
    ("INTERFACE_MEMORY", INTERFACE_MEMORY),
    ("INTERFACE_OBJECTS", INTERFACE_OBJECTS),
    ("INTERFACE_ASSIGN", INTERFACE_ASSIGN),
    ("INTERFACE_DEVICES", INTERFACE_DEVICES),
    ("INTERFACE_FACTS", INTERFACE_FACTS),
    ("INTERFACE_DEVICE_MEMORY", INTERFACE_DEVICE_MEMORY),
    ("INTERFACE_BUFFERS", INTERFACE_BUFFERS),
    ("INTERFACE_KEEP", INTERFACE_KEEP),
    ("INTERFACE_SIZES", INTERFACE_SIZES),
    ("INTERFACE_OP_SCHEMAS", INTERFACE_OP_SCHEMAS),
    ("INTERFACE_NO_SHARING", INTERFACE_NO_SHARING),
    ("INTERFACE_EMBED", INTERFACE_EMBED),
    ("INTERFACE_CLAIM_WITH_HOST", INTERFACE_CLAIM_WITH_HOST),
    ("INTERFACE_BIND", INTERFACE_BIND),
    ("INTERFACE_RESOURCE_MEMORY", INTERFACE_RESOURCE_MEMORY),
];

/// All other numbers.
const NUMBERS: [(&str, u32); 35] = [
    ("ABI_VERSION", ABI_VERSION),
    ("BUILTIN_CUSTOM", BUILTIN_CUSTOM as u32),
    ("BUILTIN_DELEGATE", BUILTIN_DELEGATE as u32),
    ("TENSOR_CONSTANT", TENSOR_CONSTANT),
    ("TENSOR_VARIABLE", TENSOR_VARIABLE),
    ("TENSOR_DYNAMIC", TENSOR_DYNAMIC),
    ("TENSOR_IN_FILE", TENSOR_IN_FILE),
    ("MEMORY_DEVICE", MEMORY_DEVICE),
    ("SHARE_IN_PLACE", SHARE_IN_PLACE),
    ("SHARE_VIEW", SHARE_VIEW),
    ("SHARE_PART_OF_INPUT", SHARE_PART_OF_INPUT),
    ("SHARE_PART_OF_OUTPUT", SHARE_PART_OF_OUTPUT),
    ("SHARE_BEHIND", SHARE_BEHIND),
    ("OP_STATEFUL", OP_STATEFUL),
    ("OP_IN_PLACE", OP_IN_PLACE),
    ("OP_VIEW", OP_VIEW),
    ("OP_PART_OF_INPUT", OP_PART_OF_INPUT),
    ("OP_PART_OF_OUTPUT", OP_PART_OF_OUTPUT),
    ("OP_BEHIND", OP_BEHIND),
    ("OP_USER_DATA", OP_USER_DATA),
    ("OPERAND_OPTIONAL", OPERAND_OPTIONAL),
    ("OPERAND_VARIADIC", OPERAND_VARIADIC),
    ("OPTION_VECTOR", OPTION_VECTOR),
    ("SERVER_NOTHING", SERVER_NOTHING),
    ("SERVER_OP", SERVER_OP),
    ("SERVER_DELEGATE", SERVER_DELEGATE),
    ("SANITIZER_ADDRESS", SANITIZER_ADDRESS),
    ("SANITIZER_THREAD", SANITIZER_THREAD),
    ("SANITIZER_MEMORY", SANITIZER_MEMORY),
    ("SANITIZER_UNDEFINED", SANITIZER_UNDEFINED),
    ("PANIC_NONE", PANIC_NONE),
    ("PANIC_UNWIND", PANIC_UNWIND),
    ("PANIC_ABORT", PANIC_ABORT),
    ("ASSIGNMENT_OFFSETS", ASSIGNMENT_OFFSETS),
    ("ASSIGNMENT_OBJECTS", ASSIGNMENT_OBJECTS),
];

/// How an op gives its outputs a type.
const OUTPUT_TYPES: [(&str, u32); 4] = [
    ("OP_OUTPUT_TYPE_SHIFT", OP_OUTPUT_TYPE_SHIFT),
    ("OP_OUTPUT_TYPE_INPUT", OP_OUTPUT_TYPE_INPUT),
    ("OP_OUTPUT_TYPE_FIXED", OP_OUTPUT_TYPE_FIXED),
    ("OP_OUTPUT_TYPE_OPTION", OP_OUTPUT_TYPE_OPTION),
];

#[test]
fn numbers_agree() {
    let mut numbers: BTreeMap<&str, u64> = HEADER
        .lines()
        .filter_map(|line| {
            let mut words = line.strip_prefix("#define ")?.split_whitespace();
            let (name, value) = (words.next()?, words.next()?.trim_end_matches('u'));
            let value = match value.strip_prefix("0x") {
                Some(hex) => u64::from_str_radix(hex, 16).ok()?,
                None => value.parse().ok()?,
            };
            Some((name, value))
        })
        .collect();
    let mut check = |name: String, value: u64| {
        assert_eq!(numbers.remove(name.as_str()), Some(value), "{name}");
    };
    for &ty in ElementType::ALL {
        check(format!("AR_TYPE_{}", ty.name()), ty as u64);
    }
    for (name, value) in INTERFACES {
        check(format!("AR_{name}"), value);
    }
    let statuses =
        ["Ok", "Invalid", "Unsupported", "OutOfMemory", "Cancelled", "Panicked", "Internal", "Unavailable"];
    for (i, name) in (0..).zip(statuses) {
        assert_eq!(format!("{:?}", Status::from_raw(i)), name);
        let snake: String = name
            .char_indices()
            .flat_map(|(i, c)| (i > 0 && c.is_uppercase()).then_some('_').into_iter().chain([c]))
            .collect();
        check(format!("AR_STATUS_{}", snake.to_uppercase()), u64::from(i));
    }
    for (name, value) in OUTPUT_TYPES.into_iter().chain(NUMBERS) {
        check(format!("AR_{name}"), u64::from(value));
    }
    numbers.retain(|name, _| !name.starts_with("AR_BUILT_") && *name != "AR_HAS_FEATURE(name)");
    assert!(numbers.is_empty(), "only the header has {numbers:?}");
    assert_eq!((UsageRecord::FOREVER, UsageRecord::ANYWHERE), (u32::MAX, u64::MAX));
    assert!(
        HEADER.contains("#define AR_FOREVER UINT32_MAX") && HEADER.contains("#define AR_ANYWHERE UINT64_MAX")
    );
    assert!(HEADER.contains(&format!("#define AR_BUILD_SYMBOL \"{BUILD_SYMBOL}\"")));
    assert!(HEADER.contains(&format!("#define AR_ENTRY_SYMBOL \"{ENTRY_SYMBOL}\"")));
}
