//! The delegate `cpu`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use arenite_abi::host::{self, LogLevel};
use arenite_abi::prelude::*;

use crate::borders::add_borders;
use crate::cascade::cascade;
use crate::fuse::fuse;
use crate::fuse_bytes::fuse_bytes;
use crate::isa::Isa;
use crate::kernels::u8_pair::Pairs;
use crate::net::{Id, Net, Node, Subgraphs, Values};
use crate::normalize::normalize;
use crate::ops::{self, Build, Layer, Winograd};
use crate::pads::take_pads;
use crate::program::Program;
use crate::scan::scan;
use crate::store::{Cache, Origin, Store, hash};
use crate::straighten::straighten;
use crate::unsign::unsign;
use crate::views::view;

/// The delegate `cpu`. Options:
///
/// * `isa`: the instruction set to go up to, as in `ARENITE_ISA`;
/// * `winograd`: `true` (the default) or `false`, whether 3 × 3 convolutions may be computed with fewer operations and another
///   rounding;
/// * `cache`: a folder for packed weights. The first start writes a file there, later ones map it: nothing is packed, the
///   model's own weights are not read, and processes share the memory.
#[derive(Clone)]
pub struct Cpu {
    isa: Isa,
    winograd: Winograd,
    cache: Option<PathBuf>,
}

/// A compiled partition.
pub struct CpuKernel {
    settings: Cpu,
    program: Option<Program>,
}

impl Delegate for Cpu {
    const NAME: &'static str = "cpu";
    type Kernel = CpuKernel;

    fn create(options: &OptionPairs<'_>) -> Result<Self> {
        options.expect_only(&["isa", "winograd", "cache"])?;
        let detected = Isa::detect()?;
        let isa = match options.get("isa") {
            Some(name) => Isa::best(Some(Isa::named(name)?.min(detected))),
            None => detected,
        };
        let winograd = if options.parse("winograd", true)? { Winograd::Allowed } else { Winograd::Off };
        let cache = options.get("cache").map(PathBuf::from);
        if let Some(folder) = &cache {
            ensure!(folder.is_dir(), "option cache: {} is no folder; make it first", folder.display());
        }
        Ok(Cpu { isa, winograd, cache })
    }

    fn claim(&self, graph: &GraphView<'_>, claims: &mut Claims<'_>) -> Result<()> {
        let mut refused = refusals(*graph, &|subgraph| claims.subgraph(subgraph))?;
        for (i, reason) in refused.iter_mut().enumerate() {
            match reason.take() {
                Some(reason) => claims.refuse(i, &reason),
                None => claims.accept(i),
            }
        }
        Ok(())
    }

    /// All work waits for `prepare`, where subgraphs are shown, and the host takes back what was packed.
    fn compile(&self, _: &PartitionView<'_>) -> Result<CpuKernel> {
        Ok(CpuKernel { settings: self.clone(), program: None })
    }
}

/// Per node, why it is not taken.
fn refusals<'a>(graph: GraphView<'a>, subgraphs: &'a Subgraphs<'a>) -> Result<Vec<Option<String>>> {
    let mut values = Values::of(graph, subgraphs);
    let mut refused = vec![None; graph.node_count()];
    let mut taken = Vec::with_capacity(graph.node_count());
    for (node, refused) in graph.nodes().zip(&mut refused) {
        let lowered = values.add_node(&node).and_then(|is_weights| match is_weights {
            true => Ok(None),
            false => ops::lower(&node, &values).map(Some),
        });
        *refused = lowered.as_ref().err().map(|error| error.message().to_owned());
        taken.push(lowered.ok().flatten());
    }
    for i in lonely_renamings(&taken) {
        refused[i] = Some("nothing beside it is taken, it moves no bytes".to_owned());
    }
    Ok(refused)
}

/// Renamings that no other kind of node reads from or gives to, by way of renamings. The host lays their outputs over their
/// inputs, while a partition of its own would have to copy.
fn lonely_renamings(nodes: &[Option<Node<'_>>]) -> HashSet<usize> {
    let is_renaming = |node: &Node<'_>| matches!(node.layer, Layer::Rename);
    let mut with_company: HashSet<Id> = HashSet::new();
    for node in nodes.iter().flatten().filter(|node| !is_renaming(node)) {
        with_company.extend(node.inputs.iter().chain(&node.outputs));
    }
    let spread = |node: &Node<'_>, with_company: &mut HashSet<Id>| {
        let ends = [node.inputs[0], node.outputs[0]];
        if is_renaming(node) && ends.iter().any(|id| with_company.contains(id)) {
            with_company.extend(ends);
        }
    };
    nodes.iter().flatten().for_each(|node| spread(node, &mut with_company));
    nodes.iter().rev().flatten().for_each(|node| spread(node, &mut with_company));
    let alone = |node: &Node<'_>| is_renaming(node) && !with_company.contains(&node.inputs[0]);
    let numbered = nodes.iter().enumerate();
    numbered.filter(|(_, node)| node.as_ref().is_some_and(alone)).map(|(i, _)| i).collect()
}

impl DelegateKernel for CpuKernel {
    fn prepare(&mut self, partition: &PartitionView<'_>, cx: &mut PrepareContext<'_>) -> Result<()> {
        for (i, &tensor) in partition.outputs().iter().enumerate() {
            let tensor = partition.graph().tensor(tensor as usize)?;
            cx.set_output_shape(i, tensor.shape)?;
        }
        let program = match &mut self.program {
            Some(program) => program,
            none => {
                let model = cx.model();
                let show = |subgraph| match &model {
                    Ok(model) => model.subgraph(subgraph),
                    Err(error) => Err(*error),
                };
                none.insert(self.settings.program(partition, cx, &show)?)
            }
        };
        program.prepare(cx)
    }

    fn invoke(&mut self, _: &PartitionView<'_>, cx: &mut EvalContext<'_>) -> Result<()> {
        match &mut self.program {
            Some(program) => program.run(cx),
            None => Err(invalid!("the partition was not prepared")),
        }
    }
}

impl Cpu {
    fn program<'a>(
        &self,
        partition: &PartitionView<'a>,
        cx: &mut PrepareContext<'_>,
        subgraphs: &'a Subgraphs<'a>,
    ) -> Result<Program> {
        let net = || Net::lower(partition, subgraphs);
        let Some(folder) = &self.cache else { return Ok(self.build(net()?, cx, None)?.0) };
        let origin = self.origin(partition, &net()?, cx)?;
        let words = [&origin.file[..], &[origin.setting]].concat();
        let name = hash(bytemuck::cast_slice(&words));
        let path = folder.join(format!("{name:016x}.arenite-weights"));
        let cache = open(&path, &origin);
        let found = cache.is_some();
        let mut built = self.build(net()?, cx, cache)?;
        if built.1.filled() == 0 {
            return Ok(built.0);
        }
        if found {
            // A damaged block: the whole file is made anew.
            built = self.build(net()?, cx, None)?;
        }
        if let Err(error) = built.1.save(&path, &origin) {
            warn(&path, "was not written", &error);
            return Ok(built.0);
        }
        // Nothing is held twice: from here on the file's pages are used.
        drop(built);
        Ok(self.build(net()?, cx, open(&path, &origin))?.0)
    }

    fn build(
        &self,
        mut net: Net<'_>,
        cx: &mut PrepareContext<'_>,
        cache: Option<Cache>,
    ) -> Result<(Program, Store)> {
        let pairs = Pairs::select(self.isa);
        scan(&mut net, |net| rewrite(net, pairs))?;
        rewrite(&mut net, pairs)?;
        let build = Build::new(self.isa, self.winograd, Store::new(cache));
        cascade(&mut net, &build);
        let program = Program::build(net, &build, |id| cx.release_constant(id))?;
        Ok((program, build.store))
    }

    /// What the packed weights of a partition are made of. The contents of constants are read only if the model is no file.
    fn origin(
        &self,
        partition: &PartitionView<'_>,
        net: &Net<'_>,
        cx: &PrepareContext<'_>,
    ) -> Result<Origin> {
        let nodes: Vec<u8> = partition.node_indices().iter().flat_map(|node| node.to_le_bytes()).collect();
        let setting = format!("{} {} {:?}", env!("CARGO_PKG_VERSION"), self.isa, self.winograd);
        let setting = hash(setting.as_bytes()) ^ hash(&nodes).rotate_left(1);
        let file = match cx.model_origin()? {
            Some(file) => file,
            None => {
                let mut sums = [0u64; 4];
                for constant in net.values.iter().filter_map(|value| value.constant) {
                    for (i, sum) in sums.iter_mut().enumerate() {
                        let part = hash(constant.bytes()).rotate_left(16 * i as u32);
                        *sum = hash(&[sum.to_le_bytes(), part.to_le_bytes()].concat());
                    }
                }
                sums
            }
        };
        Ok(Origin { file, setting })
    }
}

/// What is done to any net, those inside of loops too.
fn rewrite(net: &mut Net<'_>, pairs: &'static Pairs) -> Result<()> {
    take_pads(net);
    add_borders(net);
    normalize(net);
    fuse(net);
    view(net);
    unsign(net);
    straighten(net, pairs)?;
    fuse_bytes(net)
}

fn open(path: &Path, origin: &Origin) -> Option<Cache> {
    Cache::open(path, origin).unwrap_or_else(|error| {
        warn(path, "cannot be read", &error);
        None
    })
}

fn warn(path: &Path, what: &str, error: &std::io::Error) {
    let message = format!("cache {} {what}: {error}; weights are packed in memory", path.display());
    host::log(LogLevel::Warn, "arenite_cpu", &message);
}
