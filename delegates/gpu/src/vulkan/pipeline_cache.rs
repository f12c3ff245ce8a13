//! Pipeline cache data that is kept between processes, one file per kernel, constants and work-group.
//!
//! ```text
//! Vulkan's header: 32 bytes, 1, vendor, device, the driver's 16-byte UUID │ the driver's data
//! ```
//! Drivers check the header, too. It is compared here so that data of another driver is ignored and replaced. Some
//! drivers, such as Mesa's llvmpipe, keep no data; then no files are written and each process compiles.

use std::sync::Arc;

use arenite_abi::host::{self, LogLevel};
use arenite_abi::prelude::*;
use ash::vk;

use super::logical::Logical;

/// The origin of cache data: vendor, device, and the UUID of the driver's build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    /// The vendor's id.
    pub vendor: u32,
    /// The device's id.
    pub device: u32,
    /// The driver's UUID.
    pub uuid: [u8; 16],
}

/// Bytes in the header.
const HEADER: usize = 32;

impl Origin {
    /// The origin of a device's data.
    pub(super) fn of(properties: &vk::PhysicalDeviceProperties) -> Origin {
        let (vendor, device) = (properties.vendor_id, properties.device_id);
        Origin { vendor, device, uuid: properties.pipeline_cache_uuid }
    }

    /// The data after the header, if it has this origin.
    fn content<'d>(&self, data: &'d [u8]) -> Option<&'d [u8]> {
        let (header, content) = data.split_at_checked(HEADER)?;
        let words = [HEADER as u32, 1, self.vendor, self.device].map(u32::to_le_bytes);
        (header == [words.as_flattened(), &self.uuid].concat()).then_some(content)
    }

    /// Whether the data has this origin and is not empty.
    pub(super) fn takes(&self, data: &[u8]) -> bool {
        self.content(data).is_some_and(|content| !content.is_empty())
    }
}

/// A pipeline cache.
pub(super) struct PipelineCache {
    logical: Arc<Logical>,
    pub(super) raw: vk::PipelineCache,
}

impl PipelineCache {
    /// Creates a cache from earlier data. A driver that rejects the data starts with an empty cache.
    pub(super) fn new(logical: &Arc<Logical>, data: Option<&[u8]>) -> Result<PipelineCache> {
        let create = |data| {
            let info = vk::PipelineCacheCreateInfo::default().initial_data(data);
            // SAFETY: the device lives; `info` and the data live until the call returns. The data was written by a
            // driver of this origin, and the file's checksum shows that it is unchanged.
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
        Ok(PipelineCache { logical: Arc::clone(logical), raw })
    }

    /// The data to keep.
    pub(super) fn data(&self) -> Vec<u8> {
        // SAFETY: the cache belongs to the device, and no other thread uses it.
        unsafe { self.logical.raw.get_pipeline_cache_data(self.raw) }.unwrap_or_default()
    }
}

impl Drop for PipelineCache {
    fn drop(&mut self) {
        // SAFETY: pipelines do not refer to the cache that they were created with.
        unsafe { self.logical.raw.destroy_pipeline_cache(self.raw, None) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_of_another_driver_is_recognized_by_its_header() {
        let origin = Origin { vendor: 0x10de, device: 0x2330, uuid: [7; 16] };
        let header = [[32, 1, 0x10de, 0x2330].map(u32::to_le_bytes).as_flattened(), &[7; 16]].concat();
        let data = [&header[..], b"pipelines"].concat();
        assert!(origin.takes(&data));
        assert!(!origin.takes(&header), "the header has no data");
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
