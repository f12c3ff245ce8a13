//! Tensor lists: the values of VARIANT tensors, stored as plain bytes, so that copying the bytes copies the list.
//!
//! ```text
//! "ARTL" │ u32 version 1 │ u32 element type │ i32 rank of the element shape, −1: unknown │ u64 count
//! element shape: i32 sizes, −1: unknown
//! per element: u8 present │ i32 rank │ i32 sizes │ u64 bytes │ data, as in a tensor of that type
//! ```
//! All numbers are little-endian. Reading a list checks everything. An absent element represents zeros.
//! Defined by: tensorflow/core/kernels/tensor_list.h, list_kernels.h.

use std::borrow::Cow;

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;
use arenite_ops::kit::strings::{StringWriter, Strings, packed_bytes};

use super::kernel::{Call, shape_of};
use super::node_def::{NodeDef, element_type, number_of};

/// The maximum length of a list.
const LONGEST: usize = 1 << 20;
const MAGIC: &[u8] = b"ARTL\x01\0\0\0";

/// A list of tensors of one element type.
#[derive(Clone, Debug, PartialEq)]
pub struct List<'a> {
    /// The element type.
    pub ty: ElementType,
    /// The known part of the elements' shape: −1 for an unknown size, `None` for an unknown rank.
    pub shape: Option<Vec<i64>>,
    /// The elements; `None` is an absent element, which represents zeros.
    pub elements: Vec<Option<Element<'a>>>,
}

/// One tensor of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Element<'a> {
    /// The shape of the tensor.
    pub shape: Vec<i32>,
    /// The bytes of the tensor.
    pub data: &'a [u8],
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, bytes: u64) -> Result<&'a [u8]> {
        let split = usize::try_from(bytes).ok().and_then(|bytes| self.0.split_at_checked(bytes));
        let (taken, rest) = split.ok_or_else(|| invalid!("a tensor list ends inside an element"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn number<const N: usize>(&mut self) -> Result<[u8; N]> {
        self.take(N as u64)?.try_into().map_err(|_| invalid!("a tensor list ends inside a number"))
    }

    fn i32(&mut self) -> Result<i32> {
        self.number().map(i32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64> {
        self.number().map(u64::from_le_bytes)
    }

    fn sizes(&mut self, rank: i32) -> Result<Vec<i32>> {
        ensure!((0..=8).contains(&rank), "a tensor list has elements of rank {rank}; at most 8 is supported");
        (0..rank).map(|_| self.i32()).collect()
    }
}

impl<'a> List<'a> {
    /// Reads the list from a VARIANT tensor.
    ///
    /// # Errors
    /// The tensor has another type, or does not hold a valid list.
    pub fn of(x: &TensorView<'a>) -> Result<List<'a>> {
        ensure!(x.ty == ElementType::Variant, "{x} is {}, not VARIANT", x.ty);
        List::read(x.bytes()).map_err(|e| invalid!("{x}: {e}"))
    }

    /// Checks and reads the bytes of a list.
    ///
    /// # Errors
    /// The bytes are not a valid list.
    pub fn read(bytes: &'a [u8]) -> Result<List<'a>> {
        let mut reader = Reader(bytes);
        ensure!(bytes.starts_with(MAGIC), "the variant is not a tensor list");
        reader.take(MAGIC.len() as u64)?;
        let ty = element_type(u32::from_le_bytes(reader.number()?).into())?;
        let shape = match reader.i32()? {
            -1 => None,
            rank => Some(rank),
        };
        let count = reader.u64()?;
        let shape = shape.map(|rank| reader.sizes(rank)).transpose()?;
        let shape = shape.map(|sizes| sizes.into_iter().map(i64::from).collect());
        // Each element takes at least one byte, so a count that the bytes cannot hold is rejected before anything is
        // allocated.
        ensure!(
            count <= reader.0.len() as u64,
            "a tensor list of {count} elements in {} bytes",
            reader.0.len()
        );
        let elements = (0..count).map(|_| element(&mut reader, ty)).collect::<Result<_>>()?;
        ensure!(reader.0.is_empty(), "a tensor list ends before its bytes do");
        Ok(List { ty, shape, elements })
    }

    /// Returns a list of `count` absent elements.
    ///
    /// # Errors
    /// `count` is negative or above the limit.
    pub fn reserved(ty: ElementType, shape: Option<Vec<i64>>, count: i64) -> Result<List<'static>> {
        let fits = usize::try_from(count).ok().filter(|&count| count <= LONGEST);
        let count =
            fits.ok_or_else(|| invalid!("a tensor list of {count} elements; 0..={LONGEST} are supported"))?;
        Ok(List { ty, shape, elements: vec![None; count] })
    }

    /// Serializes the list.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend((number_of(self.ty) as u32).to_le_bytes());
        bytes.extend(self.shape.as_ref().map_or(-1, |shape| shape.len() as i32).to_le_bytes());
        bytes.extend((self.elements.len() as u64).to_le_bytes());
        for &size in self.shape.iter().flatten() {
            bytes.extend(i32::try_from(size).unwrap_or(-1).to_le_bytes());
        }
        for element in &self.elements {
            let Some(element) = element else {
                bytes.push(0);
                continue;
            };
            bytes.push(1);
            bytes.extend((element.shape.len() as i32).to_le_bytes());
            element.shape.iter().for_each(|size| bytes.extend(size.to_le_bytes()));
            bytes.extend((element.data.len() as u64).to_le_bytes());
            bytes.extend(element.data);
        }
        bytes
    }

    /// Writes the list to a VARIANT output.
    ///
    /// # Errors
    /// The output has another type, or the host cannot provide its memory.
    pub fn put(&self, cx: &EvalContext<'_>, output: usize) -> Result<()> {
        let to = cx.node().output(output)?;
        ensure!(to.ty == ElementType::Variant, "output {to} is {}; it must be VARIANT", to.ty);
        let bytes = self.bytes();
        let y = cx.resize_string_output(output, &[], bytes.len())?.into_bytes();
        ensure!(y.len() == bytes.len(), "a variant of {} bytes got {}", bytes.len(), y.len());
        y.copy_from_slice(&bytes);
        Ok(())
    }

    /// Returns element `i`.
    ///
    /// # Errors
    /// `i` is not an index of the list.
    pub fn get(&self, i: i64) -> Result<&Option<Element<'a>>> {
        let at = usize::try_from(i).ok().and_then(|i| self.elements.get(i));
        at.ok_or_else(|| invalid!("element {i} of a tensor list of {}", self.elements.len()))
    }

    /// The shape of these elements, merged from the list's shape, an argument, and the shapes of the elements that are
    /// present.
    ///
    /// # Errors
    /// The shapes contradict each other, or a size remains unknown.
    pub fn common_shape<'e>(
        &self,
        argument: Option<Vec<i64>>,
        elements: impl IntoIterator<Item = &'e Option<Element<'e>>>,
    ) -> Result<Dims> {
        let mut shape = merge(self.shape.clone(), argument)?;
        for element in elements.into_iter().flatten() {
            shape = merge(shape, Some(element.shape.iter().map(|&d| d.into()).collect()))?;
        }
        let shape = shape.ok_or_else(|| invalid!("the shape of a tensor list's elements is not known"))?;
        let known = shape.iter().all(|&size| size >= 0);
        ensure!(known, "the shape {shape:?} of a tensor list's elements is not fully known");
        shape_of(shape)
    }

    /// Checks that an output has the type of the elements.
    ///
    /// # Errors
    /// The types differ.
    pub fn check_output(&self, call: &Call<'_, '_>, output: usize) -> Result<()> {
        let y = call.cx.node().output(output)?;
        ensure!(
            y.ty == self.ty,
            "the list's elements are {}, output {y} is {}; they must agree",
            self.ty,
            y.ty
        );
        Ok(())
    }

    /// Writes an element to an output. An absent element becomes zeros; its shape is merged from the list's shape and
    /// an argument, or else from `neighbours`.
    ///
    /// # Errors
    /// The types differ, or the shape is not fully known.
    pub fn put_element(
        &self,
        call: &Call<'_, '_>,
        output: usize,
        element: &Option<Element<'_>>,
        argument: Option<Vec<i64>>,
        neighbours: &[Option<Element<'_>>],
    ) -> Result<()> {
        self.check_output(call, output)?;
        let known =
            |shape: &Option<Vec<i64>>| shape.as_ref().is_some_and(|s| s.iter().all(|&size| size >= 0));
        let shape = match element {
            Some(element) => shape_of(element.shape.iter().map(|&d| d.into()))?,
            None => {
                let enough = known(&merge(self.shape.clone(), argument.clone())?);
                self.common_shape(argument, if enough { &[] } else { neighbours })?
            }
        };
        put_elements(call, output, &shape, &[element], &[shape.flat_size()])
    }

    /// Checks that a tensor can be an element of the list.
    ///
    /// # Errors
    /// The type differs, or the shape does not match the list's.
    pub fn check(&self, x: &TensorView<'_>) -> Result<()> {
        ensure!(x.ty == self.ty, "{x} is {}, the list's elements are {}; they must agree", x.ty, self.ty);
        merge(self.shape.clone(), Some(x.shape.iter().map(|&d| d.into()).collect())).map(|_| ())
    }
}

fn element<'a>(reader: &mut Reader<'a>, ty: ElementType) -> Result<Option<Element<'a>>> {
    if reader.number::<1>()? == [0] {
        return Ok(None);
    }
    let rank = reader.i32()?;
    let shape = reader.sizes(rank)?;
    let dims = shape_of(shape.iter().map(|&d| d.into()))?;
    let bytes = reader.u64()?;
    let data = reader.take(bytes)?;
    let wanted = ty.bytes_of(dims.flat_size());
    ensure!(
        wanted.is_none_or(|wanted| wanted == data.len()),
        "an element of a tensor list has {} bytes, {ty}{shape:?} needs {}",
        data.len(),
        wanted.unwrap_or_default()
    );
    Ok(Some(Element { shape, data }))
}

/// Merges two partly known shapes.
///
/// # Errors
/// The shapes contradict each other.
pub fn merge(a: Option<Vec<i64>>, b: Option<Vec<i64>>) -> Result<Option<Vec<i64>>> {
    let (a, b) = match (a, b) {
        (Some(a), Some(b)) => (a, b),
        (a, b) => return Ok(a.or(b)),
    };
    let fits = a.len() == b.len() && a.iter().zip(&b).all(|(&a, &b)| a == b || a < 0 || b < 0);
    ensure!(fits, "shapes {a:?} and {b:?} of a tensor list's elements do not agree");
    Ok(Some(a.iter().zip(&b).map(|(&a, &b)| if a < 0 { b } else { a }).collect()))
}

/// Reads an element shape from an input; a scalar −1 is an unknown rank.
///
/// # Errors
/// The input is not a valid shape.
pub fn shape_argument(x: &TensorView<'_>) -> Result<Option<Vec<i64>>> {
    let sizes = super::kernel::integers(x)?;
    if x.rank() == 0 {
        ensure!(
            sizes == [-1],
            "the element shape is the scalar {}; a list of sizes, or -1, is needed",
            sizes.first().copied().unwrap_or_default()
        );
        return Ok(None);
    }
    ensure!(
        sizes.iter().all(|&size| size >= -1),
        "the element shape is {sizes:?}; sizes must be at least 0, or -1 if unknown"
    );
    Ok(Some(sizes))
}

/// The element type that the attributes of a new list name.
///
/// # Errors
/// The attribute is missing, or the type is not supported.
pub fn type_argument(def: &NodeDef<'_>) -> Result<ElementType> {
    def.ty("element_dtype")?.ok_or_else(|| invalid!("attribute 'element_dtype' is missing"))
}

/// Splits the rows of `x` into consecutive slices of `counts` rows each, and returns their data.
///
/// # Errors
/// The strings of `x` are malformed, or exceed 2 GiB.
pub fn slices<'a>(x: &TensorView<'a>, counts: &[usize]) -> Result<Vec<Cow<'a, [u8]>>> {
    let rows = x.shape.first().map_or(1, |&rows| rows as usize).max(1);
    let strings = if x.ty == ElementType::String { Strings::of(x)?.iter().collect() } else { Vec::new() };
    let (bytes, texts) = (x.bytes().len() / rows, strings.len() / rows);
    let mut start = 0;
    let slice = |&count: &usize| {
        let rows = start..start + count;
        start = rows.end;
        if x.ty == ElementType::String {
            return packed(&strings[rows.start * texts..rows.end * texts]).map(Cow::Owned);
        }
        Ok(Cow::Borrowed(&x.bytes()[rows.start * bytes..rows.end * bytes]))
    };
    counts.iter().map(slice).collect()
}

fn packed(strings: &[&[u8]]) -> Result<Vec<u8>> {
    let bytes = packed_bytes(strings.len(), strings.iter().map(|s| s.len()).sum());
    let mut data = vec![0; bytes.ok_or_else(|| invalid!("strings do not fit 2 GiB"))?];
    let mut writer = StringWriter::new(&mut data, strings.len())?;
    strings.iter().try_for_each(|s| writer.push(s))?;
    writer.finish()?;
    Ok(data)
}

/// Writes the concatenated elements to an output of this shape. An absent element becomes zeros or empty strings;
/// `counts` gives their number.
///
/// # Errors
/// The elements do not fit `shape`, or the output exceeds the host's limits.
pub fn put_elements(
    call: &Call<'_, '_>,
    output: usize,
    shape: &Dims,
    elements: &[&Option<Element<'_>>],
    counts: &[usize],
) -> Result<()> {
    let ty = call.cx.node().output(output)?.ty;
    if ty == ElementType::String {
        call.string_count(shape, 0)?;
        let mut texts: Vec<&[u8]> = Vec::new();
        for (element, &count) in elements.iter().zip(counts) {
            match element {
                Some(element) => texts.extend(Strings::new(element.data, count)?.iter()),
                None => texts.resize(texts.len() + count, &[]),
            }
        }
        return call.put_strings(output, shape, &texts);
    }
    let mut rest = call.cx.resize_output(output, shape.as_slice())?.into_bytes();
    for (element, &count) in elements.iter().zip(counts) {
        let bytes = ty.bytes_of(count).filter(|&bytes| bytes <= rest.len());
        let bytes = bytes.ok_or_else(|| invalid!("the elements of a tensor list do not fit {shape:?}"))?;
        let (y, behind) = rest.split_at_mut(bytes);
        match element {
            Some(element) => y.copy_from_slice(element.data),
            None => y.fill(0),
        }
        rest = behind;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_and_no_panic() {
        let list = List {
            ty: F32,
            shape: Some(vec![-1]),
            elements: vec![None, Some(Element { shape: vec![2], data: &[1, 2, 3, 4, 5, 6, 7, 8] })],
        };
        let bytes = list.bytes();
        assert_eq!(List::read(&bytes).unwrap(), list);
        assert_eq!(list.common_shape(None, &list.elements).unwrap().as_slice(), [2]);
        for i in 0..bytes.len() {
            assert!(List::read(&bytes[..i]).is_err());
            for value in [0, 1, 0x7f, 0xff] {
                let mut spoilt = bytes.clone();
                spoilt[i] = value;
                let _ = List::read(&spoilt);
            }
        }
        assert_eq!(List::read(b"").unwrap_err().message(), "the variant is not a tensor list");
    }

    #[test]
    fn shapes_merge() {
        assert_eq!(merge(None, Some(vec![1])).unwrap(), Some(vec![1]));
        assert_eq!(merge(Some(vec![-1, 2]), Some(vec![3, -1])).unwrap(), Some(vec![3, 2]));
        let error = merge(Some(vec![1]), Some(vec![2])).unwrap_err();
        assert_eq!(error.message(), "shapes [1] and [2] of a tensor list's elements do not agree");
    }
}
