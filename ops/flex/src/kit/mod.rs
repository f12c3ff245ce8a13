//! Shared code of the ops.
//!
//! | module | contents |
//! |---|---|
//! | [`protobuf`] | [`Fields`](protobuf::Fields): a message field by field, checked |
//! | [`node_def`] | [`NodeDef`](node_def::NodeDef): the op and its attributes, by name |
//! | [`mod@write`] | custom options as a converter writes them |
//! | [`kernel`] | [`Kernel`](kernel::Kernel), the framework for most ops; [`Inputs`](kernel::Inputs), [`Call`](kernel::Call); `integers`, `shape_of`, `axis_of` |
//! | [`number`] | [`Number`](number::Number): widened elements; `by_type!`, `reals`, `put_reals`, `complexes`, … |
//! | [`complex`] | arithmetic and functions of complex numbers |
//! | [`functions`] | functions of reals and integers that the libraries lack |
//! | [`family`] | [`Family`](family::Family), `family!`: ops that differ only in parameters |
//! | [`unary`] | [`Unary`](unary::Unary): element-wise functions of one tensor |
//! | [`binary`] | [`Binary`](binary::Binary), [`Comparison`](binary::Comparison): element-wise functions of two tensors |
//! | [`arg`] | [`Arg`](arg::Arg): ArgMax and ArgMin |
//! | [`elements`] | [`pick`](elements::pick): rearranges elements of any type; `unravel`, `ravel` |
//! | [`same`] | [`CopyProgram`](same::CopyProgram): ops that copy their input |
//! | [`mod@concat`] | [`Concat`](concat::Concat): concatenation along an axis |
//! | [`split`] | [`Split`](split::Split): splitting along an axis |
//! | [`gather`] | [`Gather`](gather::Gather): gathering slices by indices |
//! | [`fft`] | [`transform`](fft::transform), [`Fourier`](fft::Fourier): Fourier transforms of any length |
//! | [`matrix`] | [`Matrix`](matrix::Matrix): LU, Cholesky, QR, eigenvalues |
//! | [`linear`] | [`Linear`](linear::Linear): ops on batches of matrices |
//! | [`window`] | [`Windows`](window::Windows): sliding windows over one to three axes, in any layout |
//! | [`pool`] | [`Pool`](pool::Pool): average and maximum pooling, and their gradients |
//! | [`scan`] | [`Scan`](scan::Scan): cumulative sums and products |
//! | [`scatter`] | [`Scatter`](scatter::Scatter): scattering updates by indices |
//! | [`pad`] | [`Pad`](pad::Pad): padding |
//! | [`color`] | [`Color`](color::Color): ops on three colors; `hsv`, `rgb` |
//! | [`suppression`] | [`select`](suppression::select): non-maximum suppression |
//! | [`diagonal`] | [`Diagonal`](diagonal::Diagonal): building, reading and replacing matrix diagonals |
//! | [`unique`] | [`Unique`](unique::Unique): the distinct elements of a list |
//! | [`resize`] | [`Resize`](resize::Resize): image resizing |
//! | [`regex`] | [`compile`](regex::compile): RE2's regular expressions; `replace` |
//! | [`text`] | [`TextEdit`](text::TextEdit), [`TextMeasure`](text::TextMeasure): ops that compute a string or a number from each string |
//! | [`base64`] | [`encode`](base64::encode), [`decode`](base64::decode) |
//! | [`example`] | [`Example`](example::Example): messages `tf.Example` |
//! | [`fake_quant`] | [`FakeQuant`](fake_quant::FakeQuant): rounding to the values of a quantized type |
//! | [`stateless`] | [`Stateless`](stateless::Stateless): random numbers that depend only on inputs |
//! | [`hash`] | [`sip`](hash::sip), [`farm`](hash::farm) |
//! | [`values`] | [`Values`](values::Values): all elements of a tensor, widened |
//! | [`matmul`] | [`MatMul`](matmul::MatMul): products of batches of matrices |
//! | [`reduce`] | [`Reduce`](reduce::Reduce): reductions along axes |
//! | [`list`] | [`List`](list::List): tensor lists, the values of VARIANT tensors, as bytes |
//! | [`random`] | [`Philox`](random::Philox), [`Source`](random::Source), [`draw`](random::draw): TensorFlow's random numbers |
//! | [`conv`] | [`Conv`](conv::Conv): convolutions and their gradients |
//! | [`bias`] | [`Bias`](bias::Bias): adding a bias per channel |
//! | [`batch_norm`] | [`BatchNorm`](batch_norm::BatchNorm): batch normalization |
//! | [`drawn`] | [`RandomDraw`](drawn::RandomDraw): random numbers from a distribution |
//! | [`rows`] | [`RowChange`](rows::RowChange): functions of rows of reals |
//! | [`segment`] | [`Segment`](segment::Segment): reductions per segment |

pub mod arg;
pub mod base64;
pub mod batch_norm;
pub mod bias;
pub mod binary;
pub mod color;
pub mod complex;
pub mod concat;
pub mod conv;
pub mod diagonal;
pub mod drawn;
pub mod elements;
pub mod example;
pub mod fake_quant;
pub mod family;
pub mod fft;
pub mod functions;
pub mod gather;
pub mod hash;
pub mod kernel;
pub mod linear;
pub mod list;
pub mod matmul;
pub mod matrix;
pub mod node_def;
pub mod number;
pub mod pad;
pub mod pool;
pub mod protobuf;
pub mod random;
pub mod reduce;
pub mod regex;
pub mod resize;
pub mod rows;
pub mod same;
pub mod scan;
pub mod scatter;
pub mod segment;
pub mod split;
pub mod stateless;
pub mod suppression;
#[cfg(test)]
pub(crate) mod testing;
pub mod text;
pub mod unary;
pub mod unique;
pub mod values;
pub mod window;
pub mod write;
