//! Plans the memory of a segment, and writes the addresses to where they are read.

use super::*;

impl Executor {
    /// Plans the tensors and scratch buffers of steps `first..end`; what lies already and lives on stays. Gives the bytes
    /// of the arena in use now, and how many records lay already, of all segments so far.
    pub(super) fn plan_segment(&mut self, run: &Run<'_>, first: usize, end: usize) -> Result<(u64, usize)> {
        let (below, kept) = self.segments.last().map_or((0, 0), |last| (last.height, last.kept));
        let mut records = Vec::new();
        let stacked = kept + self.placed.len() > MAX_KEPT_RECORDS;
        if !stacked {
            self.keep_placed(&mut records, first);
        }
        let kept = kept + records.len();
        self.add_births(&mut records, first, end);
        let shares = self.note_shares(&mut records, first, end);
        let mut scratch_owners = Vec::new();
        for (i, step) in self.steps.iter().enumerate().take(end).skip(first) {
            for request in &step.scratch_requests {
                let mut record = UsageRecord::new(request.bytes, i as u32, i as u32);
                record.alignment = request.alignment.max(ALIGNMENT as u64);
                records.push(record);
                scratch_owners.push(i);
            }
        }
        let mut plan = run.settings.planner.plan(&records)?;
        if stacked {
            raise(&mut plan, below)?;
        }
        let height = plan.total_bytes.max(below);
        let moved = self.grow_arena(height, first)?;
        self.settle(&records, &plan, &scratch_owners, moved);
        self.note_views(&records, &plan, &shares);
        self.report.plans.push((records, plan));
        Ok((height, kept))
    }

    /// Records of what earlier segments placed and this one or a later one reads. Views of one tensor are told as such.
    fn keep_placed(&mut self, records: &mut Vec<UsageRecord>, first: usize) {
        let Executor { placed, lives, placements, viewed, .. } = self;
        let mut record_of_value: BTreeMap<usize, usize> = BTreeMap::new();
        placed.retain(|&t| {
            let (Some(life), Some(place)) = (lives[t], placements[t]) else { return false };
            if (life.last as usize) < first {
                return false;
            }
            let mut record = UsageRecord::new(place.bytes, life.first, life.last);
            record.tensor = t as i32;
            record.fixed_offset = place.offset;
            match record_of_value.get(&viewed[t]) {
                Some(&other) => (record.share_with, record.share_kind) = (other as i32, SHARE_VIEW),
                None => drop(record_of_value.insert(viewed[t], records.len())),
            }
            records.push(record);
            true
        });
    }

    /// Records of the tensors that steps `first..end` write first; the inputs belong to the first segment.
    fn add_births(&self, records: &mut Vec<UsageRecord>, first: usize, end: usize) {
        let from = self.births.partition_point(|&(node, _)| (node as usize) < first);
        let born = self.births[from..].iter().take_while(|&&(node, _)| (node as usize) < end.max(1));
        let mut tensors: Vec<usize> = born.map(|&(_, t)| t).collect();
        tensors.sort_unstable();
        for t in tensors {
            let raw = self.tensors.get(t);
            if raw.flags & (TENSOR_CONSTANT | TENSOR_VARIABLE | TENSOR_DYNAMIC) != 0
                || self.graph.tensors[t].ty.bits() == 0
            {
                continue;
            }
            let Some(life) = self.lives[t] else { continue };
            let mut record = UsageRecord::new(raw.bytes, life.first, life.last);
            record.tensor = t as i32;
            records.push(record);
        }
    }

    /// Tells the planner which outputs may take over an input's memory. Gives the pairs of records, output and input, in
    /// execution order.
    fn note_shares(&self, records: &mut [UsageRecord], first: usize, end: usize) -> Vec<(usize, usize)> {
        let record_of: BTreeMap<i32, usize> =
            records.iter().enumerate().map(|(i, r)| (r.tensor, i)).collect();
        let mut pairs = Vec::new();
        for step in &self.steps[first..end] {
            for share in step.shares.iter().filter(|share| share.is_whole() && step.shares_all_uses(share)) {
                let output = step.outputs().get(share.output as usize).and_then(|t| record_of.get(t));
                let input = step.inputs().get(share.input as usize).and_then(|t| record_of.get(t));
                // What an earlier segment placed is not shared with: its views are not all known here.
                if let (Some(&output), Some(&input)) = (output, input)
                    && records[input].fixed().is_none()
                {
                    records[output].share_with = input as i32;
                    records[output].share_kind = share.kind;
                    pairs.push((output, input));
                }
            }
        }
        pairs
    }

    /// Remembers which tensors the plan made views of which.
    fn note_views(&mut self, records: &[UsageRecord], plan: &Plan, shares: &[(usize, usize)]) {
        for &(output, input) in shares {
            let (to, from) = (&records[output], &records[input]);
            let taken = to.share_with == input as i32
                && to.share_kind == SHARE_VIEW
                && to.size == from.size
                && plan.offsets[output] == plan.offsets[input];
            if taken {
                self.viewed[to.tensor as usize] = self.viewed[from.tensor as usize];
            }
        }
    }

    /// Makes room. Behind the first segment in steps of half the arena, where the quota allows it, so that many small
    /// segments do not copy it each time.
    fn grow_arena(&mut self, height: u64, first: usize) -> Result<bool> {
        let needed = usize::try_from(height).map_err(|_| Error::OutOfMemory { bytes: usize::MAX })?;
        let generous = self.arena.len().saturating_add(self.arena.len() / 2);
        if first > 0
            && (self.arena.len() + 1..generous).contains(&needed)
            && self.arena.grow(generous, &mut self.budget, "the arena").is_ok()
        {
            return Ok(true);
        }
        self.arena.grow(needed, &mut self.budget, "the arena")
    }

    /// Writes the plan's addresses into the tensor table and the steps.
    fn settle(&mut self, records: &[UsageRecord], plan: &Plan, scratch_owners: &[usize], moved: bool) {
        let base = self.arena.as_ptr();
        if moved {
            self.resettle(base);
        }
        for &i in scratch_owners {
            self.steps[i].scratch.clear();
        }
        let mut owners = scratch_owners.iter();
        for (record, &offset) in records.iter().zip(&plan.offsets) {
            // An empty buffer may lie anywhere, so its offset may be beyond the block.
            let data = base.wrapping_add(offset as usize);
            match usize::try_from(record.tensor) {
                Ok(t) => {
                    if record.fixed().is_none() {
                        self.placed.push(t);
                        self.viewed[t] = t;
                    }
                    self.placements[t] = Some(Placement { offset, bytes: record.size });
                    self.tensors.set_data(t, data);
                }
                Err(_) => {
                    let span = ArSpan { data: data.cast(), bytes: record.size };
                    owners.next().into_iter().for_each(|&i| self.steps[i].scratch.push(span));
                }
            }
        }
    }

    /// The arena has moved: so have the tensors and the scratch of earlier segments.
    fn resettle(&mut self, base: *mut u8) {
        for (t, placement) in self.placements.iter().enumerate() {
            if let Some(placement) = placement {
                self.tensors.set_data(t, base.wrapping_add(placement.offset as usize));
            }
        }
        self.resettle_scratch();
    }

    fn resettle_scratch(&mut self) {
        let base = self.arena.as_ptr();
        for (segment, (records, plan)) in self.segments.iter().zip(&self.report.plans) {
            let scratch = records.iter().zip(&plan.offsets).filter(|(record, _)| record.tensor < 0);
            let mut scratch = scratch.map(|(_, &offset)| offset);
            for step in &mut self.steps[segment.first..segment.end] {
                for span in &mut step.scratch {
                    if let Some(offset) = scratch.next() {
                        span.data = base.wrapping_add(offset as usize).cast();
                    }
                }
            }
        }
    }
}

/// Moves a plan up, onto what lies already.
fn raise(plan: &mut Plan, below: u64) -> Result<()> {
    let base = below.checked_next_multiple_of(ALIGNMENT as u64);
    let raised = base.and_then(|base| Some((base, plan.total_bytes.checked_add(base)?)));
    let (base, total) = raised.ok_or(Error::OutOfMemory { bytes: usize::MAX })?;
    plan.total_bytes = total;
    // Records without bytes may lie anywhere, so that their offset may be any number.
    plan.offsets.iter_mut().for_each(|offset| *offset = offset.saturating_add(base));
    Ok(())
}
