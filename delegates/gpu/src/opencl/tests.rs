//! Launches on any available device. Without a device, these tests are skipped with a note.

use std::sync::Arc;

use arenite_abi::prelude::*;
use arenite_base::Binary;
use opencl3::device::Device as ClDevice;

use super::Device;
use crate::device::{
    Argument, Definition, Device as _, DeviceInfo, Function, Kernel, Launch, Plan, Port, Queue as _, Step,
};
use crate::kernels::KernelName;

/// A device whose images have at most `pixels` pixels.
fn open(images: u64) -> Option<Arc<Device>> {
    match Device::open(None) {
        Ok(device) => {
            let about = DeviceInfo { images, ..device.limits().clone() };
            let device = Device::new(ClDevice::new(device.device.id()), about);
            Some(Arc::new(device.expect("another context")))
        }
        Err(error) => {
            assert!(std::env::var_os("ARENITE_GPU").is_none(), "ARENITE_GPU wants a device: {error}");
            println!("skipped: {error}");
            None
        }
    }
}

/// Kernels read memory through pointers, which is counted, if it has more pixels than an image can have.
#[test]
fn memory_that_is_too_large_for_an_image_is_read_through_pointers() {
    let Some(device) = open(4) else { return };
    let queue = device.queue().expect("a queue");
    let kernel = Kernel {
        name: KernelName::Chain,
        definitions: vec![Definition::Flag("IMAGES")],
        epilogue: Some(vec![Function::Scalar(Binary::Add, 3.0), Function::Row(Binary::Mul)]),
    };
    for (floats, row, imageless) in [(16, 16, 0), (20, 20, 1), (16, 20, 2), (12, 12, 2)] {
        let [to, from] = [(); 2].map(|()| Arc::new(queue.memory(floats).expect("memory")));
        let row = Arc::new(queue.upload(&vec![2.0; row]).expect("memory"));
        let mut arguments = vec![Argument::Memory(Arc::clone(&to)), Argument::Memory(Arc::clone(&from))];
        arguments.extend([1, floats as i32 / 4, floats as i32].map(Argument::Number));
        arguments.push(Argument::Memory(row));
        let grid = [floats as u32 / 4, 1, 1];
        let launch = Launch { kernel: &kernel, arguments, grid, iterations: 1 };
        let port = |memory| Port { memory, floats, stays: false };
        let plan =
            Plan { inputs: vec![port(from)], steps: vec![Step::Launch(launch)], outputs: vec![port(to)] };
        let mut recording = queue.record(plan).expect("it is recorded");
        let x: Vec<f32> = (0..floats).map(|i| i as f32).collect();
        let mut y = vec![0.0; floats];
        queue.write(&mut recording, 0, &x).expect("it is written");
        queue.run(&mut recording).expect("it runs");
        queue.read(&mut recording, 0, &mut y).expect("it is read");
        assert_eq!(y, x.iter().map(|x| (x + 3.0) * 2.0).collect::<Vec<_>>(), "{floats}");
        assert_eq!(queue.effort().imageless, imageless, "{floats}");
    }
}

/// A stopped run continues on the device. After waiting for it, the recording can run again.
#[test]
fn a_timed_run_can_be_stopped() {
    const FLOATS: usize = 1 << 20;
    let Some(device) = open(0) else { return };
    let queue = device.queue().expect("a queue");
    let epilogue = Some(vec![Function::Scalar(Binary::Add, 1.0)]);
    let kernel = Kernel { name: KernelName::Chain, definitions: Vec::new(), epilogue };
    let memory = Arc::new(queue.memory(FLOATS).expect("memory"));
    let step = |_| {
        let mut arguments = Vec::from([(); 2].map(|()| Argument::Memory(Arc::clone(&memory))));
        arguments.extend([FLOATS as i32 / 4, 1, 4].map(Argument::Number));
        Step::Launch(Launch { kernel: &kernel, arguments, grid: [1, FLOATS as u32 / 4, 1], iterations: 1 })
    };
    let port = Port { memory: Arc::clone(&memory), floats: FLOATS, stays: false };
    let plan = Plan { inputs: Vec::new(), steps: (0..50).map(step).collect(), outputs: vec![port] };
    let mut recording = queue.record(plan).expect("it is recorded");
    let stopped = queue.run_timed(&mut recording, &|| true, &mut |_, _| panic!("it has not ended"));
    assert_eq!(stopped.expect_err("it is stopped").status(), Status::Cancelled);
    queue.wait(&mut recording, &|| false).expect("it ends");
    let mut times = Vec::new();
    queue.run_timed(&mut recording, &|| false, &mut |step, _| times.push(step)).expect("it runs");
    assert_eq!(times, (0..50).collect::<Vec<_>>());
    let mut y = vec![0.0; FLOATS];
    queue.read(&mut recording, 0, &mut y).expect("it is read");
    // The first run may have been stopped before it started.
    assert!([50.0, 100.0].contains(&y[0]) && y.iter().all(|&other| other == y[0]), "{}", y[0]);
}
