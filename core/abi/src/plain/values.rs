//! Numbers, arrays, optional values and buffers of nodes as plain data.

use core::marker::PhantomData;

use super::{Image, Plain, PlainLayout, PlainLayouts, PointerWidth, both, named, record, signature};
use crate::tensor::{ElementType, Scratch, State, Table};
use crate::{Result, unsupported};

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Plain for $number {
            const LAYOUTS: PlainLayouts = both(size_of::<$number>(), size_of::<$number>());
            const SIGNATURE: u32 = named(stringify!($number));

            fn write(&self, image: &mut Image<'_>) -> Result<()> {
                image.set(&self.to_le_bytes())
            }
        }
    )*};
}
numbers!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64);

impl Plain for usize {
    const LAYOUTS: PlainLayouts = [PlainLayout { size: 4, align: 4 }, PlainLayout { size: 8, align: 8 }];
    const SIGNATURE: u32 = named("usize");

    fn write(&self, image: &mut Image<'_>) -> Result<()> {
        match (image.width, u32::try_from(*self)) {
            (PointerWidth::Bits64, _) => image.set(&(*self as u64).to_le_bytes()),
            (PointerWidth::Bits32, Ok(number)) => image.set(&number.to_le_bytes()),
            (PointerWidth::Bits32, Err(_)) => {
                Err(unsupported!("{self} does not fit 32 bits; the machine is too small for this node"))
            }
        }
    }
}

impl Plain for bool {
    const LAYOUTS: PlainLayouts = both(1, 1);
    const SIGNATURE: u32 = named("bool");

    fn write(&self, image: &mut Image<'_>) -> Result<()> {
        u8::from(*self).write(image)
    }
}

impl Plain for ElementType {
    const LAYOUTS: PlainLayouts = both(4, 4);
    const SIGNATURE: u32 = named("ElementType");

    fn write(&self, image: &mut Image<'_>) -> Result<()> {
        (*self as u32).write(image)
    }
}

impl Plain for isize {
    const LAYOUTS: PlainLayouts = usize::LAYOUTS;
    const SIGNATURE: u32 = named("isize");

    fn write(&self, image: &mut Image<'_>) -> Result<()> {
        match (image.width, i32::try_from(*self)) {
            (PointerWidth::Bits64, _) => image.set(&(*self as i64).to_le_bytes()),
            (PointerWidth::Bits32, Ok(number)) => image.set(&number.to_le_bytes()),
            (PointerWidth::Bits32, Err(_)) => {
                Err(unsupported!("{self} does not fit 32 bits; the machine is too small for this node"))
            }
        }
    }
}

/// A type that only chooses code.
impl<T> Plain for PhantomData<T> {
    const LAYOUTS: PlainLayouts = both(0, 1);
    const SIGNATURE: u32 = named("PhantomData");

    fn write(&self, _: &mut Image<'_>) -> Result<()> {
        Ok(())
    }
}

/// An [`Option`] with a fixed layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Maybe<T> {
    /// No value.
    Absent,
    /// A value.
    Present(T),
}

impl<T> Maybe<T> {
    /// The value, borrowed.
    #[inline]
    pub fn as_ref(&self) -> Option<&T> {
        match self {
            Maybe::Absent => None,
            Maybe::Present(value) => Some(value),
        }
    }
}

impl<T: Copy> Maybe<T> {
    /// The value.
    #[inline]
    pub fn get(self) -> Option<T> {
        self.as_ref().copied()
    }
}

impl<T> From<Option<T>> for Maybe<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Maybe::Absent, Maybe::Present)
    }
}

impl<T: Plain> Plain for Maybe<T> {
    const LAYOUTS: PlainLayouts = record(&[u8::LAYOUTS, T::LAYOUTS]);
    const SIGNATURE: u32 = signature(named("Maybe"), &[T::SIGNATURE]);

    fn write(&self, image: &mut Image<'_>) -> Result<()> {
        let Some(value) = self.as_ref() else { return Ok(()) };
        let mut fields = image.fields();
        fields.put(&1u8)?;
        fields.put(value)
    }
}

impl<T: Plain, const N: usize> Plain for [T; N] {
    const SIGNATURE: u32 = signature(named("array"), &[N as u32, T::SIGNATURE]);
    const LAYOUTS: PlainLayouts = {
        let [small, large] = T::LAYOUTS;
        [
            PlainLayout { size: N * small.size, align: small.align },
            PlainLayout { size: N * large.size, align: large.align },
        ]
    };

    fn write(&self, image: &mut Image<'_>) -> Result<()> {
        let mut fields = image.fields();
        self.iter().try_for_each(|element| fields.put(element))
    }
}

macro_rules! buffers {
    ($($buffer:ident),*) => {$(
        impl<T> Plain for $buffer<T> {
            const LAYOUTS: PlainLayouts = both(4, 4);
            const SIGNATURE: u32 = named(stringify!($buffer));

            fn write(&self, image: &mut Image<'_>) -> Result<()> {
                self.index.write(image)
            }
        }
    )*};
}
buffers!(Table, State, Scratch);
