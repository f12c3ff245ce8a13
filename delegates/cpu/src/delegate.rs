//! The delegate `cpu`.

use std::path::PathBuf;

use arenite_abi::host::{self, LogLevel};
use arenite_abi::prelude::*;
use arenite_layers::refusals;

use crate::isa::{Isa, UnknownIsa};
use crate::kernel::CpuKernel;
use crate::kernels::f32_winograd;
use crate::net::{CpuLayer, LIMITS};
use crate::ops::build::{Build, Winograd};
use crate::settings::Settings;
use crate::store::{SharedBlocks, Store};

/// The delegate `cpu`. Options:
///
/// * `isa`: the instruction set to go up to, or a list of features, as in `ARENITE_ISA` (see [`Isa::named`]);
/// * `winograd`: `true` (the default) or `false`, whether 3 × 3 convolutions may be computed with fewer operations and
///   another rounding. A pixel that is not finite makes NaN of the results around it then;
/// * `cache`: a folder for packed weights. The first start writes a file there, later ones map it: nothing is packed,
///   and processes share the memory. Weights are found by a hash of the constants that they were packed from, so each
///   start reads those once.
#[derive(Clone)]
pub struct Cpu(Settings);

fn unknown_isa(unknown: UnknownIsa) -> Error {
    invalid!("{unknown}")
}

impl Delegate for Cpu {
    const NAME: &'static str = "cpu";
    type Kernel = CpuKernel;

    fn create(options: &OptionPairs<'_>) -> Result<Self> {
        options.expect_only(&["isa", "winograd", "cache"])?;
        let detected = Isa::detect().map_err(unknown_isa)?;
        let isa = match options.get("isa") {
            Some(names) => detected & Isa::named(names).map_err(unknown_isa)?,
            None => detected,
        };
        tell(isa);
        let winograd = if options.parse("winograd", true)? { Winograd::Allowed } else { Winograd::Off };
        let cache = options.get("cache").map(PathBuf::from);
        if let Some(folder) = &cache {
            ensure!(folder.is_dir(), "option cache: {} is not an existing folder", folder.display());
        }
        Ok(Cpu(Settings { isa, winograd, cache }))
    }

    fn claim(&self, graph: &GraphView<'_>, claims: &mut Claims<'_>) -> Result<()> {
        let mut refused =
            refusals::<CpuLayer<'_>>(*graph, &|subgraph| claims.subgraph(subgraph), None, &LIMITS);
        for (i, reason) in refused.iter_mut().enumerate() {
            match reason.take() {
                Some(reason) => claims.refuse(i, &reason),
                None => claims.accept(i),
            }
        }
        Ok(())
    }

    /// A host without `compile_with` shows subgraphs in `prepare`, and weights are packed then.
    fn compile(&self, _: &PartitionView<'_>) -> Result<CpuKernel> {
        Ok(CpuKernel::new(self.0.clone(), usize::MAX))
    }

    fn compile_with(&self, partition: &PartitionView<'_>, cx: &CompileContext<'_>) -> Result<CpuKernel> {
        let mut kernel = CpuKernel::new(self.0.clone(), cx.threads() as usize);
        kernel.take_shapes(partition, cx.constants(), cx.held(), &|subgraph| cx.subgraph(subgraph))?;
        Ok(kernel)
    }
}

/// Logs the instruction set and the selected kernels.
fn tell(isa: Isa) {
    host::log(LogLevel::Info, "arenite_cpu", &format!("instruction set {isa} of {}", Isa::machine()));
    let build = Build::new(isa, Winograd::Allowed, Store::new(SharedBlocks::default()), 1);
    let kernels = [
        build.f32_gemm.name,
        build.f32_dwconv.name,
        build.f32_fold.name,
        build.f32_map.name,
        build.f32_norm.name,
        build.f32_pool.name,
        build.f32_softmax.name,
        build.f64_fft.name,
        f32_winograd::Sizes::select(isa).name,
        build.bytes.places.name,
        build.bytes.blend.name,
        build.bytes.gemm.name,
        build.bytes.dwconv.name,
        build.bytes.fold.name,
        build.bytes.lines.name,
        build.bytes.map.name,
        build.bytes.pairs.name,
        build.bytes.pools.name,
        build.bytes.reals.name,
    ];
    host::log(LogLevel::Info, "arenite_cpu", &format!("kernels {}", kernels.join(", ")));
}
