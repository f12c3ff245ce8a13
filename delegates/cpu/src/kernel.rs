//! A compiled partition: its packed weights, and programs for the latest shapes that it was prepared for.
//!
//! ```text
//! compile, prepare: shapes ─┬─ seen lately ──► the program that is there
//!                           └─ else ─► net of layers ─► rewritten net ─► program, with the weights that are packed
//!                                                                        already, and others that its kernels need
//! ```

use arenite_abi::host::{self, LogLevel};
use arenite_abi::prelude::*;
use arenite_layers::Subgraphs;

use crate::cache_file::CacheFile;
use crate::contents::Contents;
use crate::net::{LIMITS, Net, packed_constants};
use crate::ops::build::Build;
use crate::ops::values::NetValues;
use crate::program::{Program, VariablePorts};
use crate::rewrite::rewrite;
use crate::settings::Settings;
use crate::store::{SharedBlocks, Store};

/// Programs that are kept: one more than runs, so that shapes may go to and fro.
const PROGRAMS: usize = 2;

/// A compiled partition.
pub struct CpuKernel {
    settings: Settings,
    build: Build,
    /// With the shapes that each is for, and the bytes of its tables; the one that runs is first.
    programs: Vec<(Shapes, Program, u64)>,
    /// The last `prepare` was for the first program and went well.
    prepared: bool,
}

impl CpuKernel {
    /// A kernel without packed weights, for at most `threads` threads.
    pub(crate) fn new(settings: Settings, threads: usize) -> Self {
        let contents = settings.cache.as_ref().map(|_| Contents::default());
        let store = Store::new(SharedBlocks::of_process(settings.cache.as_deref()));
        let build = Build { contents, ..Build::new(settings.isa, settings.winograd, store, threads) };
        CpuKernel { settings, build, programs: Vec::new(), prepared: false }
    }

    /// Bytes of weights that were packed since the start. Weights from a cache file are not packed.
    pub fn packed_bytes(&self) -> usize {
        self.build.store.packed()
    }

    /// Makes the program for the present shapes the first one.
    pub(crate) fn take_shapes<'a>(
        &mut self,
        partition: &PartitionView<'a>,
        constants: Constants<'_>,
        held: Held<'_>,
        subgraphs: &'a Subgraphs<'a>,
    ) -> Result<()> {
        let shapes = Shapes::of(partition)?;
        if let Some(at) = self.programs.iter().position(|(known, ..)| *known == shapes) {
            self.programs[..=at].rotate_right(1);
            return Ok(());
        }
        let packed = self.packed_bytes();
        self.programs.truncate(PROGRAMS - 1);
        let mut program = self.program(partition, constants, held, subgraphs);
        let is_short = program.as_ref().is_err_and(|error| error.status() == Status::OutOfMemory);
        if is_short && !self.programs.is_empty() {
            // The programs of other shapes only save time; they may be dropped.
            self.programs.clear();
            program = self.program(partition, constants, held, subgraphs);
        }
        let tables = self.build.store.allowance.tables();
        let done = program.map(|program| self.programs.insert(0, (shapes, program, tables)));
        // Also after an error: packed weights remain.
        held.hold(self.held())?;
        done?;
        let (packed, nodes) = (self.packed_bytes() - packed, partition.node_indices().len());
        if packed > 0 {
            let message = format!("packed {packed} bytes for a partition of {nodes} nodes");
            host::log(LogLevel::Debug, "arenite_cpu", &message);
        }
        Ok(())
    }

    /// Bytes of packed weights and of tables. Weights that another partition packed are counted there.
    fn held(&self) -> u64 {
        self.build.store.held() + self.programs.iter().map(|(.., tables)| tables).sum::<u64>()
    }

    fn program<'a>(
        &mut self,
        partition: &PartitionView<'a>,
        constants: Constants<'_>,
        held: Held<'_>,
        subgraphs: &'a Subgraphs<'a>,
    ) -> Result<Program> {
        held.hold(self.held())?;
        self.build.store.allowance.begin(held.room());
        let mut net = Net::lower(partition, subgraphs, None, &LIMITS)?;
        let release = |tensor| constants.release(tensor);
        let file = match (&self.settings.cache, &self.build.contents) {
            (Some(folder), Some(contents)) if self.build.store.is_empty() => {
                let contents = contents.of_all(&NetValues::of(&net), packed_constants(&net), release)?;
                Some(CacheFile::of(folder, &self.settings, partition, contents))
            }
            _ => None,
        };
        file.iter().for_each(|file| self.build.store.start_over(file.open()));
        let mut variables = VariablePorts::take(&mut net)?;
        rewrite(&mut net, &self.build)?;
        variables.take_parts(&mut net, self.build.bytes.map);
        let constants_made = net.constants.iter().map(|(_, bytes)| bytes.len()).sum();
        self.build.store.allowance.keep(constants_made, "constants in another form")?;
        let is_free = free_outputs(partition, &variables)?;
        let mut program = Program::build(&net, &is_free, &self.build, release)?;
        if let Some(file) = file.filter(|file| self.packed_bytes() > 0 && file.save(&self.build.store)) {
            // From here on the pages of the file are used; the packed copies are freed.
            drop(program);
            self.build.store.start_over(file.open());
            held.hold(self.held())?;
            self.build.store.allowance.begin(held.room());
            program = Program::build(&net, &is_free, &self.build, release)?;
        }
        program.connect(&net, variables);
        Ok(program)
    }
}

impl DelegateKernel for CpuKernel {
    fn prepare(&mut self, partition: &PartitionView<'_>, cx: &mut PrepareContext<'_>) -> Result<()> {
        self.prepared = false;
        for (i, &tensor) in partition.outputs().iter().enumerate() {
            let tensor = partition.graph().tensor(tensor as usize)?;
            cx.set_output_shape(i, tensor.shape)?;
        }
        let model = cx.model();
        let show = |subgraph| match &model {
            Ok(model) => model.subgraph(subgraph),
            Err(error) => Err(*error),
        };
        self.take_shapes(partition, cx.constants(), cx.held(), &show)?;
        self.programs.first_mut().map_or(Ok(()), |(_, program, _)| program.prepare(cx))?;
        self.prepared = true;
        Ok(())
    }

    fn invoke(&mut self, _: &PartitionView<'_>, cx: &mut EvalContext<'_>) -> Result<()> {
        match self.programs.first_mut() {
            Some((_, program, _)) if self.prepared => program.run(cx),
            _ => Err(invalid!("the partition was not prepared")),
        }
    }

    fn plan(&self, notes: &mut PlanNotes<'_>) -> Result<()> {
        match self.programs.first() {
            Some((_, program, _)) if self.prepared => {
                program.note(notes);
                Ok(())
            }
            _ => Err(invalid!("the partition was not prepared")),
        }
    }

    fn facts(&self, notes: &mut FactNotes<'_>) -> Result<()> {
        let time = self.build.store.packing_time().as_nanos();
        notes.text("instruction set", &self.settings.isa.to_string());
        notes.number("packed weights", self.packed_bytes() as u64, "bytes");
        notes.number("time of packing", u64::try_from(time).unwrap_or(u64::MAX), "ns");
        Ok(())
    }
}

/// Everything that lowering reads from a partition besides its nodes and constants: per tensor the rank, the
/// dimensions, and whether it is constant. Shapes inside called subgraphs follow from these.
#[derive(PartialEq)]
struct Shapes(Vec<i32>);

impl Shapes {
    fn of(partition: &PartitionView<'_>) -> Result<Shapes> {
        let graph = partition.graph();
        let of_nodes = partition.nodes().flat_map(|node| [node.input_indices(), node.output_indices()]);
        let tensors = of_nodes.chain([partition.inputs(), partition.outputs()]).flatten();
        let mut shapes = Vec::new();
        for tensor in tensors.filter_map(|&tensor| usize::try_from(tensor).ok()) {
            let tensor = graph.tensor(tensor)?;
            shapes.extend([tensor.shape.len() as i32, i32::from(tensor.is_constant())]);
            shapes.extend(tensor.shape);
        }
        Ok(Shapes(shapes))
    }
}

/// For each output of the net, whether its memory may be overwritten before the output is computed. A variable still
/// holds its value.
fn free_outputs(partition: &PartitionView<'_>, variables: &VariablePorts) -> Result<Vec<bool>> {
    let outputs = partition.outputs().iter();
    let outputs = outputs.map(|&t| Ok(!partition.graph().tensor(t as usize)?.is_variable()));
    // Values that are assigned later are in scratch memory.
    outputs.chain(variables.assigned().map(|_| Ok(true))).collect()
}
