//! What a partition's tensors are on either side: on the host, and on the device.

use arenite_abi::prelude::*;
use arenite_layers::Grid;

use crate::builder::Buffer;
use crate::layout::Layout;
use crate::precision::Precision;

/// An input that goes to the device.
#[derive(Clone, Copy, Debug)]
pub struct Input {
    /// Its position among the partition's.
    pub position: usize,
    /// Where it goes.
    pub record: usize,
    /// How it lies there.
    pub layout: Layout,
    /// How it is stored there.
    pub precision: Precision,
    /// What it becomes.
    pub form: Form,
}

/// An output that comes back.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    /// Where it lies.
    pub buffer: Buffer,
    /// How.
    pub layout: Layout,
    /// The bytes that stand for it on the host, if it is no float there.
    pub grid: Option<Grid>,
    /// Whether its value may stay on the device: a variable belongs to the host.
    pub stays: bool,
}

/// What an input is on the device.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// Floats.
    Floats,
    /// Floats that bytes stand for on the host.
    Bytes(Grid),
    /// Whole numbers of 32 bits below this, each behind the other. No float is computed of their bits.
    Indices(usize),
}

/// The numbers of a tensor as a kernel reads indices, as bits of floats; an error unless all are below `axis`.
pub fn indices(tensor: ElementType, bytes: &[u8], axis: usize) -> Result<Vec<f32>> {
    fn wide<T: Element + Into<i64>>(bytes: &[u8]) -> Vec<i64> {
        bytes.chunks_exact(size_of::<T>()).map(|x| bytemuck::pod_read_unaligned::<T>(x).into()).collect()
    }
    let wide = match tensor {
        I16 => wide::<i16>(bytes),
        I32 => wide::<i32>(bytes),
        I64 => wide::<i64>(bytes),
        ty => return Err(unsupported!("{ty} indices are not supported")),
    };
    let narrow = |(i, &index): (usize, &i64)| match u32::try_from(index) {
        Ok(n) if (n as usize) < axis => Ok(f32::from_bits(n)),
        _ => Err(invalid!("GATHER: index {index} at position {i} lies outside of 0..{axis}")),
    };
    wide.iter().enumerate().map(narrow).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_those_of_the_axis() {
        let bits =
            |list: Result<Vec<f32>>| list.map(|list| list.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
        for (ty, bytes) in [
            (I16, bytemuck::cast_slice(&[0i16, 6]).to_vec()),
            (I32, bytemuck::cast_slice(&[0i32, 6]).to_vec()),
            (I64, bytemuck::cast_slice(&[0i64, 6]).to_vec()),
        ] {
            assert_eq!(bits(indices(ty, &bytes, 7)).expect("inside"), [0, 6], "{ty}");
            let error = indices(ty, &bytes, 6).expect_err("outside").message().to_owned();
            assert_eq!(error, "GATHER: index 6 at position 1 lies outside of 0..6", "{ty}");
        }
        assert!(indices(I32, &(-1i32).to_le_bytes(), 7).is_err() && indices(F32, &[0; 4], 7).is_err());
    }
}
