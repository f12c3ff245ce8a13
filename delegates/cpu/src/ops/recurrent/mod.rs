//! Recurrent layers, whose states are variables: a node lists them among its outputs, and its step updates them in
//! place.

mod inputs;
mod lstm;
mod lstm_bytes;
mod svdf;
mod svdf_bytes;

use arenite_abi::prelude::*;
use arenite_layers::{Id, Node, Source, Value};

use crate::ops::build::{Build, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use lstm::Lstm;
use lstm_bytes::LstmBytes;
use svdf::Svdf;
use svdf_bytes::SvdfBytes;

/// A recurrent layer.
pub(crate) enum Recurrent<'a> {
    /// UNIDIRECTIONAL_SEQUENCE_LSTM of floats.
    Lstm(Lstm<'a>),
    /// UNIDIRECTIONAL_SEQUENCE_LSTM of bytes.
    LstmBytes(LstmBytes<'a>),
    /// SVDF of floats.
    Svdf(Svdf<'a>),
    /// SVDF of bytes.
    SvdfBytes(SvdfBytes<'a>),
}

/// Lowers the node if it is such a layer; `None` leaves it to others.
pub(super) fn lower<'a>(x: &Source<'_, 'a>) -> Option<Result<Node<Recurrent<'a>>>> {
    let input = x.optional_input(0)?.1;
    let of = |value: Option<(Id, &Value<'_>)>| value.map(|(_, value)| value.ty);
    let types = [of(x.optional_input(0)), of(x.optional_input(1).or(x.optional_input(4)))];
    Some(match (x.node.builtin_code(), types) {
        (op::UNIDIRECTIONAL_SEQUENCE_LSTM | op::SVDF, _) if input.is_variable => {
            Err(unsupported!("input {input} is a variable; only its states may be variables"))
        }
        (op::UNIDIRECTIONAL_SEQUENCE_LSTM, [Some(F32), Some(F32)]) => {
            lstm::lower(x).map(|node| node.with(Recurrent::Lstm))
        }
        (op::UNIDIRECTIONAL_SEQUENCE_LSTM, [Some(I8), Some(I8)]) => {
            lstm_bytes::lower(x).map(|node| node.with(Recurrent::LstmBytes))
        }
        (op::SVDF, [Some(F32), Some(F32)]) => svdf::lower(x).map(|node| node.with(Recurrent::Svdf)),
        (op::SVDF, [Some(I8), Some(I8)]) => svdf_bytes::lower(x).map(|node| node.with(Recurrent::SvdfBytes)),
        (op::UNIDIRECTIONAL_SEQUENCE_LSTM | op::SVDF, [Some(from), Some(weights)]) => {
            Err(unsupported!("input {from} with weights {weights} has no fast kernel"))
        }
        _ => return None,
    })
}

impl LayerStep for Recurrent<'_> {
    fn build(&self, node: &NodeValues<'_>, net: &NetValues<'_, '_>, build: &Build) -> Result<Box<dyn Step>> {
        match self {
            Recurrent::Lstm(layer) => layer.build(node, net, build),
            Recurrent::LstmBytes(layer) => layer.build(node, net, build),
            Recurrent::Svdf(layer) => layer.build(node, net, build),
            Recurrent::SvdfBytes(layer) => layer.build(node, net, build),
        }
    }

    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }
}
