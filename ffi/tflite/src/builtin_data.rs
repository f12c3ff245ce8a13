//! Writes the parameters of builtin ops as the structs of `builtin_op_data.h`, field by field in C's layout.

use arenite::abi::options::Options;
use arenite::abi::schema::{self, OPERATORS, OptionsTable, op};
use arenite::abi::{ElementType, NodeView, Result};

use crate::describe::type_of;

/// Where a node's options are read from.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    View(NodeView<'a>),
    /// The bytes of the file, and the position of the options table if the node has one.
    File(&'a [u8], Option<usize>),
}

impl<'a> Source<'a> {
    fn options<T: OptionsTable>(&self) -> Result<Options<'a, T>> {
        match *self {
            Source::View(view) => view.options(),
            Source::File(bytes, Some(position)) => Ok(Options::from_bytes(bytes, position)),
            Source::File(_, None) => Ok(Options::from_bytes(&[0; 8], 4)),
        }
    }
}

/// The bytes of a C struct, while they are written.
#[derive(Default)]
struct Struct(Vec<u8>);

impl Struct {
    fn int(&mut self, value: i32) {
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        self.0.extend(value.to_ne_bytes());
    }

    fn float(&mut self, value: f32) {
        self.int(i32::from_ne_bytes(value.to_ne_bytes()));
    }

    fn flag(&mut self, value: bool) {
        self.0.push(u8::from(value));
    }

    /// `kTfLitePaddingSame` is 1 and `kTfLitePaddingUnknown` 0, one more than in the schema. Mirror padding is shifted
    /// in the same way.
    fn padding(&mut self, value: i8) {
        self.int(i32::from(value) + 1);
    }

    fn number(&mut self, value: i8) {
        self.int(i32::from(value));
    }

    fn ty(&mut self, value: i8) {
        let ty = u32::try_from(value).ok().and_then(ElementType::from_raw);
        self.int(ty.map_or(0, type_of));
    }

    /// An array of eight values, followed by the number of values in use.
    fn list(&mut self, values: impl Iterator<Item = i32>) {
        let values: Vec<i32> = values.take(8).collect();
        (0..8).for_each(|i| self.int(values.get(i).copied().unwrap_or(0)));
        self.int(values.len() as i32);
    }

    /// Space for `ints` values that kernels compute from the shapes.
    fn room(&mut self, ints: usize) {
        (0..ints).for_each(|_| self.int(0));
    }

    /// The bytes as 8-byte words: C allocates the struct with an alignment for any type.
    fn finish(self) -> Box<[u64]> {
        let words = self.0.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_ne_bytes(word)
        });
        words.chain([0]).collect()
    }
}

/// `OPERATORS: Table(kind FIELD, …);` with the fields in the order of the C struct.
macro_rules! structs {
    ($($($op:ident)|+: $table:ident($($kind:ident $field:ident),* $(; room $room:literal)?);)*) => {
        /// Writes the struct of op `code`. Returns false if the op is not in the table.
        fn write(code: i32, source: Source<'_>, to: &mut Struct) -> Result<bool> {
            match code {
                $($(op::$op)|+ => {
                    let options = source.options::<schema::$table>()?;
                    $(structs!(@$kind to options $table $field);)*
                    $(to.room($room);)?
                })*
                _ => return Ok(false),
            }
            Ok(true)
        }
    };
    (@list $to:ident $options:ident $table:ident $field:ident) => {
        $to.list($options.get(schema::$table::$field)?.iter())
    };
    (@$kind:ident $to:ident $options:ident $table:ident $field:ident) => {
        $to.$kind($options.get(schema::$table::$field)?)
    };
}
structs! {
    CONV_2D: Conv2DOptions(padding PADDING, int STRIDE_W, int STRIDE_H, number FUSED_ACTIVATION_FUNCTION,
        int DILATION_W_FACTOR, int DILATION_H_FACTOR, ty QUANTIZED_BIAS_TYPE);
    DEPTHWISE_CONV_2D: DepthwiseConv2DOptions(padding PADDING, int STRIDE_W, int STRIDE_H, int DEPTH_MULTIPLIER,
        number FUSED_ACTIVATION_FUNCTION, int DILATION_W_FACTOR, int DILATION_H_FACTOR);
    AVERAGE_POOL_2D | MAX_POOL_2D | L2_POOL_2D: Pool2DOptions(padding PADDING, int STRIDE_W, int STRIDE_H, int FILTER_WIDTH,
        int FILTER_HEIGHT, number FUSED_ACTIVATION_FUNCTION; room 4);
    FULLY_CONNECTED: FullyConnectedOptions(number FUSED_ACTIVATION_FUNCTION, number WEIGHTS_FORMAT, flag KEEP_NUM_DIMS,
        flag ASYMMETRIC_QUANTIZE_INPUTS, ty QUANTIZED_BIAS_TYPE);
    TRANSPOSE_CONV: TransposeConvOptions(padding PADDING, int STRIDE_W, int STRIDE_H, number FUSED_ACTIVATION_FUNCTION,
        ty QUANTIZED_BIAS_TYPE);
    SOFTMAX: SoftmaxOptions(float BETA);
    CONCATENATION: ConcatenationOptions(int AXIS, number FUSED_ACTIVATION_FUNCTION);
    ADD: AddOptions(number FUSED_ACTIVATION_FUNCTION, flag POT_SCALE_INT16);
    SUB: SubOptions(number FUSED_ACTIVATION_FUNCTION, flag POT_SCALE_INT16);
    MUL: MulOptions(number FUSED_ACTIVATION_FUNCTION);
    DIV: DivOptions(number FUSED_ACTIVATION_FUNCTION);
    L2_NORMALIZATION: L2NormOptions(number FUSED_ACTIVATION_FUNCTION);
    LOCAL_RESPONSE_NORMALIZATION: LocalResponseNormalizationOptions(int RADIUS, float BIAS, float ALPHA, float BETA);
    BATCH_MATMUL: BatchMatMulOptions(flag ADJ_X, flag ADJ_Y, flag ASYMMETRIC_QUANTIZE_INPUTS);
    RESIZE_BILINEAR: ResizeBilinearOptions(flag ALIGN_CORNERS, flag HALF_PIXEL_CENTERS);
    RESIZE_NEAREST_NEIGHBOR: ResizeNearestNeighborOptions(flag ALIGN_CORNERS, flag HALF_PIXEL_CENTERS);
    RESHAPE: ReshapeOptions(list NEW_SHAPE);
    SQUEEZE: SqueezeOptions(list SQUEEZE_DIMS);
    SPACE_TO_DEPTH: SpaceToDepthOptions(int BLOCK_SIZE);
    DEPTH_TO_SPACE: DepthToSpaceOptions(int BLOCK_SIZE);
    CAST: CastOptions(ty IN_DATA_TYPE, ty OUT_DATA_TYPE);
    GATHER: GatherOptions(int AXIS, int BATCH_DIMS);
    MEAN | SUM | REDUCE_PROD | REDUCE_MAX | REDUCE_MIN | REDUCE_ANY | REDUCE_ALL: ReducerOptions(flag KEEP_DIMS);
    SPLIT: SplitOptions(int NUM_SPLITS);
    SPLIT_V: SplitVOptions(int NUM_SPLITS);
    STRIDED_SLICE: StridedSliceOptions(int BEGIN_MASK, int END_MASK, int ELLIPSIS_MASK, int NEW_AXIS_MASK,
        int SHRINK_AXIS_MASK, flag OFFSET);
    ARG_MAX: ArgMaxOptions(ty OUTPUT_TYPE);
    ARG_MIN: ArgMinOptions(ty OUTPUT_TYPE);
    SHAPE: ShapeOptions(ty OUT_TYPE);
    PACK: PackOptions(int VALUES_COUNT, int AXIS);
    UNPACK: UnpackOptions(int NUM, int AXIS);
    ONE_HOT: OneHotOptions(int AXIS);
    LEAKY_RELU: LeakyReluOptions(float ALPHA);
    MIRROR_PAD: MirrorPadOptions(padding MODE);
    REVERSE_SEQUENCE: ReverseSequenceOptions(int SEQ_DIM, int BATCH_DIM);
    CUMSUM: CumsumOptions(flag EXCLUSIVE, flag REVERSE);
    GELU: GeluOptions(flag APPROXIMATE);
}

/// A builtin op's parameters, as the program gets them.
pub(crate) enum Parameters {
    /// The op has no parameters.
    None,
    Struct(Box<[u64]>),
    /// The op has parameters, but this module does not write its struct.
    Unknown,
}

/// The parameters of builtin op `code`.
///
/// # Errors
/// If the options exceed the file or belong to another op.
pub(crate) fn parameters(code: i32, source: Source<'_>) -> Result<Parameters> {
    let mut to = Struct::default();
    if write(code, source, &mut to)? {
        return Ok(Parameters::Struct(to.finish()));
    }
    let table = OPERATORS.iter().find(|operator| operator.code == code).and_then(|operator| operator.options);
    Ok(if table.is_none_or(|table| table.fields.is_empty()) { Parameters::None } else { Parameters::Unknown })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The struct of an op whose options are absent, so that each field has its default.
    fn defaults(code: i32) -> Vec<u8> {
        match parameters(code, Source::File(&[], None)) {
            Ok(Parameters::Struct(words)) => words.iter().flat_map(|word| word.to_ne_bytes()).collect(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn fields_have_the_offsets_of_c() {
        let ints = |bytes: &[u8]| -> Vec<i32> {
            bytes.as_chunks::<4>().0.iter().map(|bytes| i32::from_ne_bytes(*bytes)).collect()
        };
        assert_eq!(ints(&defaults(op::CONV_2D))[..7], [1, 0, 0, 0, 1, 1, 1]);
        assert_eq!(ints(&defaults(op::DEPTHWISE_CONV_2D))[..7], [1, 0, 0, 0, 0, 1, 1]);
        // Activation, format, two flags that share 4 bytes, bias type.
        assert_eq!(ints(&defaults(op::FULLY_CONNECTED))[..4], [0, 0, 0, 1]);
        assert_eq!(defaults(op::ADD)[..5], [0, 0, 0, 0, 1]);
        assert_eq!(ints(&defaults(op::MAX_POOL_2D)).len() % 2, 0);
        assert!(ints(&defaults(op::MAX_POOL_2D)).len() >= 10);
        assert!(defaults(op::RESHAPE).len() >= 36);
    }

    #[test]
    fn ops_without_parameters_have_none() {
        let kind = |code| match parameters(code, Source::File(&[], None)) {
            Ok(Parameters::None) => "none",
            Ok(Parameters::Struct(_)) => "struct",
            _ => "unknown",
        };
        assert_eq!([op::NEG, op::SQRT, op::ADD, op::LSTM].map(kind), ["none", "none", "struct", "unknown"]);
    }
}
