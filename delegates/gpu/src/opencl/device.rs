//! Open devices and the programs compiled for them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use arenite_abi::host::{self, LogLevel};
use arenite_abi::prelude::*;
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU, Device as ClDevice};
use opencl3::program::Program;

use super::failed;
use crate::device::DeviceInfo;
use crate::net::LIMITS;
use crate::store::cache::Cache;
use crate::store::recent::RecentCache;
use crate::store::tuner::{TunedSizes, Tuner};
use crate::{GpuInfo, Vendor};

/// A device and its context. A process opens a device once.
pub struct Device {
    pub(super) device: ClDevice,
    pub(super) context: Context,
    about: DeviceInfo,
    /// Programs by text.
    programs: Mutex<RecentCache<String, Program>>,
    /// Tuned sizes by the keys of texts.
    pub(super) sizes: TunedSizes,
}

/// Queries the properties of a device.
pub(super) fn about(device: &ClDevice) -> Result<DeviceInfo> {
    let read = |error| failed("a device does not describe itself", error);
    let text = |value: opencl3::Result<String>| value.map(|text| text.trim().to_owned()).map_err(read);
    let (name, vendor) = (text(device.name())?, text(device.vendor())?);
    let kind = device.dev_type().map_err(read)?;
    let narrow = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    let sizes = device.max_work_item_sizes().map_err(read)?;
    Ok(DeviceInfo {
        driver: format!("{vendor} {}", text(device.driver_version())?),
        kind: match () {
            () if kind & CL_DEVICE_TYPE_GPU != 0 => "gpu",
            () if kind & CL_DEVICE_TYPE_CPU != 0 => "cpu",
            () => "other",
        },
        memory: device.global_mem_size().map_err(read)?,
        largest: device.max_mem_alloc_size().map_err(read)?,
        local: device.local_mem_size().map_err(read)?,
        units: device.max_compute_units().map_err(read)?,
        images: pixels(device),
        limits: GpuInfo {
            vendor: Vendor::of(&format!("{vendor} {name}")),
            axes: [0, 1, 2].map(|axis| sizes.get(axis).map_or(1, |&most| narrow(most))),
            total: narrow(device.max_work_group_size().map_err(read)?),
        },
        name,
    })
}

/// The most images that a kernel reads: two, and one per function of its epilogue.
const IMAGES: u32 = 2 + LIMITS.epilogue as u32;

/// The most pixels of an image over a buffer; 0 if kernels cannot read enough images.
fn pixels(device: &ClDevice) -> u64 {
    let has_images = device.image_support().unwrap_or(false);
    let is_enough = device.max_read_image_args().is_ok_and(|most| most >= IMAGES);
    let most = device.image_max_buffer_size().unwrap_or(0);
    if has_images && is_enough { most as u64 } else { 0 }
}

impl Device {
    /// Creates a context for a device.
    pub(super) fn new(device: ClDevice, about: DeviceInfo) -> Result<Device> {
        let context = Context::from_device(&device);
        let context = context.map_err(|error| failed("no context of the device", error))?;
        Ok(Device {
            device,
            context,
            about,
            programs: Mutex::new(RecentCache::new(PROGRAMS)),
            sizes: TunedSizes::default(),
        })
    }

    /// The properties of the device.
    pub fn limits(&self) -> &DeviceInfo {
        &self.about
    }

    /// A program: from memory, from the cache folder, or compiled. The time is counted.
    pub(super) fn program(&self, text: &str, tuner: &Tuner) -> Result<Arc<Program>> {
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = programs.get(text) {
            return Ok(program);
        }
        let start = Instant::now();
        let cache = tuner.cache();
        let program = match cache.and_then(|cache| self.load(cache, text)) {
            Some(program) => {
                tuner.count(|effort| effort.loaded += 1);
                program
            }
            None => {
                tuner.count(|effort| effort.compiled += 1);
                let program = self.compile(text)?;
                let binaries = program.get_binaries().unwrap_or_default();
                if let (Some(cache), [binary]) = (cache, &binaries[..])
                    && !binary.is_empty()
                {
                    cache.save("program", &self.key(text), binary);
                }
                program
            }
        };
        tuner.count(|effort| effort.compiling += start.elapsed().as_nanos() as u64);
        let program = Arc::new(program);
        programs.insert(text.to_owned(), Arc::clone(&program));
        Ok(program)
    }

    /// The key of a cache file: driver, device and program.
    pub(super) fn key(&self, text: &str) -> String {
        let DeviceInfo { name, driver, .. } = &self.about;
        format!("{driver}\n{name}\n{OPTIONS}\n{text}")
    }

    /// Loads a program from its binary. The driver may reject the binary, for example after an update.
    fn load(&self, cache: &Cache, text: &str) -> Option<Program> {
        let binary = cache.load("program", &self.key(text))?;
        let program = Program::create_and_build_from_binary(&self.context, &[&binary[..]], OPTIONS);
        program
            .inspect_err(|error| {
                let message = format!("a program of the cache is ignored: the driver says {error}");
                host::log(LogLevel::Warn, "arenite_gpu", &message);
            })
            .ok()
    }

    fn compile(&self, text: &str) -> Result<Program> {
        let program = Program::create_from_source(&self.context, text);
        let mut program = program.map_err(|error| failed("no program of the device", error))?;
        if let Err(error) = program.build(&[self.device.id()], OPTIONS) {
            let log = program.get_build_log(self.device.id()).unwrap_or_default();
            let complaint = log.lines().find(|line| line.contains("error")).unwrap_or("");
            return Err(unavailable!("the device's compiler: {error}: {complaint}"));
        }
        Ok(program)
    }
}

/// The number of programs that are cached while unused. A kernel keeps its program.
const PROGRAMS: usize = 512;

/// Compiler options.
const OPTIONS: &str = "-cl-std=CL1.2";
