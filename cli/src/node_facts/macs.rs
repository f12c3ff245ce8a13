//! Multiply-accumulates of a node, computed from shapes.
//!
//! One multiply-accumulate is a product added to a sum, as papers and other tools count. Only sums of products count:
//! not biases, activations, elementwise ops or averages. Zeros of sparse weights count like other weights.
//!
//! | op | multiply-accumulates |
//! |---|---|
//! | CONV_2D, CONV_3D | elements of the output × taps × input channels of one filter |
//! | DEPTHWISE_CONV_2D | elements of the output × taps |
//! | TRANSPOSE_CONV, CONV_3D_TRANSPOSE | elements of the input × taps × output channels |
//! | FULLY_CONNECTED, BATCH_MATMUL, STABLEHLO_DOT_GENERAL | elements of the output × length of the summed dimensions |
//! | STABLEHLO_CONVOLUTION | elements of the output × elements of one filter |
//! | LSTM, RNN, their sequences, SVDF | rows of the input (batch × time) × elements of all weight matrices |
//!
//! `arenite_layers` has the formulas of the ops that delegates run; this file adds the others.

use arenite::abi::options::Options;
use arenite::abi::schema::{
    BatchMatMulOptions, Field, FieldType, LSTMOptions, OPERATORS, OptionsTable, StablehloConvolutionOptions,
    StablehloDotGeneralOptions, lstm_kernel, op,
};
use arenite::model_file::{Model, Operator};
use arenite_layers::lower::{Operations, ProductShapes, facts_of};

/// The shape of a tensor of one subgraph; `None` if it is unknown.
pub(crate) type Shapes<'a> = &'a dyn Fn(usize) -> Option<Vec<i32>>;

/// A flatbuffer table without fields, for an operator without options: each option has its default. Its vtable comes
/// first: sizes of the vtable and of the table, 4 bytes each; the table is the distance back to the vtable.
const NO_FIELDS: [u8; 8] = [4, 0, 4, 0, 4, 0, 0, 0];
const NO_FIELDS_AT: usize = 4;

/// A node whose multiply-accumulates are counted.
pub(super) struct MacOp<'a, 'm> {
    pub model: &'a Model<'m>,
    pub operator: &'a Operator<'m>,
    pub shapes: Shapes<'a>,
}

impl MacOp<'_, '_> {
    /// The number of multiply-accumulates; `None` if the op has no formula or a shape is unknown.
    pub(super) fn count(&self) -> Option<u64> {
        let code = self.model.operator_code(self.operator)?;
        match code.builtin_code() {
            op::CONV_3D => Some(volume(&self.output()?).saturating_mul(volume(self.input(1)?.get(..4)?))),
            op::CONV_3D_TRANSPOSE => {
                Some(volume(&self.input(2)?).saturating_mul(volume(self.input(1)?.get(..4)?)))
            }
            op::LSTM if self.option(LSTMOptions::KERNEL_TYPE)? == lstm_kernel::BASIC => {
                Some(self.rows()?.saturating_mul(volume(&self.input(2)?)))
            }
            builtin @ (op::LSTM
            | op::UNIDIRECTIONAL_SEQUENCE_LSTM
            | op::BIDIRECTIONAL_SEQUENCE_LSTM
            | op::RNN
            | op::UNIDIRECTIONAL_SEQUENCE_RNN
            | op::BIDIRECTIONAL_SEQUENCE_RNN
            | op::SVDF) => Some(self.rows()?.saturating_mul(self.matrices(builtin)?)),
            op::STABLEHLO_DOT_GENERAL => self.dot_general(),
            op::STABLEHLO_CONVOLUTION => self.convolution(),
            builtin => self.product(builtin, code.custom_code().unwrap_or_default()),
        }
    }

    /// By the formula of the op's common layer.
    fn product(&self, code: i32, custom: &str) -> Option<u64> {
        let layer = facts_of(code, custom)?.layer.as_ref()?;
        let Operations::Products(count) = layer.work else { return None };
        let mut data = self.input(layer.data)?;
        if code == op::BATCH_MATMUL && self.option(BatchMatMulOptions::ADJ_X)? {
            let n = data.len();
            data.swap(n.checked_sub(2)?, n - 1);
        }
        let results = volume(&self.output()?);
        Some(count(&ProductShapes { data, weights: self.input(1)?, results }))
    }

    fn dot_general(&self) -> Option<u64> {
        let lhs = self.input(0)?;
        let summed = self.dims(StablehloDotGeneralOptions::LHS_CONTRACTING_DIMENSIONS)?;
        let lengths: Vec<u64> = summed.iter().map(|&dim| lhs.get(dim).copied()).collect::<Option<_>>()?;
        Some(volume(&self.output()?).saturating_mul(volume(&lengths)))
    }

    fn convolution(&self) -> Option<u64> {
        // With gaps between the input's elements, most products would be with zeros that are not computed.
        if self.dims(StablehloConvolutionOptions::LHS_DILATION)?.iter().any(|&dilation| dilation != 1) {
            return None;
        }
        let filters = self.option(StablehloConvolutionOptions::KERNEL_OUTPUT_FEATURE_DIMENSION)?;
        let kernel = self.input(1)?;
        let filters = *kernel.get(usize::try_from(filters).ok()?)?;
        Some(volume(&self.output()?).saturating_mul(volume(&kernel).checked_div(filters)?))
    }

    /// The number of rows of input 0: the product of all its dimensions but the last.
    fn rows(&self) -> Option<u64> {
        Some(volume(self.input(0)?.split_last()?.1))
    }

    /// Elements of all operands that the schema calls weights and that are matrices.
    fn matrices(&self, code: i32) -> Option<u64> {
        let operands = OPERATORS.iter().find(|known| known.code == code)?.inputs()?;
        let weights = operands.enumerate().filter(|(_, operand)| operand.name.ends_with("weights"));
        let mut sum = 0u64;
        for (i, _) in weights {
            if self.operator.inputs().get(i).is_none_or(|t| t < 0) {
                continue;
            }
            let shape = self.input(i)?;
            sum = sum.saturating_add(if shape.len() == 2 { volume(&shape) } else { 0 });
        }
        Some(sum)
    }

    fn input(&self, i: usize) -> Option<Vec<u64>> {
        self.shape(self.operator.inputs().get(i)?)
    }

    fn output(&self) -> Option<Vec<u64>> {
        self.shape(self.operator.outputs().get(0)?)
    }

    fn shape(&self, tensor: i32) -> Option<Vec<u64>> {
        let shape = (self.shapes)(usize::try_from(tensor).ok()?)?;
        shape.into_iter().map(|dim| u64::try_from(dim).ok()).collect()
    }

    fn option<T: OptionsTable, F>(&self, field: Field<T, F>) -> Option<F>
    where
        F: for<'v> FieldType<Value<'v> = F>,
    {
        self.options()?.get(field).ok()
    }

    /// A vector of dimensions.
    fn dims<T: OptionsTable>(&self, field: Field<T, [i64]>) -> Option<Vec<usize>> {
        let dims = self.options()?.get(field).ok()?;
        dims.iter().map(|dim| usize::try_from(dim).ok()).collect()
    }

    fn options<T: OptionsTable>(&self) -> Option<Options<'_, T>> {
        let Some(table) = self.operator.any_builtin_options() else {
            return Some(Options::from_bytes(&NO_FIELDS, NO_FIELDS_AT));
        };
        (u32::from(table.tag) == T::INFO.tag).then(|| Options::from_bytes(table.buffer, table.position))
    }
}

fn volume(dims: &[u64]) -> u64 {
    dims.iter().fold(1, |all, &n| all.saturating_mul(n))
}

#[cfg(test)]
mod tests {
    use arenite_model::tensor_type::FLOAT32;
    use arenite_model::writer::{ModelBuilder, Operator as Written, SubGraph, Tensor};

    use super::*;

    /// The count of one operator, whose last shape is its output's.
    fn count(op: &str, shapes: &[&[i32]], with: impl FnOnce(Written) -> Written) -> Option<u64> {
        let (mut model, mut graph) = (ModelBuilder::new(), SubGraph::new("main"));
        let op = model.builtin(op, 1);
        let tensor = |(i, shape): (usize, &&[i32])| graph.tensor(Tensor::new(&i.to_string(), FLOAT32, shape));
        let tensors: Vec<i32> = shapes.iter().enumerate().map(tensor).collect();
        let (output, inputs) = tensors.split_last().expect("there is an output");
        graph.operator(with(Written::new(op, inputs, &[*output])));
        graph.outputs.push(*output);
        graph.inputs.extend(inputs);
        model.subgraph(graph);
        let bytes = model.finish();
        let model = Model::new(&bytes).expect("the model is valid");
        let subgraph = model.subgraph(0).expect("it has a subgraph");
        let shape = |t: usize| Some(subgraph.tensors().get(t)?.shape().iter().collect());
        let operator = subgraph.operators().get(0).expect("it has an operator");
        MacOp { model: &model, operator: &operator, shapes: &shape }.count()
    }

    #[test]
    fn sums_of_products_are_counted() {
        let plain = |op, shapes: &[&[i32]]| count(op, shapes, |operator| operator);
        let conv = plain("CONV_3D", &[&[1, 4, 4, 4, 2], &[3, 3, 3, 2, 5], &[1, 2, 2, 2, 5]]);
        assert_eq!(conv, Some(8 * 5 * 27 * 2));
        let back = plain("CONV_3D_TRANSPOSE", &[&[5], &[2, 2, 2, 5, 3], &[1, 2, 2, 2, 3], &[1, 4, 4, 4, 5]]);
        assert_eq!(back, Some(8 * 3 * 8 * 5));
        let svdf = plain("SVDF", &[&[2, 7], &[6, 7], &[6, 4], &[3], &[2, 24], &[2, 3]]);
        assert_eq!(svdf, Some(2 * (6 * 7 + 6 * 4)));
        let rnn = plain("RNN", &[&[2, 7], &[3, 7], &[3, 3], &[3], &[2, 3], &[2, 3]]);
        assert_eq!(rnn, Some(2 * (3 * 7 + 3 * 3)));
        assert_eq!(plain("RELU", &[&[4], &[4]]), None);
    }

    /// Field 0 of the options is `adj_x`; the summed dimension then is the second to last.
    #[test]
    fn a_transposed_operand_is_summed_over_its_rows() {
        let shapes: [&[i32]; 3] = [&[5, 3], &[5, 7], &[3, 7]];
        let adjoint = count("BATCH_MATMUL", &shapes, |operator| operator.options(101, |o| o.bool(0, true)));
        assert_eq!(adjoint, Some(3 * 7 * 5));
        let shapes: [&[i32]; 3] = [&[3, 5], &[5, 7], &[3, 7]];
        assert_eq!(count("BATCH_MATMUL", &shapes, |operator| operator), Some(3 * 7 * 5));
    }
}
