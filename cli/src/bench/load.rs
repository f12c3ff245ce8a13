//! How busy other programs keep the processors, from `/proc`.

/// Processor time in ticks since the system started.
#[derive(Clone, Copy)]
pub(super) struct Load {
    /// Time of all processors together, idle or not.
    all: u64,
    busy: u64,
    /// Time of this process.
    own: u64,
    processors: usize,
}

impl Load {
    /// The current counters; `None` on a system without them.
    pub(super) fn now() -> Option<Self> {
        Load::of(
            &std::fs::read_to_string("/proc/stat").ok()?,
            &std::fs::read_to_string("/proc/self/stat").ok()?,
        )
    }

    fn of(system: &str, own: &str) -> Option<Self> {
        let processors = system.lines().filter(|line| is_processor(line)).count();
        let total = system.lines().find_map(|line| line.strip_prefix("cpu "))?;
        // user, nice, system, idle, iowait, irq, softirq, steal; then guests, which `user` includes.
        let ticks: Vec<u64> = total.split_whitespace().take(8).map_while(|tick| tick.parse().ok()).collect();
        let idle = ticks.get(3)? + ticks.get(4)?;
        let all: u64 = ticks.iter().sum();
        // The name of the program, in parentheses, may contain anything. User and system time are fields 14 and 15.
        let fields: Vec<&str> = own.rsplit_once(')')?.1.split_whitespace().collect();
        let own = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
        Some(Load { all, busy: all - idle, own, processors })
    }

    /// The number of processors.
    pub(super) fn processors(&self) -> usize {
        self.processors
    }

    /// How many processors other programs kept busy since `before`; `None` if too little time has passed to measure it.
    pub(super) fn others_since(&self, before: &Load) -> Option<f64> {
        let since = |now: u64, then: u64| now.saturating_sub(then);
        let all = since(self.all, before.all);
        let others = since(self.busy, before.busy).saturating_sub(since(self.own, before.own));
        let least = 20 * self.processors as u64;
        (all >= least && least > 0).then(|| others as f64 * self.processors as f64 / all as f64)
    }
}

/// Whether it is the line of one processor, such as `cpu0`.
fn is_processor(line: &str) -> bool {
    line.strip_prefix("cpu").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(system: [u64; 8], own: [u64; 2]) -> Load {
        let ticks = system.map(|tick| tick.to_string()).join(" ");
        let stat = format!("cpu  {ticks} 0 0\ncpu0 1 2\ncpu1 3 4\nintr 5\n");
        let own = format!("7 (a) b) R 1 1 1 0 -1 4194304 90 0 0 0 {} {} 0 0 20 0", own[0], own[1]);
        Load::of(&stat, &own).unwrap()
    }

    #[test]
    fn others_are_what_is_busy_without_this_process() {
        let before = load([100, 0, 10, 500, 0, 0, 0, 0], [50, 5]);
        let after = load([190, 0, 20, 600, 0, 0, 0, 0], [120, 15]);
        assert_eq!(after.processors(), 2);
        // 200 ticks of two processors, 100 of them busy, 80 of those in this process.
        assert_eq!(after.others_since(&before), Some(0.2));
        assert_eq!(before.others_since(&before), None);
    }

    #[test]
    fn foreign_systems_have_no_counters() {
        assert!(Load::of("", "").is_none() && Load::of("cpu  1 2", "1 (a) R").is_none());
    }
}
