//! Functions of `c_api_opaque.h`: what kernels and delegates see of tensors, nodes and contexts, which are those of `common.h` underneath.

mod context;
mod node;
mod tensor;
