//! Recordings on any available device. Without a device, these tests are skipped with a note.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use arenite_abi::prelude::*;
use arenite_base::Binary;
use ash::vk;

use super::Device;
use super::instance::find;
use super::memory::VulkanMemory;
use super::pipeline_cache::Origin;
use super::queue::Queue;
use super::recording::Recording;
use crate::device::{
    Argument, Definition, Device as _, Function, Kernel, Launch, Plan, Port, Queue as _, Settings, Step,
};
use crate::kernels::{Call, Folding, KernelName, Numbers as _, Reduce};
use crate::store::cache::Cache;
use crate::store::precision::Precision;
use crate::work_groups::{Kind, Tuning, candidates};

/// Serializes the tests, which count live objects.
static ONE_BY_ONE: Mutex<()> = Mutex::new(());

fn open() -> Option<Arc<Device>> {
    match Device::open(None) {
        Ok(device) => Some(device),
        Err(error) => {
            assert!(std::env::var_os("ARENITE_GPU").is_none(), "ARENITE_GPU wants a device: {error}");
            println!("skipped: {error}");
            None
        }
    }
}

/// The iterations of a work-item.
fn iterations(kernel: &Kernel, numbers: &[i32]) -> u64 {
    let (KernelName::Reduce, &[kept, folded, lines, size, ..]) = (kernel.name, numbers) else { return 0 };
    let [kept, folded, lines, size] = [kept, folded, lines, size].map(|n| n as usize);
    let numbers = Folding { kept, folded, lines, size, ..Folding::ones() };
    Call::from(Reduce { from: (), dims: (), numbers }).iterations
}

/// A plan with one kernel, which reads an input and constants and writes an output.
fn plan<'k>(
    queue: &Queue,
    kernel: &'k Kernel,
    constants: &[&[f32]],
    numbers: &[i32],
    items: u32,
) -> Result<Plan<'k, VulkanMemory>> {
    let [to, from] = [(); 2].map(|()| queue.memory(4).map(Arc::new));
    let (to, from) = (to?, from?);
    let mut arguments = vec![Argument::Memory(Arc::clone(&to)), Argument::Memory(Arc::clone(&from))];
    for floats in constants {
        arguments.push(Argument::Memory(Arc::new(queue.upload(floats)?)));
    }
    arguments.extend(numbers.iter().map(|&number| Argument::Number(number)));
    let iterations = iterations(kernel, numbers);
    let launch = Launch { kernel, arguments, grid: [items, 1, 1], iterations };
    Ok(Plan {
        inputs: vec![Port { memory: from, floats: 4, stays: false }],
        steps: vec![Step::Clear(Arc::clone(&to)), Step::Launch(launch)],
        outputs: vec![Port { memory: to, floats: 4, stays: false }],
    })
}

/// A kernel that adds three.
fn add_three() -> Kernel {
    let epilogue = Some(vec![Function::Scalar(Binary::Add, 3.0)]);
    Kernel { name: KernelName::Chain, definitions: Vec::new(), epilogue }
}

fn works(device: &Arc<Device>) {
    let (queue, kernel) = (device.queue().expect("a queue"), add_three());
    let mut recording = plan(&queue, &kernel, &[], &[1, 1, 4], 1)
        .and_then(|plan| queue.record(plan))
        .expect("it is recorded");
    let mut result = [0.0; 4];
    for first in [0.0, 10.0] {
        queue.write(&mut recording, 0, &[first, 1.0, 2.0, 3.0]).expect("it is written");
        let mut times = Vec::new();
        queue.run_timed(&mut recording, &|| false, &mut |step, _| times.push(step)).expect("it runs");
        queue.run(&mut recording).expect("it starts");
        queue.wait(&mut recording, &|| false).expect("it ends");
        queue.read(&mut recording, 0, &mut result).expect("it is read");
        assert_eq!(result, [first + 3.0, 4.0, 5.0, 6.0]);
        assert!(times.is_empty() || times == [0, 1], "{times:?}");
    }
}

/// Stored halves are the nearest ones, ties to even, and never infinite.
#[test]
fn halves_are_rounded_to_nearest() {
    let _alone = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(device) = open() else { return };
    let queue = device.queue().expect("a queue");
    for (factor, wants) in [
        (1.0 / 3.0, [0.33325195, 0.6665039, -0.33325195, 0.0]),
        (-2049.0, [-2048.0, -4096.0, 2048.0, 0.0]),
        (2051.0, [2052.0, 4104.0, -2052.0, 0.0]),
        (2050.9, [2050.0, 4100.0, -2050.0, 0.0]),
        (65519.0, [65504.0, 65504.0, -65504.0, 0.0]),
        (1e30, [65504.0, 65504.0, -65504.0, 0.0]),
    ] {
        let epilogue = Some(vec![Function::Scalar(Binary::Mul, factor)]);
        let kernel =
            Kernel { name: KernelName::Chain, definitions: vec![Definition::Flag("HALVES")], epilogue };
        let plan = plan(&queue, &kernel, &[], &[1, 1, 3], 1);
        let mut recording = plan.and_then(|plan| queue.record(plan)).expect("it is recorded");
        let (mut room, mut found) = (Vec::new(), [0.0; 4]);
        let x = Precision::F16.store(&[1.0, 2.0, -1.0, 7.0], &mut room);
        queue.write(&mut recording, 0, x).expect("it is written");
        queue.run(&mut recording).expect("it starts");
        queue.wait(&mut recording, &|| false).expect("it ends");
        let read = |words: &mut [f32]| queue.read(&mut recording, 0, words);
        Precision::F16.load(&mut found, &mut Vec::new(), read).expect("it is read");
        assert_eq!(found, wants, "{factor}");
    }
}

#[test]
fn dropped_recordings_free_their_memory() {
    let _alone = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(device) = open() else { return };
    for _ in 0..1000 {
        works(&device);
    }
    assert_eq!(device.blocks.count(), 0);
}

/// Tensors that are not host-visible are copied through staging memory, with the same results.
#[test]
fn memory_that_is_not_host_visible_is_staged() {
    let _alone = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
    if open().is_none() {
        return;
    }
    let mut found = find().expect("devices").swap_remove(0);
    found.properties.device_type = vk::PhysicalDeviceType::DISCRETE_GPU;
    let device = Arc::new(Device::new(&found).expect("it opens"));
    assert!(!device.blocks.is_unified());
    works(&device);
    assert_eq!(device.blocks.count(), 0);
}

/// A long recording: sums of the same element.
fn long(device: &Arc<Device>) -> (Queue, Recording) {
    let queue = device.queue().expect("a queue");
    let kernel = Kernel { name: KernelName::Reduce, definitions: Vec::new(), epilogue: None };
    let (times, step, sums) = (20_000, 0, 1 << 13);
    let dims = [times, step].map(|n| f32::from_bits(n as u32));
    let numbers = [0, 1, 1, times, sums, 1, 0, 1f32.to_bits() as i32];
    let plan = plan(&queue, &kernel, &[&dims], &numbers, sums as u32);
    let recording = plan.and_then(|plan| queue.record(plan)).expect("it is recorded");
    (queue, recording)
}

/// After a kernel exceeds the time limit, the device is abandoned, and memory is kept until the kernel completes.
#[test]
fn a_hung_kernel_is_an_error_and_the_next_device_works() {
    let _alone = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(device) = open() else { return };
    let (queue, mut recording) = long(&device);
    queue.run(&mut recording).expect("it starts");
    let error = recording.wait_for(Duration::from_millis(1)).expect_err("it takes longer");
    assert!(error.message().starts_with("kernels do not end: they ran for 1ms"), "{error}");
    assert_eq!(error.status(), Status::Unavailable);
    let again = queue.run(&mut recording).expect_err("it is under way").to_string();
    assert_eq!(again, "kernels of an earlier invocation did not end");
    assert!(device.logical.is_lost() && device.blocks.count() > 0);
    drop(recording);
    assert_eq!(device.blocks.count(), 0, "it ended in the meantime");
    let next = open().expect("it was there before");
    assert!(!Arc::ptr_eq(&device, &next));
    works(&next);
}

/// A wait can be stopped. The run continues, and the next run waits for it.
#[test]
fn a_stopped_wait_does_not_affect_the_device() {
    let _alone = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(device) = open() else { return };
    let (queue, mut recording) = long(&device);
    for is_timed in [false, true, false] {
        let start = Instant::now();
        let stopped = match is_timed {
            true => queue.run_timed(&mut recording, &|| true, &mut |_, _| panic!("it has not ended")),
            false => {
                queue.run(&mut recording).expect("it starts");
                queue.wait(&mut recording, &|| true)
            }
        };
        let error = stopped.expect_err("it is stopped");
        assert!(error.status() == Status::Cancelled && start.elapsed() < Duration::from_millis(500));
        let again = queue.run(&mut recording).expect_err("it is under way").to_string();
        assert_eq!(again, "kernels of an earlier invocation did not end");
        queue.wait(&mut recording, &|| false).expect("it ends");
    }
    assert!(!device.logical.is_lost());
    drop((queue, recording));
    works(&device);
    assert_eq!(device.blocks.count(), 0);
}

/// A value on the device replaces the input that the host would write, also when the value changes.
#[test]
fn inputs_are_copied_on_the_device() {
    let _alone = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
    if open().is_none() {
        return;
    }
    for ty in [vk::PhysicalDeviceType::CPU, vk::PhysicalDeviceType::DISCRETE_GPU] {
        let mut found = find().expect("devices").swap_remove(0);
        found.properties.device_type = ty;
        let device = Arc::new(Device::new(&found).expect("it opens"));
        let (queue, kernel) = (device.queue().expect("a queue"), add_three());
        let mut plan = plan(&queue, &kernel, &[], &[1, 1, 4], 1).expect("memory");
        plan.outputs[0].stays = true;
        let mut recording = queue.record(plan).expect("it is recorded");
        let others = [10.0, 20.0].map(|x| Arc::new(queue.upload(&[x; 5]).expect("memory")));
        for (from, want) in [(Some(0), 13.0), (Some(1), 23.0), (None, 4.0), (Some(1), 23.0), (Some(1), 23.0)]
        {
            match from {
                Some(i) => queue.copy(&mut recording, 0, &others[i]).expect("it is copied"),
                None => queue.write(&mut recording, 0, &[1.0; 4]).expect("it is written"),
            }
            queue.run(&mut recording).expect("it starts");
            queue.wait(&mut recording, &|| false).expect("it ends");
            let mut result = [0.0; 4];
            queue.read(&mut recording, 0, &mut result).expect("it is read");
            assert_eq!(result, [want; 4], "{}, {from:?}", ty.as_raw());
        }
        let small = Arc::new(queue.upload(&[0.0; 3]).expect("memory"));
        let error = queue.copy(&mut recording, 0, &small).expect_err("it is too small").to_string();
        assert_eq!(error, "4 floats are not in 3");
    }
}

/// A second device object loads what the driver compiled for the first from the cache folder. A driver without cache
/// data gets no files; it ignores data that the test writes in its place.
#[test]
fn pipelines_are_cached_in_files() {
    let _alone = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
    if open().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let settings = Settings { tuning: Tuning::Fast, cache: Some(folder.path().to_owned()) };
    let found = find().expect("devices").swap_remove(0);
    // The numbers of compiled and of loaded programs, and the file's key.
    let start = || {
        let device = Arc::new(Device::new(&found).expect("it opens"));
        let (queue, kernel) = (device.queue_with(&settings).expect("a queue"), add_three());
        let plan = plan(&queue, &kernel, &[], &[1, 1, 4], 1).expect("memory");
        let _recording = queue.record(plan).expect("it is recorded");
        let effort = queue.effort();
        let group = candidates(Tuning::Fast, Kind::Other, &device.about.limits, device.kernels, [1; 3])[0];
        let key = device.variant(&kernel).map(|variant| device.key(&variant, Some(group))).expect("a key");
        ([effort.compiled, effort.loaded], key)
    };
    let (first, key) = start();
    assert_eq!(first, [1, 0]);
    let cache = Cache::new(folder.path());
    if cache.load("pipeline", &key).is_none() {
        let Origin { vendor, device, uuid } = Origin::of(&found.properties);
        let header = [32, 1, vendor, device].map(u32::to_le_bytes);
        let data = [header.as_flattened(), &uuid, &b"pipeline"[..]].concat();
        cache.save("pipeline", &key, &data);
    }
    assert_eq!(start().0, [0, 1]);
    cache.save("pipeline", &key, b"another driver's");
    assert_eq!(start().0, [1, 0]);
}

/// Launches whose loops the device would end early fail; others of the same kernel are correct.
#[test]
fn long_loops_are_correct_or_an_error() {
    let _alone = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(device) = open() else { return };
    let queue = device.queue().expect("a queue");
    let kernel = Kernel { name: KernelName::Reduce, definitions: Vec::new(), epilogue: None };
    for times in [65_000, 65_533, 65_534, 70_000] {
        let dims = [times, 0].map(|n| f32::from_bits(n as u32));
        let numbers = [0, 1, 1, times, 1, 1, 0, 1f32.to_bits() as i32];
        let plan = plan(&queue, &kernel, &[&dims], &numbers, 1).expect("memory");
        let mut recording = match queue.record(plan) {
            Ok(recording) => recording,
            Err(error) => {
                assert!(error.to_string().contains("ends them after 65535"), "{error}");
                assert!(times > 65_000 && error.status() == Status::Unsupported, "{times}: {error}");
                continue;
            }
        };
        queue.write(&mut recording, 0, &[1.0; 4]).expect("it is written");
        queue.run(&mut recording).expect("it starts");
        queue.wait(&mut recording, &|| false).expect("it ends");
        let mut result = [0.0; 4];
        queue.read(&mut recording, 0, &mut result).expect("it is read");
        assert_eq!(result[0], times as f32);
    }
}

#[test]
fn wrong_arguments_are_an_error() {
    let _alone = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(device) = open() else { return };
    let (queue, kernel) = (device.queue().expect("a queue"), add_three());
    for (constants, numbers) in [(&[][..], &[1, 1][..]), (&[&[0.0][..]; 4], &[1, 1, 4])] {
        let plan = plan(&queue, &kernel, constants, numbers, 1).expect("memory");
        let error = queue.record(plan).map(drop).expect_err("it does not fit").to_string();
        assert!(error.starts_with("the kernel 'chain' has 2 buffers and 3 numbers, given are"), "{error}");
    }
}
