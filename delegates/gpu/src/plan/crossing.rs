//! The inputs and outputs of a partition on the host and on the device.

use arenite_abi::prelude::*;
use arenite_layers::Grid;

use crate::plan::task::Buffer;
use crate::store::layout::Layout;
use crate::store::precision::Precision;

/// An input that is copied to the device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input {
    /// Its position among the partition's inputs.
    pub position: usize,
    /// Its record.
    pub record: usize,
    /// Its layout on the device.
    pub layout: Layout,
    /// Its precision on the device.
    pub precision: Precision,
    /// Its type on the host.
    pub ty: ElementType,
    /// Its form on the device.
    pub form: Form,
}

impl Input {
    /// The number of bytes on the host.
    pub(crate) fn bytes(&self) -> usize {
        self.layout.len() * self.ty.bytes_of(1).unwrap_or(0)
    }
}

/// An output that is copied to the host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    /// Its buffer.
    pub buffer: Buffer,
    /// Its layout.
    pub layout: Layout,
    /// Its quantization on the host, if it is quantized.
    pub grid: Option<Grid>,
    /// Whether its value may stay on the device. A variable belongs to the host.
    pub stays: bool,
}

/// The form of an input on the device.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    /// Floats.
    Floats,
    /// Floats, which are bytes on the host.
    Bytes(Grid),
    /// Consecutive 32-bit indices below this bound. Their bits pass through as floats.
    Indices(usize),
}

/// The indices of a tensor as bits of floats. An error unless all are below `axis`.
pub(crate) fn indices(tensor: ElementType, bytes: &[u8], axis: usize) -> Result<Vec<f32>> {
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
        _ => Err(invalid!("GATHER: index {index} at position {i} is outside of 0..{axis}")),
    };
    wide.iter().enumerate().map(narrow).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_checked_against_the_axis() {
        let bits =
            |list: Result<Vec<f32>>| list.map(|list| list.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
        for (ty, bytes) in [
            (I16, bytemuck::cast_slice(&[0i16, 6]).to_vec()),
            (I32, bytemuck::cast_slice(&[0i32, 6]).to_vec()),
            (I64, bytemuck::cast_slice(&[0i64, 6]).to_vec()),
        ] {
            assert_eq!(bits(indices(ty, &bytes, 7)).expect("inside"), [0, 6], "{ty}");
            let error = indices(ty, &bytes, 6).expect_err("outside").message().to_owned();
            assert_eq!(error, "GATHER: index 6 at position 1 is outside of 0..6", "{ty}");
        }
        assert!(indices(I32, &(-1i32).to_le_bytes(), 7).is_err() && indices(F32, &[0; 4], 7).is_err());
    }
}
