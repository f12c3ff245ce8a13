//! Devices, and what was compiled for them.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use arenite_abi::host::{self, LogLevel};
use arenite_abi::prelude::*;
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU, Device as Found};
use opencl3::platform::get_platforms;
use opencl3::program::Program;

use super::failed;
use super::queue::Queue;
use crate::cache::Cache;
use crate::device::{self, About, Settings, Slots, choose};
use crate::net::LIMITS;
use crate::recent::Recent;
use crate::tuner::{Found as FoundSizes, Tuner};
use crate::work_groups::Tuning;
use crate::{GpuInfo, Vendor};

/// A device and its context, of which the process has one.
pub struct Device {
    pub(super) device: Found,
    pub(super) context: Context,
    about: About,
    /// By their text.
    programs: Mutex<Recent<String, Program>>,
    /// By keys of texts.
    pub(super) sizes: FoundSizes,
}

fn about(device: &Found) -> Result<About> {
    let read = |error| failed("a device does not describe itself", error);
    let text = |value: opencl3::Result<String>| value.map(|text| text.trim().to_owned()).map_err(read);
    let (name, vendor) = (text(device.name())?, text(device.vendor())?);
    let kind = device.dev_type().map_err(read)?;
    let narrow = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    let sizes = device.max_work_item_sizes().map_err(read)?;
    Ok(About {
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

/// Most images that a kernel reads: those of its own, and one for each function of its epilogue.
const IMAGES: u32 = 2 + LIMITS.epilogue as u32;

/// Of an image over a buffer, if kernels may read as many as they do.
fn pixels(device: &Found) -> u64 {
    let has_images = device.image_support().unwrap_or(false);
    let is_enough = device.max_read_image_args().is_ok_and(|most| most >= IMAGES);
    let most = device.image_max_buffer_size().unwrap_or(0);
    if has_images && is_enough { most as u64 } else { 0 }
}

fn find() -> Result<Vec<Found>> {
    let platforms = get_platforms().map_err(|error| failed("there is no OpenCL driver", error))?;
    let ids = platforms.iter().filter_map(|platform| platform.get_devices(CL_DEVICE_TYPE_ALL).ok()).flatten();
    Ok(ids.map(Found::new).collect())
}

/// Those that were opened, by their numbers. They stay open: drivers mind a context that comes and goes.
type Open = HashMap<usize, Arc<Device>>;

/// Whoever asks a driver for devices holds this meanwhile: some are not ready for two that ask first.
fn open_devices() -> MutexGuard<'static, Open> {
    static OPEN: LazyLock<Mutex<Open>> = LazyLock::new(Mutex::default);
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

impl device::Device for Device {
    const NAME: &'static str = "opencl";
    // It is text, of any length.
    const SLOTS: Slots = Slots { functions: usize::MAX, operands: usize::MAX };
    const KEEPS: bool = true;
    const HAS_TILES: bool = true;
    const HAS_WINOGRAD: bool = true;
    const HAS_HALVES: bool = true;
    type Queue = Queue;

    fn list() -> Result<Vec<About>> {
        let _one_by_one = open_devices();
        find()?.iter().map(about).collect()
    }

    fn about(&self) -> Option<&About> {
        Some(&self.about)
    }

    fn open(choice: Option<&str>) -> Result<Arc<Device>> {
        let mut open = open_devices();
        let found = find()?;
        let about = found.iter().map(about).collect::<Result<Vec<_>>>()?;
        let position = choose(&about, choice, "OpenCL")?;
        if let Some(device) = open.get(&position) {
            return Ok(Arc::clone(device));
        }
        let about = about[position].clone();
        host::log(
            LogLevel::Info,
            "arenite_gpu",
            &format!("OpenCL device {}, driver {}", about.name, about.driver),
        );
        let device = Arc::new(Device::new(Found::new(found[position].id()), about)?);
        open.insert(position, Arc::clone(&device));
        Ok(device)
    }

    fn queue(self: &Arc<Self>) -> Result<Queue> {
        self.queue_with(&Settings { tuning: Tuning::Fast, cache: None })
    }

    fn queue_with(self: &Arc<Self>, settings: &Settings) -> Result<Queue> {
        Queue::new(Arc::clone(self), settings)
    }
}

impl Device {
    /// A device with a context of its own.
    pub(super) fn new(device: Found, about: About) -> Result<Device> {
        let context = Context::from_device(&device);
        let context = context.map_err(|error| failed("no context of the device", error))?;
        Ok(Device {
            device,
            context,
            about,
            programs: Mutex::new(Recent::new(PROGRAMS)),
            sizes: FoundSizes::default(),
        })
    }

    /// What it tells about itself.
    pub fn limits(&self) -> &About {
        &self.about
    }

    /// A program, which is compiled once while it is kept, or taken from the cache. What that took is counted.
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

    /// What a file is for: a driver, a device and a program.
    pub(super) fn key(&self, text: &str) -> String {
        let About { name, driver, .. } = &self.about;
        format!("{driver}\n{name}\n{OPTIONS}\n{text}")
    }

    /// A program that the driver compiled before. It may refuse its own binary, after an update for instance.
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

/// Programs that are kept: the ones that were asked for last. Kernels have theirs without.
const PROGRAMS: usize = 512;

/// What programs are compiled with.
const OPTIONS: &str = "-cl-std=CL1.2";
