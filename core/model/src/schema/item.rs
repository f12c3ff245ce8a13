//! The content of fields and list entries: numbers and distances.

/// A number or a distance: its size, and its name in errors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Width {
    pub size: u8,
    #[cfg(feature = "messages")]
    name: &'static str,
}

impl Width {
    pub const OFFSET: Width = Width::new(4, "offset");

    pub const fn new(size: usize, _name: &'static str) -> Self {
        Width {
            size: size as u8,
            #[cfg(feature = "messages")]
            name: _name,
        }
    }

    /// The alignment that a file must have. Some writers align numbers of eight bytes to four, and TensorFlow Lite
    /// reads them.
    pub fn alignment(&self) -> usize {
        usize::from(self.size.min(4))
    }

    pub fn name(&self) -> &'static str {
        #[cfg(feature = "messages")]
        return self.name;
        #[cfg(not(feature = "messages"))]
        ""
    }
}

/// The content of a field or of a list entry: a number, or the distance to a table.
pub trait Item<'a>: Copy {
    /// How the item is verified.
    const WIDTH: Width;
    /// Size in bytes.
    const SIZE: usize;

    /// Reads the item at position `at`.
    fn read(file: &'a [u8], at: usize) -> Option<Self>;
}
