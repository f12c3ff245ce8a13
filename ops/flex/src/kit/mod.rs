//! What ops share.
//!
//! | module | contents |
//! |---|---|
//! | [`protobuf`] | [`Fields`](protobuf::Fields): a message field by field, checked |
//! | [`node_def`] | [`NodeDef`](node_def::NodeDef): the op and its attributes by name |
//! | [`mod@write`] | custom options as a converter writes them |
//! | [`kernel`] | [`Kernel`](kernel::Kernel), the frame of most ops; [`Inputs`](kernel::Inputs), [`Call`](kernel::Call); `integers`, `shape_of`, `axis_of` |
//! | [`number`] | [`Number`](number::Number): elements widened; `by_type!`, `reals`, `put_reals`, `complexes`, … |
//! | [`complex`] | arithmetic and functions of complex numbers |
//! | [`functions`] | functions of reals and integers that the libraries lack |
//! | [`family`] | [`Family`](family::Family), `family!`: ops that differ by what stands in a table |
//! | [`unary`] | [`Unary`](unary::Unary): a function of each element |
//! | [`binary`] | [`Binary`](binary::Binary), [`Comparison`](binary::Comparison): a function of each pair of elements |
//! | [`arg`] | [`Arg`](arg::Arg): where the largest or smallest element along an axis is |
//! | [`elements`] | [`pick`](elements::pick): outputs of elements that nobody looks at; `unravel`, `ravel` |
//! | [`same`] | [`Same`](same::Same): the input as it is |
//! | [`mod@concat`] | [`Concat`](concat::Concat): inputs joined along an axis |
//! | [`split`] | [`Split`](split::Split): parts of the input along an axis |
//! | [`gather`] | [`Gather`](gather::Gather): the slices that indices name |
//! | [`fft`] | [`transform`](fft::transform), [`Fourier`](fft::Fourier): Fourier transforms of any length |
//! | [`matrix`] | [`Matrix`](matrix::Matrix): LU, Cholesky, QR, eigenvalues |
//! | [`linear`] | [`Linear`](linear::Linear): ops on stacks of matrices |
//! | [`window`] | [`Windows`](window::Windows): windows over one to three axes in any layout |
//! | [`pool`] | [`Pool`](pool::Pool): means and maxima of windows, their gradients |
//! | [`scan`] | [`Scan`](scan::Scan): running sums and products |
//! | [`scatter`] | [`Scatter`](scatter::Scatter): updates where indices say |
//! | [`pad`] | [`Pad`](pad::Pad): the input in a larger tensor |
//! | [`color`] | [`Color`](color::Color): ops on three colors; `hsv`, `rgb` |
//! | [`suppression`] | [`select`](suppression::select): boxes that do not overlap better ones |
//! | [`diagonal`] | [`Diagonal`](diagonal::Diagonal): matrices and their diagonals |
//! | [`unique`] | [`Unique`](unique::Unique): the different elements of a list |
//! | [`resize`] | [`Resize`](resize::Resize): images of another size |
//! | [`regex`] | [`compile`](regex::compile): RE2's expressions; `replace` |
//! | [`text`] | [`Edited`](text::Edited), [`Measured`](text::Measured): a string or a number of each string |
//! | [`hash`] | [`sip`](hash::sip), [`farm`](hash::farm) |
//! | [`values`] | [`Values`](values::Values): all elements of a tensor, widened |
//! | [`matmul`] | [`MatMul`](matmul::MatMul): products of stacks of matrices |
//! | [`reduce`] | [`Reduce`](reduce::Reduce): one result along axes |
//! | [`list`] | [`List`](list::List): tensor lists, the values of VARIANT tensors, as bytes |
//! | [`random`] | [`Philox`](random::Philox), [`Source`](random::Source), [`draw`](random::draw): TensorFlow's random numbers |
//! | [`conv`] | [`Conv`](conv::Conv): convolutions and their gradients |
//! | [`bias`] | [`Bias`](bias::Bias): a number per channel added |
//! | [`batch_norm`] | [`BatchNorm`](batch_norm::BatchNorm): channels normalized |
//! | [`drawn`] | [`Drawn`](drawn::Drawn): random numbers of a distribution |
//! | [`rows`] | [`Rows`](rows::Rows): reals to reals, row by row |
//! | [`segment`] | [`Segment`](segment::Segment): slices combined by segment |

pub mod arg;
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
pub mod suppression;
#[cfg(test)]
pub(crate) mod testing;
pub mod text;
pub mod unary;
pub mod unique;
pub mod values;
pub mod window;
pub mod write;
