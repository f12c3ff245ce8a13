//! TensorListFromTensor: a tensor list of the slices of a tensor along its first axis. Inputs: tensor, element shape.
//! Defined by: tensorflow/core/kernels/list_kernels.cc.

use std::borrow::Cow;

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;
use arenite_ops::kit::strings::{StringWriter, Strings, packed_bytes};

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::list::{Element, List, merge, shape_argument};

/// The op.
pub type TensorListFromTensor = Node<Definition>;

/// What it computes.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexTensorListFromTensor";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, _: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        Ok(None)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let x = call.input(0)?;
        let [count, inner @ ..] = x.shape else { return Err(invalid!("'{}' is a scalar", x.name)) };
        let shape: Vec<i64> = inner.iter().map(|&d| d.into()).collect();
        let known = merge(shape_argument(&call.input(1)?)?, Some(shape.clone()))?;
        let mut list = List::reserved(x.ty, known, (*count).into())?;
        let texts = slices(&x, *count as usize)?;
        let element = |data| Some(Element { shape: inner.to_vec(), data });
        list.elements = texts.iter().map(|data| element(data.as_ref())).collect();
        list.put(call.cx, 0)
    }
}

/// The data of `count` equal slices.
fn slices<'a>(x: &TensorView<'a>, count: usize) -> Result<Vec<Cow<'a, [u8]>>> {
    if x.ty != ElementType::String {
        let each = x.bytes().len() / count.max(1);
        return Ok((0..count).map(|i| Cow::Borrowed(&x.bytes()[i * each..][..each])).collect());
    }
    let strings: Vec<&[u8]> = Strings::of(x)?.iter().collect();
    let each = strings.len() / count.max(1);
    (0..count).map(|i| packed(&strings[i * each..][..each]).map(Cow::Owned)).collect()
}

fn packed(strings: &[&[u8]]) -> Result<Vec<u8>> {
    let bytes = packed_bytes(strings.len(), strings.iter().map(|s| s.len()).sum());
    let mut data = vec![0; bytes.ok_or_else(|| invalid!("strings do not fit 2 GiB"))?];
    let mut writer = StringWriter::new(&mut data, strings.len())?;
    strings.iter().try_for_each(|s| writer.push(s))?;
    writer.finish()?;
    Ok(data)
}
