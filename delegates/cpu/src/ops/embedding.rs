//! EMBEDDING_LOOKUP of a constant table of 8, 4 or 2 bits into `f32`. Other tables are gathered as they are.
//!
//! Defined by: tflite/kernels/embedding_lookup.cc.

use arenite_abi::prelude::*;
use arenite_layers::{Node, Source};

use crate::ops::build::{Build, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::embedding::{Lookup, Stored, Table};

/// Rows of a table, dequantized. Inputs are indices and table.
pub(crate) struct Embedding<'a> {
    table: Table,
    /// Whether the model's table is of INT8, which the net may hold as `q + 128`.
    is_signed: bool,
    scales: &'a [f32],
}

/// Lowers the node if its table is dequantized.
pub(super) fn lower<'a>(x: &Source<'_, 'a>) -> Option<Result<Node<Embedding<'a>>>> {
    if x.node.builtin_code() != op::EMBEDDING_LOOKUP {
        return None;
    }
    let ((_, table), (_, y)) = (x.input(1).ok()?, x.output(0).ok()?);
    (table.ty != y.ty).then(|| dequantized(x))
}

fn dequantized<'a>(x: &Source<'_, 'a>) -> Result<Node<Embedding<'a>>> {
    let ((at, indices), (from, table), (output, y)) = (x.input(0)?, x.input(1)?, x.output(0)?);
    if y.ty != F32 || indices.ty != I32 {
        return Err(unsupported!(
            "looking rows of {} up by {} indices as {} is not supported",
            table.ty,
            indices.ty,
            y.ty
        ));
    }
    let is_signed = table.ty == I8;
    let stored = match table.ty {
        I8 | U8 => Stored::Bytes { flipped: false },
        I4 => Stored::Packed { bits: 4 },
        I2 => Stored::Packed { bits: 2 },
        ty => return Err(unsupported!("table {table} is {ty}; INT8, UINT8, INT4 and INT2 are supported")),
    };
    let Some(quantization) = table.constant.and_then(|constant| constant.quantization()) else {
        return Err(unsupported!("table {table} is not constant, or has no scale"));
    };
    let (&[rows, ..], row) = (&table.shape[..], table.shape.iter().skip(1).product()) else {
        return Err(invalid!("table {table} has no rows"));
    };
    ensure!(y.len() == indices.len() * row, "{} indices of rows of {row} give {:?}", indices.len(), y.shape);
    let scales = quantization.scales;
    let (block, per_row) = match quantization.block_size {
        0 => (row, 1),
        block => (block, row / block),
    };
    ensure!(
        block * per_row == row && (scales.len() == 1 || scales.len() == rows * per_row),
        "table {table} is {:?} with {} scales for blocks of {block} elements",
        table.shape,
        scales.len()
    );
    let table = Table { rows, row, block, stored };
    Ok(Node::new(Embedding { table, is_signed, scales }, vec![at, from], vec![output]))
}

impl LayerStep for Embedding<'_> {
    fn build(&self, node: &NodeValues<'_>, net: &NetValues<'_, '_>, build: &Build) -> Result<Box<dyn Step>> {
        let &[indices, table] = node.inputs else {
            return Err(invalid!("a lookup has {} inputs, not 2", node.inputs.len()));
        };
        // A table of UINT8 has the bytes of INT8.
        let stored = match self.table.stored {
            Stored::Bytes { .. } => Stored::Bytes { flipped: self.is_signed && net.values[table].ty == U8 },
            packed => packed,
        };
        Ok(Box::new(Lookup {
            table: Table { stored, ..self.table },
            scales: build.store.table(self.scales.len(), |i| self.scales[i])?,
            inputs: [indices, table],
            indices: net.values[indices].name.to_owned(),
            output: node.outputs[0],
        }))
    }

    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }
}
