//! Compares the layout of this crate's structs with `tests/c/layout.txt`. A C program that uses TensorFlow Lite's own
//! headers prints the same file.

use std::collections::BTreeMap;
use std::mem::offset_of;

use crate::kernel::types::{TfLiteContext, TfLiteNode, TfLiteRegistration};
use crate::types::*;

macro_rules! offsets {
    ($to:ident: $($ty:ident { $($field:ident $(= $name:literal)?),* $(,)? })*) => {$($(
        let name = [$($name,)? stringify!($field)][0];
        $to.insert(format!("{}.{name}", stringify!($ty)), offset_of!($ty, $field));
    )*)*};
}

#[test]
fn struct_layouts_match_c() {
    let mut ours = BTreeMap::new();
    offsets! { ours:
        TfLiteTensor {
            kind = "type", data, dims, params, allocation_type, bytes, allocation, name, delegate, buffer_handle,
            data_is_stale, is_variable, quantization, sparsity, dims_signature,
        }
        TfLiteNode {
            inputs, outputs, intermediates, temporaries, user_data, builtin_data, custom_initial_data,
            custom_initial_data_size, delegate, might_have_side_effect,
        }
        TfLiteContext {
            tensors_size, get_execution_plan = "GetExecutionPlan", tensors, scene = "impl_",
            resize_tensor = "ResizeTensor", report_error = "ReportError", add_tensors = "AddTensors",
            get_node_and_registration = "GetNodeAndRegistration",
            replace_node_subsets = "ReplaceNodeSubsetsWithDelegateKernels", recommended_num_threads,
            get_external_context = "GetExternalContext", set_external_context = "SetExternalContext",
            allow_fp32_relax_to_fp16, profiler, allocate_persistent_buffer = "AllocatePersistentBuffer",
            allocate_buffer_for_eval = "AllocateBufferForEval",
            request_scratch_buffer = "RequestScratchBufferInArena", get_scratch_buffer = "GetScratchBuffer",
            resize_tensor_explicit = "ResizeTensorExplicit",
            preview_delegate_partitioning = "PreviewDelegatePartitioning", get_tensor = "GetTensor",
            get_eval_tensor = "GetEvalTensor", get_model_metadata = "GetModelMetadata",
        }
        TfLiteRegistration {
            init, free, prepare, invoke, profiling_string, builtin_code, custom_name, version,
        }
        TfLiteQuantization { params }
        TfLiteAffineQuantization { zero_point, quantized_dimension }
        TfLiteCustomAllocation { bytes }
        TfLiteIntArray { data }
    }
    let sizes = [
        ("TfLiteTensor", size_of::<TfLiteTensor>()),
        ("TfLiteNode", size_of::<TfLiteNode>()),
        ("TfLiteQuantization", size_of::<TfLiteQuantization>()),
        ("TfLiteAffineQuantization", size_of::<TfLiteAffineQuantization>()),
        ("TfLiteQuantizationParams", size_of::<TfLiteQuantizationParams>()),
    ];
    ours.extend(sizes.map(|(name, size)| (name.to_owned(), size)));
    let lines = include_str!("../tests/c/layout.txt").lines().filter(|line| !line.starts_with('#'));
    let wanted: BTreeMap<String, usize> = lines
        .map(|line| {
            let (name, number) = line.split_once(": ").expect("a name and a number");
            (name.to_owned(), number.parse().expect("a number"))
        })
        .collect();
    assert_eq!(ours, wanted);
}
