//! Matrices from diagonals, and diagonals of matrices. Any type.
//!
//! Diagonal `k` holds the elements `[i, i + k]`; a band holds the diagonals `lower..=upper`, the upper one first.
//! Shorter diagonals are aligned to the left or to the right of their row of the band.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use super::elements::{pick, unravel};
use super::kernel::{Call, Inputs, Program, shape_of};
use super::node_def::NodeDef;

/// The direction of the operation.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// Builds a matrix from a band. Inputs: band, k, rows, columns, value elsewhere.
    Matrix,
    /// Extracts the band of a matrix. Inputs: matrix, k, value elsewhere.
    Part,
    /// Replaces the band of a matrix. Inputs: matrix, band, k.
    Set,
}

/// The parameters that distinguish the ops of this family.
pub struct Member {
    /// The direction of the operation.
    pub kind: Kind,
    /// Whether the op has only the first inputs and uses the main diagonal.
    pub main: bool,
    /// Whether the op has no attribute `align`; all diagonals are then aligned to the left.
    pub left: bool,
}

/// A prepared node of the family.
pub struct Diagonal {
    align: Align,
    of: &'static Member,
}

/// Whether the diagonals above and below the main one are aligned to the right of their row.
#[derive(Clone, Copy)]
struct Align {
    upper_right: bool,
    lower_right: bool,
}

/// A band of diagonals of a matrix.
struct Band {
    lower: i64,
    upper: i64,
    rows: i64,
    columns: i64,
    align: Align,
}

impl Band {
    /// A band of an existing matrix must be within it; a matrix to be `made` grows to hold the band.
    fn new(k: &[i64], rows: i64, columns: i64, align: Align, made: bool) -> Result<Band> {
        let (lower, upper) = match *k {
            [k] => (k, k),
            [lower, upper] if lower <= upper => (lower, upper),
            _ => return Err(invalid!("diagonals are {k:?}; one or two in ascending order are needed")),
        };
        let inside = |k: i64| made || k > -rows && k < columns || k == 0;
        ensure!(
            inside(lower) && inside(upper),
            "diagonals {lower}..={upper} exceed a matrix of {rows} by {columns}"
        );
        Ok(Band { lower, upper, rows, columns, align })
    }

    fn length(&self, k: i64) -> i64 {
        (self.rows + k.min(0)).min(self.columns - k.max(0)).max(0)
    }

    /// The length of the longest diagonal of the band.
    fn width(&self) -> i64 {
        (self.rows + self.upper.min(0)).min(self.columns - self.lower.max(0)).max(0)
    }

    fn height(&self) -> i64 {
        self.upper - self.lower + 1
    }

    /// The offset of diagonal `k` in its row of the band.
    fn start(&self, k: i64) -> i64 {
        let right = if k >= 0 { self.align.upper_right } else { self.align.lower_right };
        if right { self.width() - self.length(k) } else { 0 }
    }

    /// The index within the band of the element at `[row, column]` of the matrix.
    fn place(&self, row: i64, column: i64) -> Option<usize> {
        let k = column - row;
        if k < self.lower || k > self.upper {
            return None;
        }
        let along = row.min(column) + self.start(k);
        Some(((self.upper - k) * self.width() + along) as usize)
    }

    /// The index within the matrix of the element at `place` of the band.
    fn element(&self, place: usize) -> Option<usize> {
        let (line, along) = (place as i64 / self.width().max(1), place as i64 % self.width().max(1));
        let k = self.upper - line;
        let i = along - self.start(k);
        if i < 0 || i >= self.length(k) {
            return None;
        }
        Some(((i - k.min(0)) * self.columns + i + k.max(0)) as usize)
    }
}

impl Diagonal {
    fn argument(&self, x: &Inputs<'_, '_>, i: usize, default: i64) -> Result<Option<Vec<i64>>> {
        if self.of.main { Ok(Some(vec![default])) } else { x.integers(i) }
    }

    /// The band, the shape of one band, and the batch axes.
    fn band(&self, x: &Inputs<'_, '_>) -> Result<Option<(Band, Dims)>> {
        let dims = x.dims(0)?;
        let Some(k) = self.argument(x, if self.of.kind == Kind::Set { 2 } else { 1 }, 0)? else {
            return Ok(None);
        };
        let one = |list: Vec<i64>| list.first().copied().unwrap_or(-1);
        let (inner, size) = if self.of.kind == Kind::Matrix {
            let (Some(rows), Some(columns)) = (self.argument(x, 2, -1)?, self.argument(x, 3, -1)?) else {
                return Ok(None);
            };
            let inner = if k.len() > 1 && k[0] != k[1] { 2 } else { 1 };
            ensure!(dims.rank() >= inner, "diagonals are {:?}; {inner} axes are needed", dims.as_slice());
            let longest = dims.size(dims.rank() - 1) as i64;
            let (lower, upper) = (k.first().copied().unwrap_or(0), k.last().copied().unwrap_or(0));
            (inner, matrix_size(one(rows), one(columns), longest, lower, upper)?)
        } else {
            ensure!(dims.rank() >= 2, "the matrix is {:?}; two axes are needed", dims.as_slice());
            (2, (dims.size(dims.rank() - 2) as i64, dims.size(dims.rank() - 1) as i64))
        };
        let outer = shape_of(dims.as_slice()[..dims.rank() - inner].iter().map(|&d| d.into()))?;
        Ok(Some((Band::new(&k, size.0, size.1, self.align, self.of.kind == Kind::Matrix)?, outer)))
    }
}

/// The numbers of rows and columns. A number that is −1 becomes the least that the diagonals need.
fn matrix_size(rows: i64, columns: i64, longest: i64, lower: i64, upper: i64) -> Result<(i64, i64)> {
    let limit = i64::from(i32::MAX);
    ensure!(
        [rows, columns, lower, upper].iter().all(|v| (-limit..=limit).contains(v)),
        "rows {rows}, columns {columns} and diagonals {lower}..={upper} are too large"
    );
    let (least_rows, least_columns) = (longest - upper.min(0), longest + lower.max(0));
    ensure!(
        (rows == -1 || rows >= least_rows) && (columns == -1 || columns >= least_columns),
        "{rows} rows and {columns} columns are too few; the diagonals need {least_rows} by {least_columns}"
    );
    ensure!(
        rows == -1 || columns == -1 || rows == least_rows || columns == least_columns,
        "{rows} rows and {columns} columns are too many; the diagonals need {least_rows} rows or {least_columns} columns"
    );
    Ok(match (rows, columns) {
        (-1, -1) => (least_rows.max(least_columns), least_rows.max(least_columns)),
        (-1, columns) => (least_rows, columns),
        (rows, -1) => (rows, least_columns),
        both => both,
    })
}

impl Program for Diagonal {
    type Member = Member;

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>, of: &'static Member) -> Result<Self> {
        let inputs = match (of.kind, of.main) {
            (Kind::Matrix, false) => 5,
            (Kind::Part | Kind::Set, false) => 3,
            (Kind::Set, true) => 2,
            (_, true) => 1,
        };
        node.expect(inputs..=inputs, 1..=1)?;
        let align = if of.main || of.left {
            3
        } else {
            def.choice("align", &["RIGHT_LEFT", "LEFT_RIGHT", "RIGHT_RIGHT", "LEFT_LEFT"])?
        };
        let align = Align { upper_right: matches!(align, 0 | 2), lower_right: matches!(align, 1 | 2) };
        Ok(Diagonal { align, of })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let Some((band, outer)) = self.band(x)? else { return Ok(None) };
        let outer = outer.as_slice().iter().map(|&d| i64::from(d));
        let stored = if band.height() == 1 { vec![band.width()] } else { vec![band.height(), band.width()] };
        let with = |inner: &[i64]| shape_of(outer.clone().chain(inner.iter().copied()).collect::<Vec<_>>());
        let (matrix, stored) = (with(&[band.rows, band.columns])?, with(&stored)?);
        let given = match self.of.kind {
            Kind::Matrix => Some(x.dims(0)?),
            Kind::Set => Some(x.dims(1)?),
            Kind::Part => None,
        };
        if let Some(given) = given {
            ensure!(
                given == stored,
                "diagonals are {:?}; a matrix of {} by {} needs {:?}",
                given.as_slice(),
                band.rows,
                band.columns,
                stored.as_slice()
            );
        }
        Ok(Some(if self.of.kind == Kind::Part { stored } else { matrix }))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let Some((band, _)) = self.band(&call.inputs())? else {
            return Err(invalid!("diagonals are not known"));
        };
        let matrix = (band.rows * band.columns) as usize;
        let stored = (band.height() * band.width()) as usize;
        let mut sources = vec![call.input(0)?];
        let mut outside = None;
        match self.of.kind {
            Kind::Set => sources.push(call.input(1)?),
            _ if !self.of.main => {
                sources.push(call.input(if self.of.kind == Kind::Part { 2 } else { 4 })?);
                outside = Some((1, 0));
            }
            _ => {}
        }
        let output = call.output_dims(0)?;
        let rank = output.rank();
        pick(call, 0, &sources, |k| {
            if self.of.kind == Kind::Part {
                let (image, place) = (k / stored, k % stored);
                return band.element(place).map(|e| (0, image * matrix + e)).or(outside);
            }
            let (at, image) = (unravel(k, &output), k / matrix);
            let place = band.place(at[rank - 2] as i64, at[rank - 1] as i64);
            match (place, self.of.kind) {
                (Some(place), Kind::Set) => Some((1, image * stored + place)),
                (Some(place), _) => Some((0, image * stored + place)),
                (None, Kind::Set) => Some((0, k)),
                (None, _) => outside,
            }
        })
    }
}
