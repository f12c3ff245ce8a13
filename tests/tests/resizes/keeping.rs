//! The delegate `keeping`: the delegate `cpu`, whose kernels outlive a resize, as the contract allows. A partition with the same
//! nodes and the same constants gets the kernel back that it had, and prepares it again.

use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use arenite::Registry;
use arenite_abi::prelude::*;
use arenite_cpu::Cpu;

type CpuKernel = <Cpu as Delegate>::Kernel;

thread_local! {
    /// Kernels that wait for their partition.
    static KEPT: RefCell<Vec<(u64, CpuKernel)>> = const { RefCell::new(Vec::new()) };
    /// How often a kernel was compiled on this thread, and how many bytes were packed.
    static COMPILED: RefCell<Work> = const { RefCell::new(Work { kernels: 0, bytes: 0 }) };
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    pub kernels: usize,
    pub bytes: usize,
}

/// What was done on this thread since the last call.
pub fn take_work() -> Work {
    COMPILED.replace(Work { kernels: 0, bytes: 0 })
}

/// With `OLD` it compiles as for a host that offers nothing meanwhile.
struct Keeping<const OLD: bool> {
    cpu: Cpu,
    number: u64,
}

struct Kept {
    kernel: Option<CpuKernel>,
    key: u64,
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some(kernel) = self.kernel.take() {
            KEPT.with_borrow_mut(|kept| kept.push((self.key, kernel)));
        }
    }
}

impl Kept {
    /// Calls the kernel, and counts what it packs.
    fn with<T>(&mut self, f: impl FnOnce(&mut CpuKernel) -> Result<T>) -> Result<T> {
        let kernel = self.kernel.as_mut().ok_or_else(|| invalid!("the kernel is gone"))?;
        let before = kernel.packed_bytes();
        let done = f(kernel);
        COMPILED.with_borrow_mut(|work| work.bytes += kernel.packed_bytes() - before);
        done
    }
}

impl<const OLD: bool> Delegate for Keeping<OLD> {
    const NAME: &'static str = if OLD { "keeping-old" } else { "keeping" };
    type Kernel = Kept;

    fn create(options: &OptionPairs<'_>) -> Result<Self> {
        static INSTANCES: AtomicU64 = AtomicU64::new(0);
        Ok(Keeping { cpu: Cpu::create(options)?, number: INSTANCES.fetch_add(1, Relaxed) })
    }

    fn claim(&self, graph: &GraphView<'_>, claims: &mut Claims<'_>) -> Result<()> {
        self.cpu.claim(graph, claims)
    }

    fn compile(&self, _: &PartitionView<'_>) -> Result<Kept> {
        Err(invalid!("the host offers nothing while it compiles"))
    }

    fn compile_with(&self, partition: &PartitionView<'_>, cx: &CompileContext<'_>) -> Result<Kept> {
        let mut key = DefaultHasher::new();
        (self.number, partition.node_indices(), partition.outputs()).hash(&mut key);
        for &input in partition.inputs() {
            let tensor = partition.graph().tensor(input as usize)?;
            (input, tensor.is_constant().then(|| tensor.bytes())).hash(&mut key);
        }
        let key = key.finish();
        let kept = KEPT.with_borrow_mut(|kept| {
            let at = kept.iter().position(|(known, _)| *known == key)?;
            Some(kept.swap_remove(at).1)
        });
        let kernel = match kept {
            Some(kernel) => kernel,
            None => {
                let kernel = match OLD {
                    true => self.cpu.compile(partition)?,
                    false => self.cpu.compile_with(partition, cx)?,
                };
                COMPILED.with_borrow_mut(|work| {
                    (work.kernels, work.bytes) = (work.kernels + 1, work.bytes + kernel.packed_bytes());
                });
                kernel
            }
        };
        Ok(Kept { kernel: Some(kernel), key })
    }
}

impl DelegateKernel for Kept {
    fn prepare(&mut self, partition: &PartitionView<'_>, cx: &mut PrepareContext<'_>) -> Result<()> {
        self.with(|kernel| kernel.prepare(partition, cx))
    }

    fn invoke(&mut self, partition: &PartitionView<'_>, cx: &mut EvalContext<'_>) -> Result<()> {
        self.with(|kernel| kernel.invoke(partition, cx))
    }
}

static PLUGIN: Plugin = plugin! {
    id: "org.arenite.test",
    description: "The delegate that keeps its kernels",
    delegates: [Keeping<false>, Keeping<true>],
};

/// The linked-in plugins and this one.
pub fn registry() -> Arc<Registry> {
    let mut registry = Registry::with_static_plugins().expect("they are linked in");
    registry.add_plugin(&PLUGIN).expect("it is sound");
    Arc::new(registry)
}
