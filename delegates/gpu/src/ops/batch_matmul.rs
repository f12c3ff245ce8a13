//! Products of matrices that are both computed at run time.

use arenite_abi::prelude::*;
use arenite_base::Clamp;
use arenite_layers::Id;
use arenite_layers::layer::BatchMatmul;
use arenite_layers::layer::batch_matmul::{Sizes, View};
use arenite_layers::layer::matrices::Starts;

use super::tiled::Product;
use crate::device::{Definition, Slots};
use crate::kernels::{self, Matrices};
use crate::net::Node;
use crate::plan::builder::Builder;
use crate::plan::fused_task::FusedTask;
use crate::plan::task::Buffer;
use crate::store::layout::Layout;

/// Rows per work-item.
const ROWS: usize = 4;

/// Adds the tasks of a layer.
pub(super) fn build<'a>(
    layer: &BatchMatmul<'a>,
    node: &Node<'a>,
    builder: &mut Builder<'_, 'a>,
) -> Result<()> {
    let Sizes { rows, depth, columns, .. } = layer.sizes;
    let (a, a_view) = operand(node.inputs[0], &layer.views[0], [rows, depth], builder)?;
    let (b, b_view) = operand(node.inputs[1], &layer.views[1], [depth, columns], builder)?;
    let to = builder.layout_of(node.outputs[0]);
    let (to_view, scattered) = result_view(&layer.views[2], [rows, columns], to);
    let products = layer.batches.count();
    let starts = starts(layer, [&a_view, &b_view, &to_view]);
    let result = Layout { rows, channels: columns };
    let bias = builder.bias(layer.bias, result)?;
    if is_of_slices(&a_view) && is_of_slices(&b_view) && depth.is_multiple_of(4) && !scattered {
        let product = Product {
            operands: [a, b],
            strides: [&a_view, &b_view, &to_view].map(|view| view.row / 4),
            starts: starts.iter().map(|starts| starts.map(|start| start / 4)).collect(),
            sizes: [rows, depth / 4, columns],
            bias,
        };
        let task =
            FusedTask { clamp: layer.clamp, functions: &layer.epilogue, ..of_slices(&product, builder)? };
        return task.push(builder, to, node.outputs[0]).map(drop);
    }
    let starts =
        builder.table(&starts.into_iter().flatten().map(|start| start as i32).collect::<Vec<_>>())?;
    let numbers = matrices(products, layer.sizes, [&a_view, &b_view, &to_view], to);
    let task = FusedTask {
        call: kernels::BatchMatmul { a, b, starts, bias, numbers }.into(),
        definitions: Definition::flags([("SLICES", is_of_slices(&b_view)), ("SCATTERED", scattered)]),
        grid: [result.slices(), rows.div_ceil(ROWS), products],
        clamp: layer.clamp,
        functions: &layer.epilogue,
    };
    task.push_within(slots(builder, scattered), builder, to, node.outputs[0]).map(drop)
}

/// The numbers of `products` products of matrices seen through views.
fn matrices(products: usize, sizes: Sizes, [a, b, to]: [&View; 3], layout: Layout) -> Matrices {
    let Sizes { rows, depth, columns, .. } = sizes;
    Matrices {
        products,
        rows,
        depth,
        columns,
        slices: columns.div_ceil(4),
        a_row: a.row,
        a_column: a.column,
        b_row: b.row,
        b_column: b.column,
        to_row: to.row,
        to_channels: layout.channels,
        to_pitch: layout.pitch(),
    }
}

/// The capacity of the kernel's epilogue. With scattered results, operands would have another layout, so it reads none.
fn slots(builder: &Builder<'_, '_>, scattered: bool) -> Slots {
    let slots = builder.options.slots;
    if scattered { Slots { operands: 0, ..slots } } else { slots }
}

/// The task of matrices with whole slices, without clamp and functions.
pub(super) fn of_slices<'e>(product: &Product, builder: &mut Builder<'_, '_>) -> Result<FusedTask<'e>> {
    if builder.options.tiles.take(product.sizes) {
        return product.tiled(builder);
    }
    if builder.options.products {
        return product.direct(builder);
    }
    let Product { operands: [a, b], strides, starts, sizes: [rows, depth, columns], bias } = product;
    let ([a_row, b_row, to_row], slices) = (strides.map(|slices| 4 * slices), columns.div_ceil(4));
    let numbers = Matrices {
        products: starts.len(),
        rows: *rows,
        depth: 4 * depth,
        columns: *columns,
        slices,
        a_row,
        a_column: 1,
        b_row,
        b_column: 1,
        to_row,
        to_channels: *columns,
        to_pitch: to_row,
    };
    let starts: Vec<i32> = starts.iter().flatten().map(|&start| 4 * start as i32).collect();
    let starts = builder.table(&starts)?;
    Ok(FusedTask {
        call: kernels::BatchMatmul { a: *a, b: *b, starts, bias: *bias, numbers }.into(),
        definitions: Definition::flags([("SLICES", true)]),
        grid: [slices, rows.div_ceil(ROWS), numbers.products],
        clamp: Clamp::NONE,
        functions: &[],
    })
}

/// The view of the result's matrices, and whether elements are written one at a time.
fn result_view(view: &View, sizes: [usize; 2], to: Layout) -> (View, bool) {
    let columns = sizes[1];
    match spread(view, sizes, to) {
        Some(view) if is_of_slices(&view) && (columns == to.channels || columns.is_multiple_of(4)) => {
            (view, false)
        }
        _ => (view.clone(), true),
    }
}

/// The first elements of both operands and the result of each product.
fn starts(layer: &BatchMatmul<'_>, [a, b, to]: [&View; 3]) -> Vec<[usize; 3]> {
    let start = |product| {
        let [x, y] = layer.batches.of(product);
        [a.starts.of(x), b.starts.of(y), to.starts.of(product)]
    };
    (0..layer.batches.count()).map(start).collect()
}

/// The buffer of an operand and the view of its matrices. The tensor is copied if rows or columns are not evenly
/// spaced.
fn operand(id: Id, view: &View, sizes: [usize; 2], builder: &mut Builder<'_, '_>) -> Result<(Buffer, View)> {
    let place = builder.place(id)?;
    if let Some(view) = spread(view, sizes, place.layout) {
        return Ok((place.buffer, view));
    }
    let flat = Layout { rows: 1, channels: place.layout.len() };
    Ok((builder.view(id, flat)?.buffer, view.clone()))
}

/// The view of matrices in a padded tensor, if rows and columns are evenly spaced there, too.
fn spread(view: &View, [rows, columns]: [usize; 2], layout: Layout) -> Option<View> {
    let (channels, pitch) = (layout.channels, layout.pitch());
    let place = |element: usize| element / channels * pitch + element % channels;
    // A step spans whole rows or stays inside of one.
    let step = |n: usize| if n.is_multiple_of(channels) { n / channels * pitch } else { n };
    // A single column has no step.
    let (row, column) = (step(view.row), if columns == 1 { 1 } else { step(view.column) });
    let mut starts = Vec::with_capacity(view.starts.count());
    for start in (0..view.starts.count()).map(|i| view.starts.of(i)) {
        let even = |r: usize, c: usize| {
            place(start + r * view.row + c * view.column) == place(start) + r * row + c * column
        };
        // Padding is monotonic, so it suffices to check the corners.
        if !(even(rows - 1, 0) && even(0, columns - 1) && even(rows - 1, columns - 1)) {
            return None;
        }
        starts.push(place(start));
    }
    Some(View { starts: Starts::Listed(starts), row, column })
}

/// Whether rows consist of whole slices.
fn is_of_slices(view: &View) -> bool {
    let mut starts = (0..view.starts.count()).map(|i| view.starts.of(i));
    view.column == 1 && view.row.is_multiple_of(4) && starts.all(|start| start.is_multiple_of(4))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two heads of three values, in rows of six that are padded to eight.
    #[test]
    fn views_of_padded_tensors() {
        let heads = View { starts: Starts::Listed(vec![0, 3]), row: 6, column: 1 };
        let layout = Layout { rows: 5, channels: 6 };
        let seen = spread(&heads, [5, 3], layout);
        assert_eq!(seen, Some(View { row: 8, ..heads.clone() }));
        let transposed = spread(&heads.clone().transposed(), [3, 5], layout);
        assert_eq!(transposed, Some(View { row: 1, column: 8, ..heads.clone() }));
        // Matrices whose rows cross the tensor's rows.
        assert_eq!(spread(&View::whole(1, 10, 3), [10, 3], layout), None);
        assert_eq!(spread(&View::whole(1, 5, 6), [5, 6], layout).map(|view| view.row), Some(8));
    }

    #[test]
    fn slices_start_at_multiples_of_four() {
        assert!(is_of_slices(&View::whole(3, 2, 8)) && !is_of_slices(&View::whole(3, 2, 6)));
        assert!(!is_of_slices(&View::whole(1, 2, 8).transposed()));
        assert!(!is_of_slices(&View { starts: Starts::Listed(vec![2]), row: 8, column: 1 }));
    }
}
