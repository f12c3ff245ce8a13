//! Hands parts of the graph to delegates.

use super::*;
use crate::error::LeftOut;

/// Code of the op that makes floats of half-precision and quantized numbers.
const DEQUANTIZE: i32 = arenite_abi::schema::op::DEQUANTIZE;

impl Executor {
    pub(super) fn apply_delegates(&mut self, run: &Run<'_>) -> Result<()> {
        let known = self.infer_shapes(run)?;
        for (i, config) in run.settings.delegates.iter().enumerate() {
            if let Some(reason) = self.disabled.get(&i) {
                self.report.left_out.push(LeftOut::failed(&config.name, reason.clone()));
                continue;
            }
            let Some(instance) = self.instance(run.registry, i, config)? else { continue };
            if let Err(error) = self.apply_delegate(&instance, config, &known, run) {
                tracing::warn!("left out: {error}");
                self.report.left_out.push(LeftOut::failed(&config.name, error.to_string()));
                // It may have panicked: the next `allocate` makes another one.
                self.instances.remove(&i);
            }
        }
        self.number_partitions();
        Ok(())
    }

    /// The delegate at work; none if it is not there, or its device, and may be missing.
    fn instance(
        &mut self,
        registry: &Registry,
        index: usize,
        config: &DelegateConfig,
    ) -> Result<Option<Rc<DelegateInstance>>> {
        if let Some(instance) = self.instances.get(&index) {
            return Ok(Some(Rc::clone(instance)));
        }
        let raw = match registry.choose_delegate(&config.name) {
            Ok(raw) => raw,
            Err(absent) if config.on_missing == OnMissing::Skip => {
                tracing::info!("left out: {absent}");
                self.report.left_out.push(LeftOut::absent(&config.name, absent.to_string()));
                return Ok(None);
            }
            Err(absent) => return Err(absent),
        };
        match DelegateInstance::create(index, &config.name, raw, &config.options) {
            Ok(instance) => {
                let instance = Rc::new(instance);
                self.instances.insert(index, Rc::clone(&instance));
                Ok(Some(instance))
            }
            Err(error @ Error::Delegate { status: Status::Unavailable, .. })
                if config.on_missing == OnMissing::Skip =>
            {
                tracing::warn!("left out: {error}");
                self.report.left_out.push(LeftOut::failed(&config.name, error.to_string()));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Prepares all nodes with reference ops, so that delegates see shapes and wrong nodes are refused on every
    /// backend alike. Gives, per node of the model, whether its shapes are known.
    pub(super) fn infer_shapes(&mut self, run: &Run<'_>) -> Result<Vec<bool>> {
        run.infer(true, || self.prepare_for_shapes(run))
    }

    fn prepare_for_shapes(&mut self, run: &Run<'_>) -> Result<Vec<bool>> {
        let mut known = vec![false; self.graph.nodes.len()];
        for (i, known) in known.iter_mut().enumerate() {
            if run.is_over() {
                return Err(run.stopped());
            }
            if self.graph.nodes[i].candidates.is_empty() {
                *known = true;
                continue;
            }
            match self.prepare_step(run, i) {
                Ok(()) => self.fold(i, run, self.inference_fold_limit(i))?,
                Err(Error::Node { status: Status::Unsupported, .. }) => {}
                Err(error) => return Err(error),
            }
            if self.steps[i].outcome == Outcome::Dynamic {
                break;
            }
            *known = true;
        }
        Ok(known)
    }

    /// Most bytes of a constant that step `i` is run for before delegates claim. Dequantized vectors, such as biases, have no limit:
    /// layers are taken if those are constant.
    fn inference_fold_limit(&self, i: usize) -> u64 {
        let mut outputs = Graph::present(self.steps[i].outputs());
        match self.steps[i].raw.builtin_code {
            DEQUANTIZE if outputs.all(|t| self.tensors.shape(t).len() <= 1) => u64::MAX,
            _ => INFERENCE_FOLD_LIMIT,
        }
    }

    /// Hands the delegate what it claims. On an error the steps stay as they were.
    fn apply_delegate(
        &mut self,
        instance: &Rc<DelegateInstance>,
        config: &DelegateConfig,
        known: &[bool],
        run: &Run<'_>,
    ) -> Result<()> {
        let _span = tracing::info_span!("delegate", name = %config.name).entered();
        let nodes = self.steps.iter().map(|step| step.raw).collect();
        let view =
            Rc::new(GraphForDelegate::new(&self.tensors, nodes, &self.graph.inputs, &self.graph.outputs));
        let (refused, subsets) = loop {
            let (refused, subsets) = self.claim(instance, &view, config, known, run)?;
            let exposed = self.exposed_weights(&subsets);
            if exposed.is_empty() {
                break (refused, subsets);
            }
            // With constants in their place the delegate may take more.
            exposed.into_iter().try_for_each(|i| self.fold(i, run, u64::MAX))?;
        };
        let mut kernels = Vec::new();
        for subset in subsets.iter().filter(|s| s.claimed) {
            kernels.push(instance.compile(&view, subset, run)?);
        }
        for (step, reason) in self.steps.iter().zip(refused) {
            if let (Some(node), Some(reason)) = (step.node, reason) {
                self.report.refusals[node].push((config.name.clone(), reason));
            }
        }
        self.replace(subsets, kernels);
        Ok(())
    }

    /// Asks the delegate what it takes. Gives, per step, why it is not the delegate's, and the plan cut into subsets.
    fn claim(
        &self,
        instance: &DelegateInstance,
        view: &GraphForDelegate,
        config: &DelegateConfig,
        known: &[bool],
        run: &Run<'_>,
    ) -> Result<(Vec<Option<String>>, Vec<Subset>)> {
        let answers = instance.claim(view, run)?;
        let mut refused: Vec<Option<String>> = answers
            .into_iter()
            .enumerate()
            .map(|(i, answer)| self.veto(i, config, known).or(answer))
            .collect();
        let subsets = self.cut(&refused);
        let mut small = false;
        for subset in subsets.iter().filter(|s| s.claimed && s.nodes.len() < config.min_nodes) {
            small = true;
            let reason =
                format!("its partition has {} nodes, min_nodes is {}", subset.nodes.len(), config.min_nodes);
            subset.nodes.iter().for_each(|&i| refused[i] = Some(reason.clone()));
        }
        let subsets = if small { self.cut(&refused) } else { subsets };
        Ok((refused, subsets))
    }

    /// Whether step `i` makes floats of constant weights, and did not run yet.
    fn holds_weights(&self, i: usize) -> bool {
        self.steps[i].raw.builtin_code == DEQUANTIZE && self.is_foldable(i, u64::MAX)
    }

    /// Those of these steps that are not, with all that read them, inside one claimed subset: the host runs them once.
    fn exposed_weights(&self, subsets: &[Subset]) -> Vec<usize> {
        let is_exposed = |subset: &Subset, i: usize| {
            let crosses = |&t: &i32| subset.outputs.binary_search(&t).is_ok();
            !subset.claimed || self.steps[i].outputs().iter().any(crosses)
        };
        let pairs = subsets.iter().flat_map(|subset| subset.nodes.iter().map(move |&i| (subset, i)));
        pairs.filter(|&(subset, i)| self.holds_weights(i) && is_exposed(subset, i)).map(|(_, i)| i).collect()
    }

    /// Reasons of the host's own against giving step `i` to a delegate.
    fn veto(&self, i: usize, config: &DelegateConfig, known: &[bool]) -> Option<String> {
        let Some(node) = self.steps[i].node else { return Some("another delegate has it".into()) };
        let op = self.graph.op_name(node);
        if config.exclude_ops.contains(&op) {
            return Some(format!("{op} is in exclude_ops"));
        }
        if self.steps[i].outcome == Outcome::Folded {
            return Some("its result is constant".into());
        }
        (!known[node]).then(|| "its shapes are unknown before the run".into())
    }

    fn cut(&self, refused: &[Option<String>]) -> Vec<Subset> {
        let nodes: Vec<(&[i32], &[i32])> = self.steps.iter().map(|s| (s.inputs(), s.outputs())).collect();
        let claimed: Vec<bool> = refused.iter().map(Option::is_none).collect();
        let stateful: Vec<bool> = self.steps.iter().map(|step| self.is_stateful(step)).collect();
        let weights: Vec<bool> = (0..self.steps.len()).map(|i| self.holds_weights(i)).collect();
        partition(&PartitionInput {
            tensor_count: self.tensors.len(),
            nodes: &nodes,
            outputs: &self.graph.outputs,
            claimed: &claimed,
            stateful: &stateful,
            weights: &weights,
        })
    }

    fn replace(&mut self, subsets: Vec<Subset>, kernels: Vec<crate::partition_kernel::PartitionKernel>) {
        let mut old: Vec<Option<Step>> = std::mem::take(&mut self.steps).into_iter().map(Some).collect();
        let mut kernels = kernels.into_iter();
        for subset in subsets {
            if !subset.claimed {
                self.steps.extend(subset.nodes.iter().filter_map(|&i| old[i].take()));
                continue;
            }
            let Some(mut kernel) = kernels.next() else { continue };
            let members: Vec<usize> =
                subset.nodes.iter().filter_map(|&i| old[i].as_ref().and_then(|step| step.node)).collect();
            let index = members.first().copied().unwrap_or(0);
            let raw = kernel.macro_node(self.graph.index, index, &self.tensors);
            let name = kernel.owner.name.clone();
            for &node in &members {
                self.report.served_by[node] = Served::Delegate { name: name.clone(), partition: 0 };
            }
            kernel.members = members;
            let mut step = Step::new(raw, None);
            step.kernel = Kernel::Partition(Box::new(kernel));
            self.steps.push(step);
        }
    }

    /// Where delegates took all, and nothing was computed: gives back what the ops that told the shapes had prepared.
    pub(super) fn forget_replaced_ops(&mut self) {
        let is_op = |step: &Step| matches!(step.kernel, Kernel::Op { .. }) || step.node.is_some();
        let is_computed = |t: usize| self.tensors.is_constant(t) && self.graph.tensors[t].constant.is_none();
        if !self.steps.iter().any(is_op) && !(0..self.tensors.len()).any(is_computed) {
            self.persistent.clear(&mut self.budget);
        }
    }

    fn number_partitions(&mut self) {
        let partitions = self.steps.iter().filter_map(|step| match &step.kernel {
            Kernel::Partition(kernel) => Some(kernel),
            _ => None,
        });
        for (number, kernel) in partitions.enumerate() {
            for &node in &kernel.members {
                if let Some(Served::Delegate { partition, .. }) = self.report.served_by.get_mut(node) {
                    *partition = number;
                }
            }
        }
    }

    pub(super) fn is_stateful(&self, step: &Step) -> bool {
        let variable = |t: usize| self.graph.tensors[t].variable;
        let node_is = |&node: &usize| {
            let info = &self.graph.nodes[node];
            info.candidates.first().is_some_and(|c| c.op.flags & OP_STATEFUL != 0)
                || Graph::present(&info.inputs).chain(Graph::present(&info.outputs)).any(variable)
        };
        match (&step.node, &step.kernel) {
            (Some(node), _) => node_is(node),
            (None, Kernel::Partition(kernel)) => kernel.members.iter().any(node_is),
            (None, _) => false,
        }
    }
}
