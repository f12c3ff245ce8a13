//! The delegate `counting`: the delegate `cpu`, with counts of compiled kernels and packed bytes.

use std::cell::RefCell;
use std::sync::Arc;

use arenite::Registry;
use arenite_abi::prelude::*;
use arenite_cpu::Cpu;

thread_local! {
    /// The work of this thread.
    static DONE: RefCell<Work> = const { RefCell::new(Work { kernels: 0, bytes: 0 }) };
}

/// The number of compiled kernels and of packed bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Work {
    pub kernels: usize,
    pub bytes: usize,
}

/// The work of this thread since the last call.
pub(crate) fn take_work() -> Work {
    DONE.replace(Work { kernels: 0, bytes: 0 })
}

/// With `OLD`, kernels are compiled as on a host without the interface for compile time.
struct Counting<const OLD: bool>(Cpu);

struct Kernel(<Cpu as Delegate>::Kernel);

impl Kernel {
    /// Calls the kernel, and counts the bytes that it packs.
    fn with<T>(&mut self, f: impl FnOnce(&mut <Cpu as Delegate>::Kernel) -> Result<T>) -> Result<T> {
        let before = self.0.packed_bytes();
        let done = f(&mut self.0);
        DONE.with_borrow_mut(|work| work.bytes += self.0.packed_bytes() - before);
        done
    }
}

impl<const OLD: bool> Delegate for Counting<OLD> {
    const NAME: &'static str = if OLD { "counting-old" } else { "counting" };
    type Kernel = Kernel;

    fn create(options: &OptionPairs<'_>) -> Result<Self> {
        Cpu::create(options).map(Counting)
    }

    fn claim(&self, graph: &GraphView<'_>, claims: &mut Claims<'_>) -> Result<()> {
        self.0.claim(graph, claims)
    }

    fn compile(&self, _: &PartitionView<'_>) -> Result<Kernel> {
        Err(invalid!("this host has no services at compile time"))
    }

    fn compile_with(&self, partition: &PartitionView<'_>, cx: &CompileContext<'_>) -> Result<Kernel> {
        let kernel = match OLD {
            true => self.0.compile(partition)?,
            false => self.0.compile_with(partition, cx)?,
        };
        DONE.with_borrow_mut(|work| {
            (work.kernels, work.bytes) = (work.kernels + 1, work.bytes + kernel.packed_bytes());
        });
        Ok(Kernel(kernel))
    }
}

impl DelegateKernel for Kernel {
    fn prepare(&mut self, partition: &PartitionView<'_>, cx: &mut PrepareContext<'_>) -> Result<()> {
        self.with(|kernel| kernel.prepare(partition, cx))
    }

    fn invoke(&mut self, partition: &PartitionView<'_>, cx: &mut EvalContext<'_>) -> Result<()> {
        self.with(|kernel| kernel.invoke(partition, cx))
    }
}

static PLUGIN: Plugin = plugin! {
    id: "org.arenite.test",
    description: "The CPU delegate with counters",
    delegates: [Counting<false>, Counting<true>],
};

/// The linked-in plugins and this one.
pub(crate) fn registry() -> Arc<Registry> {
    let mut registry = Registry::with_static_plugins().expect("they are linked in");
    registry.add_plugin(&PLUGIN).expect("it is sound");
    Arc::new(registry)
}
