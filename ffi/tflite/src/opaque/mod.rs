//! Functions of `c_api_opaque.h`, with which kernels and delegates access tensors, nodes and contexts. The opaque types
//! are the structs of `common.h`.

mod context;
mod node;
mod tensor;
