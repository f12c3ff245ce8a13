//! PAD, PADV2, MIRROR_PAD: the input is surrounded by a constant or by its mirror images; any type of whole bytes.
//!
//! ```text
//! ┌──────────────────────────────┐   along the first axis: whole slabs before and after
//! ├────────┬────────────┬────────┤   along the next: the remaining parts
//! │        │   input    │        │
//! ├────────┴────────────┴────────┤
//! └──────────────────────────────┘
//! ```

use arenite_abi::prelude::*;
use arenite_abi::schema::{MirrorPadOptions, mirror_pad};
use arenite_base::Dim;

use super::source::{Source, expect_elements};
use crate::layer::moves::{BoxCopy, Nest, padding, strides, width};
use crate::layer::{Common, Moves};
use crate::net::Node;

/// Elements before and after the input along each axis.
fn paddings(x: &Source<'_, '_>) -> Result<Vec<[usize; 2]>> {
    let ((_, a), (_, y)) = (x.input(0)?, x.output(0)?);
    expect_elements(a)?;
    expect_elements(y)?;
    let list = x.integers(1)?;
    ensure!(
        a.ty == y.ty && a.shape.len() == y.shape.len() && list.len() == 2 * a.shape.len(),
        "input {:?}, output {:?} and {} paddings do not fit",
        a.shape,
        y.shape,
        list.len()
    );
    let mut pairs = Vec::new();
    for (i, pair) in list.chunks_exact(2).enumerate() {
        let [Ok(before), Ok(after)] = [usize::try_from(pair[0]), usize::try_from(pair[1])] else {
            return Err(invalid!("paddings {pair:?} of axis {i} are negative"));
        };
        let padded = before.checked_add(a.shape[i]).and_then(|size| size.checked_add(after));
        ensure!(
            padded == Some(y.shape[i]),
            "axis {i} is {} and padded by {pair:?}, the output has {}",
            a.shape[i],
            y.shape[i]
        );
        pairs.push([before, after]);
    }
    Ok(pairs)
}

/// Lowers PAD, which may also have a value, as PADV2.
pub(super) fn pad<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    match x.optional_input(2) {
        Some(_) => pad_v2(x),
        None => constant(x, zero(x)?),
    }
}

/// Lowers PADV2.
pub(super) fn pad_v2<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let (_, value) = x.input(2)?;
    let Some(data) = value.data() else {
        return Err(unsupported!("{value} is not constant"));
    };
    let mut fill = [0; 16];
    let bytes = data.get(..width(value)?);
    let bytes = bytes.ok_or_else(|| invalid!("{value} is empty"))?;
    fill[..bytes.len()].copy_from_slice(bytes);
    constant(x, fill)
}

/// The element for zero: the output's zero point if both tensors are quantized, whatever the input's quantization is.
pub(super) fn zero(x: &Source<'_, '_>) -> Result<[u8; 16]> {
    let ((_, a), (_, y)) = (x.input(0)?, x.output(0)?);
    let is_quantized = a.ty == U8 || x.node.input(0)?.quantization().is_some();
    let zero_point = y.quant.filter(|_| is_quantized).map_or(0, |quant| quant.zero_point);
    let mut fill = [0; 16];
    match a.ty {
        I8 | U8 => fill[0] = zero_point as u8,
        I16 => fill[..2].copy_from_slice(&(zero_point as i16).to_ne_bytes()),
        _ => {}
    }
    Ok(fill)
}

fn constant<'a>(x: &Source<'_, 'a>, fill: [u8; 16]) -> Result<Node<Common<'a>>> {
    let pairs = paddings(x)?;
    let ((from, a), (to, _)) = (x.input(0)?, x.output(0)?);
    let layer = Common::Moves(padding(&a.shape, &pairs, width(a)?, fill));
    Ok(Node::new(layer, vec![from], vec![to]))
}

/// Lowers MIRROR_PAD: along each axis a mirrored part, the input, and another mirrored part; one box per combination.
pub(super) fn mirror<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let pairs = paddings(x)?;
    let ((from, a), (to, y)) = (x.input(0)?, x.output(0)?);
    let mode = x.node.options()?.get(MirrorPadOptions::MODE)?;
    // REFLECT does not repeat the element at the border.
    let border = usize::from(mode == mirror_pad::REFLECT);
    let (sources, targets) = (strides(&a.shape), strides(&y.shape));
    let mut parts: Vec<(usize, usize, Vec<Dim>)> = vec![(0, 0, Vec::new())];
    for (i, &[before, after]) in pairs.iter().enumerate() {
        let size = a.shape[i];
        ensure!(
            before.max(after) + border <= size,
            "axis {i} has {size} elements, paddings {before} and {after} cannot be mirrored"
        );
        let (s, t) = (sources[i], targets[i]);
        // First elements of source and target, size, direction in the source.
        let sections = [
            ((before + border).wrapping_sub(1), 0, before, -1),
            (0, before, size, 1),
            (size.wrapping_sub(1 + border), before + size, after, -1),
        ];
        let sections = sections.into_iter().filter(|section| section.2 > 0);
        parts = sections
            .flat_map(|(first, target, count, step)| {
                parts.iter().map(move |(from, to, dims)| {
                    let mut dims = dims.clone();
                    dims.push(Dim { size: count, from: s * step, to: t });
                    (from + first * s as usize, to + target * t as usize, dims)
                })
            })
            .collect();
    }
    let boxes =
        parts.into_iter().map(|(from, to, dims)| BoxCopy::copied(Nest::new(from, to, dims))).collect();
    let layer = Common::Moves(Moves { name: "mirror pad", width: width(a)?, fill: [0; 16], boxes });
    Ok(Node::new(layer, vec![from], vec![to]))
}
