//! Recordings on whatever device there is; without one these tests say so and end.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arenite_abi::prelude::*;
use arenite_layers::Binary;
use ash::vk;

use super::Device;
use super::instance::find;
use super::memory::Memory;
use super::queue::Queue;
use crate::device::{Argument, Device as _, Function, Kernel, Launch, Plan, Port, Queue as _, Step};
use crate::work_groups::Kind;

/// They count what is in use, so they run one after the other.
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

/// A kernel on an input and constants, whose only result is the output.
fn plan<'k>(
    queue: &Queue,
    kernel: &'k Kernel,
    constants: &[&[f32]],
    numbers: &[i32],
    items: u32,
) -> Result<Plan<'k, Memory>> {
    let [to, from] = [(); 2].map(|()| queue.memory(4).map(Arc::new));
    let (to, from) = (to?, from?);
    let mut arguments = vec![Argument::Memory(Arc::clone(&to)), Argument::Memory(Arc::clone(&from))];
    for floats in constants {
        arguments.push(Argument::Memory(Arc::new(queue.upload(floats)?)));
    }
    arguments.extend(numbers.iter().map(|&number| Argument::Number(number)));
    let launch = Launch { kernel, arguments, grid: [items, 1, 1], kind: Kind::Other };
    Ok(Plan {
        inputs: vec![Port { memory: from, floats: 4, stays: false }],
        steps: vec![Step::Clear(Arc::clone(&to)), Step::Launch(launch)],
        outputs: vec![Port { memory: to, floats: 4, stays: false }],
    })
}

/// Three more than each number.
fn add_three() -> Kernel {
    let epilogue = Some(vec![Function::Scalar(Binary::Add, 3.0)]);
    Kernel { name: "chain", definitions: Vec::new(), epilogue }
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
        queue.run(&mut recording, Some(&mut |step, _| times.push(step))).expect("it runs");
        queue.run(&mut recording, None).expect("it runs");
        queue.read(&mut recording, 0, &mut result).expect("it is read");
        assert_eq!(result, [first + 3.0, 4.0, 5.0, 6.0]);
        assert!(times.is_empty() || times == [0, 1], "{times:?}");
    }
}

#[test]
fn nothing_is_left_of_recordings_that_went() {
    let _alone = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(device) = open() else { return };
    for _ in 0..1000 {
        works(&device);
    }
    assert_eq!(device.blocks.count(), 0);
}

/// Where the host does not see tensors they go through staging memory, with the same results.
#[test]
fn memory_that_the_host_does_not_see_is_staged() {
    let _alone = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
    if open().is_none() {
        return;
    }
    let mut found = find().expect("devices").swap_remove(0);
    found.properties.device_type = vk::PhysicalDeviceType::DISCRETE_GPU;
    let device = Arc::new(Device::new(&found).expect("it opens"));
    assert!(!device.blocks.unified());
    works(&device);
    assert_eq!(device.blocks.count(), 0);
}

/// A kernel that runs for longer than it may: the device is given up, and what it may use is kept until it ends.
#[test]
fn what_does_not_end_is_an_error_and_the_next_device_works() {
    let _alone = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(device) = open() else { return };
    let queue = device.queue().expect("a queue");
    let kernel = Kernel { name: "reduce", definitions: Vec::new(), epilogue: None };
    // Sums of one element, so many times, which all go to one place.
    let (times, step, sums) = (20_000, 0, 1 << 13);
    let dims = [times, step].map(|n| f32::from_bits(n as u32));
    let numbers = [0, 1, times, sums, 1, 0, 1f32.to_bits() as i32];
    let plan = plan(&queue, &kernel, &[&dims], &numbers, sums as u32);
    let mut recording = plan.and_then(|plan| queue.record(plan)).expect("it is recorded");
    let error = recording.run_for(Duration::from_millis(1)).expect_err("it takes longer");
    assert!(error.message().starts_with("kernels do not end: they ran for 1ms"), "{error}");
    assert_eq!(error.status(), Status::Unavailable);
    let again = recording.run_for(Duration::ZERO).expect_err("it is under way").to_string();
    assert_eq!(again, "kernels of an earlier invocation did not end");
    assert!(device.logical.is_lost() && device.blocks.count() > 0);
    drop(recording);
    assert_eq!(device.blocks.count(), 0, "it ended in the meantime");
    let next = open().expect("it was there before");
    assert!(!Arc::ptr_eq(&device, &next));
    works(&next);
}

#[test]
fn arguments_that_are_not_the_kernels_are_refused() {
    let _alone = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(device) = open() else { return };
    let (queue, kernel) = (device.queue().expect("a queue"), add_three());
    for (constants, numbers) in [(&[][..], &[1, 1][..]), (&[&[0.0][..]; 4], &[1, 1, 4])] {
        let plan = plan(&queue, &kernel, constants, numbers, 1).expect("memory");
        let error = queue.record(plan).map(drop).expect_err("it does not fit").to_string();
        assert!(error.starts_with("the kernel 'chain' has 2 buffers and 3 numbers, given are"), "{error}");
    }
}
