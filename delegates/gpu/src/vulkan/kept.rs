//! What a driver compiled, kept from one start to the next: the data of its pipeline caches, one file per kernel, constants and work-group.
//!
//! ```text
//! header, as Vulkan has it: 32 bytes, 1, vendor, device, 16 bytes of the driver's own │ the driver's data
//! ```
//! Drivers look at the header, too; here it is compared so that data of another driver counts as none and is replaced. A driver may keep
//! nothing, as Mesa's llvmpipe does: then there are no files, and each start compiles.

use std::sync::Arc;

use arenite_abi::host::{self, LogLevel};
use arenite_abi::prelude::*;
use ash::vk;

use super::logical::Logical;

/// Whose data a device takes: vendor, device, and what the driver tells its builds apart by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The vendor's number.
    pub vendor: u32,
    /// The device's.
    pub device: u32,
    /// The driver's.
    pub uuid: [u8; 16],
}

/// Bytes of the header.
const HEADER: usize = 32;

impl Origin {
    /// Of a device.
    pub fn of(properties: &vk::PhysicalDeviceProperties) -> Origin {
        let (vendor, device) = (properties.vendor_id, properties.device_id);
        Origin { vendor, device, uuid: properties.pipeline_cache_uuid }
    }

    /// What is behind the header, if it is this origin's.
    fn content<'d>(&self, data: &'d [u8]) -> Option<&'d [u8]> {
        let (header, content) = data.split_at_checked(HEADER)?;
        let words = [HEADER as u32, 1, self.vendor, self.device].map(u32::to_le_bytes);
        (header == [words.as_flattened(), &self.uuid].concat()).then_some(content)
    }

    /// Whether a driver of this origin may take something from the data.
    pub fn takes(&self, data: &[u8]) -> bool {
        self.content(data).is_some_and(|content| !content.is_empty())
    }
}

/// A driver's cache while a pipeline is made.
pub struct Kept {
    logical: Arc<Logical>,
    pub(super) raw: vk::PipelineCache,
}

impl Kept {
    /// With data of an earlier start; a driver that does not like it begins with nothing.
    pub fn new(logical: &Arc<Logical>, data: Option<&[u8]>) -> Result<Kept> {
        let create = |data| {
            let info = vk::PipelineCacheCreateInfo::default().initial_data(data);
            // SAFETY: the device lives; `info` and the data live until the call returns. The data is a driver's of this origin, and its
            // check says that it is as it was written.
            unsafe { logical.raw.create_pipeline_cache(&info, None) }
        };
        let raw = match data.map(create) {
            Some(Ok(raw)) => Ok(raw),
            Some(Err(error)) => {
                let message = format!("a pipeline of the cache is ignored: the driver says {error}");
                host::log(LogLevel::Warn, "arenite_gpu", &message);
                create(&[])
            }
            None => create(&[]),
        };
        let raw = raw.map_err(|error| logical.failed("no cache of the device", error))?;
        Ok(Kept { logical: Arc::clone(logical), raw })
    }

    /// What the driver wants to have kept.
    pub fn data(&self) -> Vec<u8> {
        // SAFETY: the cache is the device's; nobody compiles with it now.
        unsafe { self.logical.raw.get_pipeline_cache_data(self.raw) }.unwrap_or_default()
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        // SAFETY: pipelines that were made with it do not need it.
        unsafe { self.logical.raw.destroy_pipeline_cache(self.raw, None) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_of_another_driver_is_told_by_its_header() {
        let origin = Origin { vendor: 0x10de, device: 0x2330, uuid: [7; 16] };
        let header = [[32, 1, 0x10de, 0x2330].map(u32::to_le_bytes).as_flattened(), &[7; 16]].concat();
        let data = [&header[..], b"pipelines"].concat();
        assert!(origin.takes(&data));
        assert!(!origin.takes(&header), "nothing is behind it");
        assert!(!origin.takes(&data[..31]) && !origin.takes(b""));
        for (what, other) in [
            ("another vendor", Origin { vendor: 0x1002, ..origin }),
            ("another device", Origin { device: 1, ..origin }),
            ("another build", Origin { uuid: [8; 16], ..origin }),
        ] {
            assert!(!other.takes(&data), "{what}");
        }
    }
}
