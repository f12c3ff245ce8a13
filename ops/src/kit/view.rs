//! Ops whose output has the input's bytes in another shape.

use arenite_abi::prelude::*;

use super::indexing::Dims;
use super::rearrange::declare_shape;
use super::strings::Strings;

plain! {
    /// The shape of the output, if it does not depend on data.
    #[derive(Clone, Copy, Debug)]
    pub struct View {
        shape: Maybe<Dims>,
    }
}

impl View {
    /// Declares that output 0 has the bytes of input 0, whose type is `ty`, in another shape.
    ///
    /// # Errors
    /// The host refuses the shape.
    pub fn declare(shape: Option<Dims>, cx: &mut PrepareContext<'_>, ty: ElementType) -> Result<View> {
        declare_shape(shape.as_ref().map(Dims::as_slice), cx, 0, ty)?;
        if shape.is_some() && ty != ElementType::String {
            cx.allow_view(0, 0)?;
        }
        Ok(View { shape: shape.into() })
    }

    /// Copies the bytes, unless they are already in place; `late` returns the shape if `prepare` did not have it.
    ///
    /// # Errors
    /// The error of `late`, or the shape does not match the number of elements.
    pub fn eval(&self, cx: &EvalContext<'_>, late: impl FnOnce() -> Result<Dims>) -> Result<()> {
        if cx.node().input(0)?.ty == ElementType::String {
            return self.copy_strings(cx, late);
        }
        if self.shape.get().is_some() {
            return cx.copy_or_view(0, 0);
        }
        let shape = late()?;
        let x = cx.input(0)?.bytes();
        let y = cx.resize_output(0, shape.as_slice())?.into_bytes();
        ensure!(x.len() == y.len(), "{} bytes cannot have the shape {:?}", x.len(), shape.as_slice());
        y.copy_from_slice(x);
        Ok(())
    }

    fn copy_strings(&self, cx: &EvalContext<'_>, late: impl FnOnce() -> Result<Dims>) -> Result<()> {
        let shape = self.shape.get().map_or_else(late, Ok)?;
        let x = cx.input(0)?;
        let strings = Strings::of(&x)?;
        ensure!(
            strings.len() == shape.flat_size(),
            "{} strings cannot have the shape {:?}",
            strings.len(),
            shape.as_slice()
        );
        let x = x.bytes();
        cx.resize_string_output(0, shape.as_slice(), x.len())?.into_bytes().copy_from_slice(x);
        Ok(())
    }
}
