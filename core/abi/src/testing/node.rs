//! The description of the node under test.

use std::string::String;
use std::sync::Arc;
use std::vec::Vec;

use super::options::Encoded;
use super::{Subgraph, Tensor};
use crate::object::UserData;
use crate::schema::Union;

#[derive(Clone)]
pub(super) struct Node {
    pub(super) builtin_code: i32,
    pub(super) custom_name: String,
    /// The pointer that `prepare` finds in the first word of the state.
    pub(super) user_data: Option<Arc<UserData>>,
    pub(super) version: i32,
    pub(super) tensors: Vec<NodeTensor>,
    pub(super) inputs: Vec<i32>,
    pub(super) outputs: Vec<i32>,
    pub(super) intermediates: Vec<i32>,
    pub(super) options: Encoded,
    pub(super) options_2: Encoded,
    pub(super) custom_options: Vec<u8>,
    pub(super) threads: u32,
    pub(super) subgraphs: Vec<Subgraph>,
    pub(super) resources: Vec<(Vec<u8>, Tensor)>,
}

impl Node {
    pub(super) fn options_in(&mut self, union: Union) -> &mut Encoded {
        match union {
            Union::BuiltinOptions => &mut self.options,
            Union::BuiltinOptions2 => &mut self.options_2,
        }
    }
}

#[derive(Clone)]
pub(super) struct NodeTensor {
    pub(super) role: Role,
    pub(super) tensor: Tensor,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Role {
    Input,
    Constant,
    Variable,
    Output,
    Intermediate,
}
