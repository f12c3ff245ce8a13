//! Memory of the program on a GPU is the input or the output of a model: a `cl_mem` or a `VkBuffer` that the program
//! makes with the driver, on the delegate's objects.

use std::ptr::{null, null_mut};

use arenite::{DeviceMemory, Interpreter, Model};
use arenite_model::tensor_type::FLOAT32;
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor};
use ash::vk;
use ash::vk::Handle as _;
use opencl3::command_queue::{enqueue_read_buffer, enqueue_write_buffer};
use opencl3::context::Context;
use opencl3::device::Device;
use opencl3::event::release_event;
use opencl3::memory::{CL_MEM_READ_WRITE, create_buffer, release_mem_object};
use opencl3::types::{CL_BLOCKING, cl_command_queue, cl_context, cl_device_id, cl_mem};

use super::starts::{numbers, on_device, run};
use super::{Backend, backends};

/// Bytes of a buffer before the tensor.
const OFFSET: usize = 16;

/// A buffer of the program.
enum Buffer {
    OpenCl { queue: cl_command_queue, buffer: cl_mem },
    Vulkan { device: Box<ash::Device>, buffer: vk::Buffer, memory: vk::DeviceMemory, mapped: *mut u8 },
}

impl Buffer {
    /// A buffer of `bytes` bytes on the delegate's device.
    fn new(interpreter: &mut Interpreter, delegate: &str, bytes: usize) -> Buffer {
        let mut object = |name: &str| interpreter.device_object(delegate, name).expect("it has this object");
        match delegate {
            "opencl" => {
                let (context, queue) = (object("context") as cl_context, object("queue") as cl_command_queue);
                // SAFETY: the context is the delegate's, and the host pointer is null.
                let buffer = unsafe { create_buffer(context, CL_MEM_READ_WRITE, bytes, null_mut()) };
                Buffer::OpenCl { queue, buffer: buffer.expect("the device has memory") }
            }
            _ => {
                let [instance, physical, device] = ["instance", "physical_device", "device"].map(object);
                // SAFETY: the handles are the delegate's.
                unsafe { Buffer::of_vulkan(instance, physical, device, bytes) }
            }
        }
    }

    /// # Safety
    /// The handles belong together and live.
    unsafe fn of_vulkan(instance: u64, physical: u64, device: u64, bytes: usize) -> Buffer {
        // SAFETY: the handles belong together; infos live until calls return; sizes come from the driver.
        unsafe {
            let entry = ash::Entry::load().expect("the delegate loaded it");
            let instance = ash::Instance::load(entry.static_fn(), vk::Instance::from_raw(instance));
            let types =
                instance.get_physical_device_memory_properties(vk::PhysicalDevice::from_raw(physical));
            let device = ash::Device::load(instance.fp_v1_0(), vk::Device::from_raw(device));
            let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
            let info = vk::BufferCreateInfo::default().size(bytes as u64).usage(usage);
            let buffer = device.create_buffer(&info, None).expect("a buffer");
            let needs = device.get_buffer_memory_requirements(buffer);
            let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
            let fits = |&i: &u32| {
                let has = types.memory_types[i as usize].property_flags;
                needs.memory_type_bits >> i & 1 == 1 && has.contains(wanted)
            };
            let ty = (0..types.memory_type_count).find(fits).expect("the host sees memory of this type");
            let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(ty);
            let memory = device.allocate_memory(&info, None).expect("the device has memory");
            device.bind_buffer_memory(buffer, memory, 0).expect("it is new");
            let mapped = device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
            Buffer::Vulkan {
                device: Box::new(device),
                buffer,
                memory,
                mapped: mapped.expect("the host sees it").cast(),
            }
        }
    }

    fn raw(&self) -> u64 {
        match self {
            Buffer::OpenCl { buffer, .. } => *buffer as usize as u64,
            Buffer::Vulkan { buffer, .. } => buffer.as_raw(),
        }
    }

    fn write(&self, bytes: &[u8]) {
        // SAFETY: the buffer has `OFFSET` bytes more, and no command uses it.
        unsafe {
            match self {
                Buffer::OpenCl { queue, buffer } => {
                    let (data, size) = (bytes.as_ptr().cast(), bytes.len());
                    let event =
                        enqueue_write_buffer(*queue, *buffer, CL_BLOCKING, OFFSET, size, data, 0, null());
                    release_event(event.expect("it is written")).expect("it exists");
                }
                Buffer::Vulkan { mapped, .. } => mapped.add(OFFSET).copy_from(bytes.as_ptr(), bytes.len()),
            }
        }
    }

    fn read(&self, bytes: &mut [u8]) {
        // SAFETY: as in `write`.
        unsafe {
            match self {
                Buffer::OpenCl { queue, buffer } => {
                    let (data, size) = (bytes.as_mut_ptr().cast(), bytes.len());
                    let event =
                        enqueue_read_buffer(*queue, *buffer, CL_BLOCKING, OFFSET, size, data, 0, null());
                    release_event(event.expect("it is read")).expect("it exists");
                }
                Buffer::Vulkan { mapped, .. } => {
                    bytes.as_mut_ptr().copy_from(mapped.add(OFFSET), bytes.len());
                }
            }
        }
    }

    fn memory(&self, delegate: &str, bytes: usize) -> DeviceMemory {
        let (object, offset) = (self.raw(), OFFSET as u64);
        DeviceMemory { delegate: delegate.to_owned(), object, offset, bytes: bytes as u64 }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: the test drops interpreters first, and each object once.
        unsafe {
            match self {
                Buffer::OpenCl { buffer, .. } => release_mem_object(*buffer).expect("it exists"),
                Buffer::Vulkan { device, buffer, memory, .. } => {
                    device.destroy_buffer(*buffer, None);
                    device.free_memory(*memory, None);
                }
            }
        }
    }
}

/// Binds memory to input 0 or output 0.
fn bind(interpreter: &mut Interpreter, is_input: bool, memory: &DeviceMemory) -> arenite::Result<()> {
    let tensors = if is_input { interpreter.inputs_of(0)? } else { interpreter.outputs_of(0)? };
    let tensor = tensors[0] as usize;
    // SAFETY: the test keeps the buffer until it has dropped the interpreter.
    unsafe { interpreter.bind_device_memory(0, tensor, memory) }
}

/// `y = NEG(x)`, and `z = ABS(x)`.
fn model(shape: &[i32]) -> Model {
    let (mut model, mut graph) = (ModelBuilder::new(), SubGraph::new("main"));
    let x = graph.input(Tensor::new("x", FLOAT32, shape));
    for (op, name) in [("NEG", "y"), ("ABS", "z")] {
        let output = graph.output(Tensor::new(name, FLOAT32, shape));
        let code = model.builtin(op, 1);
        graph.operator(Operator::new(code, &[x], &[output]));
    }
    model.subgraph(graph);
    Model::from_bytes(model.finish()).expect("the model is sound")
}

fn floats(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i * 37 % 101) as f32 / 25.0 - 2.0).collect()
}

/// With rows that are padded and not: the program's buffer is the input of one interpreter, its output is the input of
/// another one. In 32 bits nothing crosses to the host; in 16 bits and for a node on the host the values do, with the
/// same results.
#[test]
fn a_buffer_of_the_program_passes_between_interpreters() {
    for Backend { delegate, .. } in backends() {
        for (shape, precision, exclude) in
            [([3, 8], "f32", &[][..]), ([3, 7], "f32", &[]), ([70, 5], "f32", &["ABS"]), ([3, 7], "f16", &[])]
        {
            let what = format!("{delegate} {shape:?} {precision} {exclude:?}");
            let (model, x) = (model(&shape), floats((shape[0] * shape[1]) as usize));
            let options = [("precision", precision)];
            let allocated = || {
                let mut interpreter = on_device(delegate, &model, &options, exclude);
                interpreter.allocate().expect("it allocates");
                interpreter
            };
            let (mut first, mut second) = (allocated(), allocated());
            let bytes = x.len() * 4;
            let [from, between] = [(); 2].map(|()| Buffer::new(&mut first, delegate, OFFSET + bytes));
            from.write(bytemuck::cast_slice(&x));
            bind(&mut first, true, &from.memory(delegate, bytes)).expect("it is bound");
            bind(&mut first, false, &between.memory(delegate, bytes)).expect("it is bound");
            bind(&mut second, true, &between.memory(delegate, bytes)).expect("it is bound");
            for _ in 0..2 {
                first.invoke().expect("it runs");
                second.invoke().expect("it runs");
            }
            let near = |got: &[f32], want: &[f32]| got.iter().zip(want).all(|(a, b)| (a - b).abs() < 2e-3);
            let read = |interpreter: &Interpreter, i| -> Vec<f32> {
                interpreter.output(i).and_then(|y| y.as_slice().map(<[f32]>::to_vec)).expect("floats")
            };
            let negative: Vec<f32> = x.iter().map(|x| -x).collect();
            let positive: Vec<f32> = x.iter().map(|x| x.abs()).collect();
            let mut middle = vec![0f32; x.len()];
            between.read(bytemuck::cast_slice_mut(&mut middle));
            assert!(near(&middle, &negative), "{what}: {middle:?}");
            assert!(near(&read(&first, 1), &positive), "{what}");
            assert!(near(&read(&second, 0), &x), "{what}");
            if precision == "f32" {
                assert_eq!(numbers(&first, "to the device in the last invocation"), [0], "{what}");
                let back = if exclude.is_empty() { bytes as u64 } else { 0 };
                assert_eq!(numbers(&first, "from the device in the last invocation"), [back], "{what}");
            }
            drop((first, second));
        }
    }
}

/// Quantized tensors pass through the host, with the bytes that they have there.
#[test]
fn bytes_of_the_program_are_inputs_and_outputs() {
    let model = Model::from_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/digits/digits_i8.tflite"))
        .expect("it is in the repository");
    for Backend { delegate, .. } in backends() {
        let mut interpreter = on_device(delegate, &model, &[], &[]);
        interpreter.allocate().expect("it allocates");
        let picture: Vec<u8> = (0..256).map(|i| (i * 37) as u8).collect();
        interpreter.input_mut(0).and_then(|x| x.copy_from_bytes(&picture)).expect("256 bytes");
        interpreter.invoke().expect("it runs");
        let want = interpreter.output(0).and_then(|y| y.bytes().map(<[u8]>::to_vec)).expect("bytes");
        let [from, to] = [256, want.len()].map(|n| Buffer::new(&mut interpreter, delegate, OFFSET + n));
        from.write(&picture);
        bind(&mut interpreter, true, &from.memory(delegate, 256)).expect("it is bound");
        bind(&mut interpreter, false, &to.memory(delegate, want.len())).expect("it is bound");
        interpreter.invoke().expect("it runs");
        let mut got = vec![0; want.len()];
        to.read(&mut got);
        assert_eq!(got, want, "{delegate}");
        drop(interpreter);
    }
}

#[test]
fn errors_of_bound_memory_name_what_is_wrong() {
    for Backend { delegate, .. } in backends() {
        let model = model(&[3, 7]);
        let mut interpreter = on_device(delegate, &model, &[], &[]);
        let error = interpreter.device_object(delegate, "context").expect_err("it has no device yet");
        assert!(error.to_string().contains("call allocate() first"), "{error}");
        interpreter.allocate().expect("it allocates");
        let error = interpreter.device_object(delegate, "window").expect_err("it has none").to_string();
        assert!(error.contains("'window' is unknown; known: ") && error.contains("device"), "{error}");
        let buffer = Buffer::new(&mut interpreter, delegate, OFFSET + 84);
        let memory = |bytes| buffer.memory(delegate, bytes);
        let mut refused = |memory: &DeviceMemory| {
            bind(&mut interpreter, true, memory).expect_err("it does not fit").to_string()
        };
        let error = refused(&memory(80));
        assert!(error.contains("'x'") && error.contains("has 80 bytes, it needs 84"), "{error}");
        let error = refused(&memory(1 << 20));
        assert!(error.contains("1048576 bytes at offset 16 are not in a "), "{error}");
        let error = refused(&DeviceMemory { offset: 6, ..memory(84) });
        assert!(error.contains("the offset 6 in a ") && error.contains("not a multiple of 4"), "{error}");
        let error = refused(&DeviceMemory { delegate: "cpu".into(), ..memory(84) });
        assert!(error.contains("no delegate 'cpu' is set"), "{error}");
        let error = refused(&DeviceMemory { object: 0, ..memory(84) });
        assert!(error.contains("is null"), "{error}");
        if delegate == "opencl" {
            let device = interpreter.device_object(delegate, "device").expect("it has one");
            let context =
                Context::from_device(&Device::new(device as cl_device_id)).expect("another context");
            // SAFETY: the context lives, and the host pointer is null.
            let raw = unsafe { create_buffer(context.get(), CL_MEM_READ_WRITE, OFFSET + 84, null_mut()) };
            let memory = DeviceMemory { object: raw.expect("memory") as usize as u64, ..memory(84) };
            let error = bind(&mut interpreter, true, &memory).expect_err("it is elsewhere").to_string();
            assert!(error.contains("the cl_mem belongs to another context"), "{error}");
            // SAFETY: it is released once.
            unsafe { release_mem_object(memory.object as cl_mem) }.expect("it exists");
        }
        bind(&mut interpreter, true, &memory(84)).expect("it fits");
        let error = interpreter.input_mut(0).and_then(|x| x.copy_from_slice(&[0f32; 21]));
        let error = error.expect_err("its value is on the device").to_string();
        assert!(error.contains("unbind_device_memory"), "{error}");
        let x = interpreter.inputs_of(0).expect("one")[0] as usize;
        assert!(interpreter.unbind_device_memory(0, x).expect("it exists"));
        let x: Vec<f32> = run(&mut interpreter).iter().map(|y| -y).collect();
        assert_eq!(x, floats(21), "{delegate}");
        drop(interpreter);
    }
}
