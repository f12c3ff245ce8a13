//! Products of matrices that are both known at run time only.

use arenite_abi::prelude::*;
use arenite_layers::ops::BatchMatmul;
use arenite_layers::ops::batch_matmul::{Sizes, View};
use arenite_layers::ops::matrices::Starts;
use arenite_layers::{Clamp, Id};

use super::conv_2d::bias;
use super::tiled::Product;
use super::{WithEpilogue, flagged, layout_of, push, push_within};
use crate::builder::{Argument, Buffer, Builder, numbers};
use crate::device::Slots;
use crate::kernel_name::KernelName;
use crate::layout::Layout;
use crate::net::Node;
use crate::work_groups::Kind;

/// Rows of one work-item.
const ROWS: usize = 4;

/// The task of a layer.
pub fn build<'a>(layer: &BatchMatmul<'a>, node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<()> {
    let Sizes { rows, depth, columns, .. } = layer.sizes;
    let (a, a_view) = operand(node.inputs[0], &layer.views[0], [rows, depth], builder)?;
    let (b, b_view) = operand(node.inputs[1], &layer.views[1], [depth, columns], builder)?;
    let to = layout_of(builder, node.outputs[0]);
    let (to_view, scattered) = result_view(&layer.views[2], [rows, columns], to);
    let products = layer.batches.count();
    let starts = starts(layer, [&a_view, &b_view, &to_view]);
    let result = Layout { rows, channels: columns };
    let bias = bias(layer.bias, result, builder)?;
    if is_of_slices(&a_view) && is_of_slices(&b_view) && depth.is_multiple_of(4) && !scattered {
        let product = Product {
            operands: [a, b],
            strides: [&a_view, &b_view, &to_view].map(|view| view.row / 4),
            starts: starts.iter().map(|starts| starts.map(|start| start / 4)).collect(),
            sizes: [rows, depth / 4, columns],
            bias,
        };
        let task =
            WithEpilogue { clamp: layer.clamp, functions: &layer.epilogue, ..of_slices(&product, builder)? };
        return push(builder, task, to, node.outputs[0]).map(drop);
    }
    let starts =
        builder.table(&starts.into_iter().flatten().map(|start| start as i32).collect::<Vec<_>>())?;
    let mut arguments = [a, b, starts, bias].map(Argument::Buffer).to_vec();
    arguments.extend(numbers(&[products, rows, depth, columns, result.slices()])?);
    arguments.extend(numbers(&[a_view.row, a_view.column, b_view.row, b_view.column])?);
    arguments.extend(numbers(&[to_view.row, to.channels, to.pitch()])?);
    let flags = [("SLICES", is_of_slices(&b_view)), ("SCATTERED", scattered)];
    let task = WithEpilogue {
        name: KernelName::BatchMatmul,
        definitions: flagged(flags),
        arguments,
        grid: [result.slices(), rows.div_ceil(ROWS), products],
        kind: Kind::Other,
        clamp: layer.clamp,
        functions: &layer.epilogue,
    };
    push_within(slots(builder, scattered), builder, task, to, node.outputs[0]).map(drop)
}

/// Of the kernel's epilogue. Where results go elsewhere, operands do not lie as they do.
fn slots(builder: &Builder<'_, '_>, scattered: bool) -> Slots {
    let slots = builder.with.slots;
    if scattered { Slots { operands: 0, ..slots } } else { slots }
}

/// The task of matrices of whole slices, but for what is done to results.
pub(super) fn of_slices<'e>(product: &Product, builder: &mut Builder<'_, '_>) -> Result<WithEpilogue<'e>> {
    if builder.with.tiles.take(product.sizes) {
        return product.task(builder);
    }
    if builder.with.products {
        return product.direct(builder);
    }
    let Product { operands: [a, b], strides, starts, sizes: [rows, depth, columns], bias } = product;
    let [a_row, b_row, to_row] = strides.map(|slices| 4 * slices);
    let products = starts.len();
    let starts: Vec<i32> = starts.iter().flatten().map(|&start| 4 * start as i32).collect();
    let starts = builder.table(&starts)?;
    let mut arguments = [*a, *b, starts, *bias].map(Argument::Buffer).to_vec();
    arguments.extend(numbers(&[products, *rows, 4 * depth, *columns, columns.div_ceil(4)])?);
    arguments.extend(numbers(&[a_row, 1, b_row, 1])?);
    arguments.extend(numbers(&[to_row, *columns, to_row])?);
    Ok(WithEpilogue {
        name: KernelName::BatchMatmul,
        definitions: flagged([("SLICES", true)]),
        arguments,
        grid: [columns.div_ceil(4), rows.div_ceil(ROWS), products],
        kind: Kind::Other,
        clamp: Clamp::NONE,
        functions: &[],
    })
}

/// Where matrices of the result lie, and whether their elements are written one by one.
fn result_view(view: &View, sizes: [usize; 2], to: Layout) -> (View, bool) {
    let columns = sizes[1];
    match spread(view, sizes, to) {
        Some(view) if is_of_slices(&view) && (columns == to.channels || columns.is_multiple_of(4)) => {
            (view, false)
        }
        _ => (view.clone(), true),
    }
}

/// Where the matrices of each product begin: both operands, and the result.
fn starts(layer: &BatchMatmul<'_>, [a, b, to]: [&View; 3]) -> Vec<[usize; 3]> {
    let start = |product| {
        let [x, y] = layer.batches.of(product);
        [a.starts.of(x), b.starts.of(y), to.starts.of(product)]
    };
    (0..layer.batches.count()).map(start).collect()
}

/// Where an operand lies, and its matrices there: the tensor is moved if they do not lie evenly.
fn operand(id: Id, view: &View, sizes: [usize; 2], builder: &mut Builder<'_, '_>) -> Result<(Buffer, View)> {
    let place = builder.place(id)?;
    if let Some(view) = spread(view, sizes, place.layout) {
        return Ok((place.buffer, view));
    }
    let flat = Layout { rows: 1, channels: place.layout.len() };
    Ok((builder.view(id, flat)?.buffer, view.clone()))
}

/// Matrices of a tensor whose rows are filled up, if their rows and columns are evenly apart there, too.
fn spread(view: &View, [rows, columns]: [usize; 2], layout: Layout) -> Option<View> {
    let (channels, pitch) = (layout.channels, layout.pitch());
    let place = |element: usize| element / channels * pitch + element % channels;
    // Across whole rows, or inside of one.
    let step = |n: usize| if n.is_multiple_of(channels) { n / channels * pitch } else { n };
    // After a single column there is no next.
    let (row, column) = (step(view.row), if columns == 1 { 1 } else { step(view.column) });
    let mut starts = Vec::with_capacity(view.starts.count());
    for start in (0..view.starts.count()).map(|i| view.starts.of(i)) {
        let even = |r: usize, c: usize| {
            place(start + r * view.row + c * view.column) == place(start) + r * row + c * column
        };
        // What is filled up grows from element to element: corners tell of all.
        if !(even(rows - 1, 0) && even(0, columns - 1) && even(rows - 1, columns - 1)) {
            return None;
        }
        starts.push(place(start));
    }
    Some(View { starts: Starts::Listed(starts), row, column })
}

/// Whether rows are made of whole slices.
fn is_of_slices(view: &View) -> bool {
    let mut starts = (0..view.starts.count()).map(|i| view.starts.of(i));
    view.column == 1 && view.row.is_multiple_of(4) && starts.all(|start| start.is_multiple_of(4))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two heads of three values, in rows of six, which are filled up to eight.
    #[test]
    fn matrices_between_what_fills_rows_up() {
        let heads = View { starts: Starts::Listed(vec![0, 3]), row: 6, column: 1 };
        let layout = Layout { rows: 5, channels: 6 };
        let seen = spread(&heads, [5, 3], layout);
        assert_eq!(seen, Some(View { row: 8, ..heads.clone() }));
        let transposed = spread(&heads.clone().transposed(), [3, 5], layout);
        assert_eq!(transposed, Some(View { row: 1, column: 8, ..heads.clone() }));
        // A matrix that is cut elsewhere than rows are.
        assert_eq!(spread(&View::whole(1, 10, 3), [10, 3], layout), None);
        assert_eq!(spread(&View::whole(1, 5, 6), [5, 6], layout).map(|view| view.row), Some(8));
    }

    #[test]
    fn slices_begin_at_every_fourth_element() {
        assert!(is_of_slices(&View::whole(3, 2, 8)) && !is_of_slices(&View::whole(3, 2, 6)));
        assert!(!is_of_slices(&View::whole(1, 2, 8).transposed()));
        assert!(!is_of_slices(&View { starts: Starts::Listed(vec![2]), row: 8, column: 1 }));
    }
}
