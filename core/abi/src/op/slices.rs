//! The elements of inputs and outputs during `eval`, without the descriptions of the tensors.

use super::EvalContext;
use crate::raw;
use crate::tensor::{Element, ElementType, elements};
use crate::{Result, ensure};

impl<'a> EvalContext<'a> {
    /// The elements of input `i`.
    ///
    /// # Errors
    /// As for [`input`](Self::input), or the input has another element type.
    #[inline]
    pub fn input_slice<T: Element>(&self, i: usize) -> Result<&'a [T]> {
        match self.input_port(i, T::TYPE) {
            // SAFETY: a port describes aligned elements of its type in memory that is valid for `'a`; no output
            // overlaps it, and it is no variable.
            Some((data, count)) => Ok(unsafe { core::slice::from_raw_parts(data.cast().as_ptr(), count) }),
            None => self.find_input(i),
        }
    }

    #[inline(never)]
    fn find_input<T: Element>(&self, i: usize) -> Result<&'a [T]> {
        let (data, count) = elements::<T>(self.apart_from_outputs(i)?)?;
        // SAFETY: `elements` gives an aligned address and as many elements as the data has, which `from_raw` requires
        // to be valid for `'a`; no output and no variable that was handed out overlaps it, checked above.
        Ok(unsafe { core::slice::from_raw_parts(data.as_ptr(), count) })
    }

    /// The elements of input `i` like [`input_slice`](Self::input_slice), or `None` if it is absent.
    ///
    /// # Errors
    /// As for [`input_slice`](Self::input_slice), except that the input may be absent.
    #[inline]
    pub fn optional_slice<T: Element>(&self, i: usize) -> Result<Option<&'a [T]>> {
        if self.input_port(i, T::TYPE).is_some() || self.has_input(i) {
            return self.input_slice(i).map(Some);
        }
        Ok(None)
    }

    /// Whether the node has input `i`.
    #[inline]
    pub fn has_input(&self, i: usize) -> bool {
        self.node().input_indices().get(i).is_some_and(|&index| index != -1)
    }

    /// The element type of input `i`; `None` if it is absent or of an unknown type.
    pub fn input_type(&self, i: usize) -> Option<ElementType> {
        let node = self.node();
        let raw = node.raw_at(node.input_indices(), i, "input").ok()?;
        ElementType::from_raw(raw.element_type)
    }

    /// The elements of output `i`. Only once per call.
    ///
    /// # Errors
    /// As for [`output`](Self::output), or the output has another element type.
    #[inline]
    pub fn output_slice<T: Element>(&self, i: usize) -> Result<&'a mut [T]> {
        let Some((data, count)) = self.output_port(i, T::TYPE) else { return self.find_output(i) };
        self.handed_out.output(i)?;
        // SAFETY: a port describes aligned elements of its type in memory that is valid for `'a`, not constant, and
        // that no input overlaps; the output is handed out only once, checked above; `from_raw` requires that it
        // overlaps no other output.
        Ok(unsafe { core::slice::from_raw_parts_mut(data.cast().as_ptr(), count) })
    }

    #[inline(never)]
    fn find_output<T: Element>(&self, i: usize) -> Result<&'a mut [T]> {
        let raw = self.apart_from_inputs(i)?;
        ensure!(raw.flags & raw::TENSOR_CONSTANT == 0, "output {i} is constant");
        let (data, count) = elements::<T>(raw)?;
        self.handed_out.output(i)?;
        // SAFETY: `elements` gives an aligned address and as many elements as the data has; the output is handed out
        // only once and overlaps no input, both checked above; `from_raw` requires that it overlaps no other output.
        Ok(unsafe { core::slice::from_raw_parts_mut(data.as_ptr(), count) })
    }
}
