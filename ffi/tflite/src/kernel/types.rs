//! The structs of `common.h` that kernels see, in C's layout.

use std::ffi::{c_char, c_int, c_void};

use crate::operator::{Free, Init, Run, TfLiteOperator};
use crate::types::*;

/// `TfLiteNode`.
#[repr(C)]
pub(crate) struct TfLiteNode {
    pub inputs: *mut TfLiteIntArray,
    pub outputs: *mut TfLiteIntArray,
    pub intermediates: *mut TfLiteIntArray,
    pub temporaries: *mut TfLiteIntArray,
    pub user_data: *mut c_void,
    pub builtin_data: *mut c_void,
    pub custom_initial_data: *const c_void,
    pub custom_initial_data_size: c_int,
    pub delegate: *mut c_void,
    pub might_have_side_effect: bool,
}

/// `TfLiteRegistration` with the fields that all versions of TensorFlow Lite have. C passes a struct of this size in
/// memory, so that a longer one that is passed by value starts with the same fields.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct TfLiteRegistration {
    pub init: Option<Init>,
    pub free: Option<Free>,
    pub prepare: Option<Run>,
    pub invoke: Option<Run>,
    pub profiling_string:
        Option<unsafe extern "C" fn(*const TfLiteContext, *const TfLiteNode) -> *const c_char>,
    pub builtin_code: i32,
    pub custom_name: *const c_char,
    pub version: c_int,
}

/// The current version of `TfLiteRegistration`.
#[repr(C)]
pub(crate) struct LatestRegistration {
    pub plain: TfLiteRegistration,
    pub registration_external: *mut TfLiteOperator,
    pub async_kernel: *const c_void,
    pub inplace_operator: u64,
}

/// `TfLiteContext`.
#[repr(C)]
pub(crate) struct TfLiteContext {
    pub tensors_size: usize,
    pub get_execution_plan:
        unsafe extern "C" fn(*mut TfLiteContext, *mut *mut TfLiteIntArray) -> TfLiteStatus,
    pub tensors: *mut TfLiteTensor,
    /// The [`Scene`](super::scene::Scene) that contains the context.
    pub scene: *mut c_void,
    pub resize_tensor:
        unsafe extern "C" fn(*mut TfLiteContext, *mut TfLiteTensor, *mut TfLiteIntArray) -> TfLiteStatus,
    pub report_error: unsafe extern "C" fn(*mut c_void, *const c_char, ...),
    pub add_tensors: unsafe extern "C" fn(*mut TfLiteContext, c_int, *mut c_int) -> TfLiteStatus,
    pub get_node_and_registration: unsafe extern "C" fn(
        *mut TfLiteContext,
        c_int,
        *mut *mut TfLiteNode,
        *mut *mut LatestRegistration,
    ) -> TfLiteStatus,
    pub replace_node_subsets: unsafe extern "C" fn(
        *mut TfLiteContext,
        TfLiteRegistration,
        *const TfLiteIntArray,
        *mut c_void,
    ) -> TfLiteStatus,
    pub recommended_num_threads: c_int,
    pub get_external_context: unsafe extern "C" fn(*mut TfLiteContext, c_int) -> *mut c_void,
    pub set_external_context: unsafe extern "C" fn(*mut TfLiteContext, c_int, *mut c_void),
    pub allow_fp32_relax_to_fp16: bool,
    pub profiler: *mut c_void,
    pub allocate_persistent_buffer: unsafe extern "C" fn(*mut TfLiteContext, usize) -> *mut c_void,
    pub allocate_buffer_for_eval:
        unsafe extern "C" fn(*mut TfLiteContext, usize, *mut *mut c_void) -> TfLiteStatus,
    pub request_scratch_buffer: unsafe extern "C" fn(*mut TfLiteContext, usize, *mut c_int) -> TfLiteStatus,
    pub get_scratch_buffer: unsafe extern "C" fn(*mut TfLiteContext, c_int) -> *mut c_void,
    pub resize_tensor_explicit:
        unsafe extern "C" fn(*mut TfLiteContext, *mut TfLiteTensor, c_int, *const c_int) -> TfLiteStatus,
    pub preview_delegate_partitioning: unsafe extern "C" fn(
        *mut TfLiteContext,
        *const TfLiteIntArray,
        *mut *mut c_void,
        *mut c_int,
    ) -> TfLiteStatus,
    pub get_tensor: unsafe extern "C" fn(*const TfLiteContext, c_int) -> *mut TfLiteTensor,
    pub get_eval_tensor: unsafe extern "C" fn(*const TfLiteContext, c_int) -> *mut c_void,
    pub get_model_metadata: unsafe extern "C" fn(
        *const TfLiteContext,
        *const c_char,
        *mut *const c_char,
        *mut usize,
    ) -> TfLiteStatus,
    pub acquire_subgraph_context:
        unsafe extern "C" fn(*mut TfLiteContext, c_int, *mut *mut TfLiteContext) -> TfLiteStatus,
    pub release_subgraph_context: unsafe extern "C" fn(*mut TfLiteContext, c_int) -> TfLiteStatus,
}
