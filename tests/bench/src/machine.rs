//! Facts about the machine, its load, and processes, from Linux' `/proc`. On other systems they are reported as
//! unknown.

use std::fs;

use serde::Serialize;

use crate::protocol::Memory;

/// The ticks per second in `/proc`, the same on every architecture that Linux supports here.
const TICKS: f64 = 100.0;

/// The machine, without its host name.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub(crate) struct Machine {
    pub processor: String,
    pub cores: usize,
    /// The instruction set to which contenders were limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cap: Option<String>,
}

impl Machine {
    pub(crate) fn here() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        Machine { processor: processor(&info), cores, cap: None }
    }

    /// A name for files: `intel-xeon-processor-6-167-2-cores`, `…-2-cores-avx2`.
    pub(crate) fn slug(&self) -> String {
        let cap = self.cap.as_deref().unwrap_or_default();
        let text = format!("{} {} cores {cap}", self.processor, self.cores).to_lowercase();
        let text = text.replace("(r)", " ").replace("(tm)", " ");
        let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join("-")
    }
}

/// The model name with family and model number, because virtual machines often hide the rest.
fn processor(info: &str) -> String {
    let field = |name: &str| {
        let line = info.lines().find(|line| line.split(':').next().map(str::trim) == Some(name))?;
        line.split_once(':').map(|(_, value)| value.trim().to_owned())
    };
    let name = field("model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    match (field("cpu family"), field("model")) {
        (Some(family), Some(model)) => format!("{name} {family}/{model}"),
        _ => name,
    }
}

/// Resident memory of this process.
pub(crate) fn memory() -> Memory {
    memory_of(&fs::read_to_string("/proc/self/smaps_rollup").unwrap_or_default())
}

fn memory_of(rollup: &str) -> Memory {
    let field = |name: &str| {
        let line = rollup.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|size| size * 1024)
    };
    Memory { rss: field("Rss:"), pss: field("Pss:") }
}

/// Whether a thread of this process is running or runnable.
pub(crate) fn is_running(process: u32) -> bool {
    let Ok(tasks) = fs::read_dir(format!("/proc/{process}/task")) else { return false };
    let running = |stat: String| after_name(&stat).first().is_some_and(|&state| state == "R");
    tasks.flatten().any(|task| fs::read_to_string(task.path().join("stat")).is_ok_and(running))
}

/// Processor time of a process, of all its threads.
pub(crate) fn processor_seconds(process: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields = after_name(&stat);
    let ticks = |i: usize| fields.get(i).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / TICKS
}

/// The fields of a `stat` file after the second one, a name in parentheses that may contain spaces.
fn after_name(stat: &str) -> Vec<&str> {
    stat.rsplit_once(')').map_or(Vec::new(), |(_, rest)| rest.split_whitespace().collect())
}

/// Processor time of the machine since it started, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Load {
    pub busy: f64,
    /// The time for which the hypervisor ran others while this machine was runnable.
    pub stolen: f64,
}

impl Load {
    pub(crate) fn now() -> Self {
        load_of(&fs::read_to_string("/proc/stat").unwrap_or_default())
    }

    /// The load since `earlier`.
    pub(crate) fn since(self, earlier: Load) -> Load {
        Load { busy: self.busy - earlier.busy, stolen: self.stolen - earlier.stolen }
    }
}

/// Columns: user, nice, system, idle, iowait, irq, softirq, steal.
fn load_of(stat: &str) -> Load {
    let fields: Vec<f64> =
        stat.lines().next().unwrap_or_default().split_whitespace().skip(1).flat_map(str::parse).collect();
    let sum = |columns: &[usize]| columns.iter().filter_map(|&i| fields.get(i)).sum::<f64>() / TICKS;
    Load { busy: sum(&[0, 1, 2, 5, 6]), stolen: sum(&[7]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_has_name_family_and_model() {
        let info =
            "processor\t: 0\ncpu family\t: 6\nmodel\t\t: 85\nmodel name\t: Intel(R) Xeon(R) CPU @ 2.80GHz\n";
        let machine = Machine { processor: processor(info), cores: 4, cap: None };
        assert_eq!(machine.slug(), "intel-xeon-cpu-2-80ghz-6-85-4-cores");
        assert_eq!(processor(""), std::env::consts::ARCH);
    }

    #[test]
    fn files_of_the_system_are_read() {
        let rollup =
            "55d0-7ffd ---p 00:00 0   [rollup]\nRss:      1024 kB\nPss:       512 kB\nPss_Dirty: 9 kB\n";
        assert_eq!(memory_of(rollup), Memory { rss: Some(1 << 20), pss: Some(1 << 19) });
        assert_eq!(memory_of(""), Memory::default());
        let load = load_of("cpu  100 50 50 900 7 10 10 30 0 0\ncpu0 1 1 1\n");
        assert_eq!(load, Load { busy: 2.2, stolen: 0.3 });
        assert_eq!(after_name("12 (a b) c) S 1 2")[..2], ["S", "1"]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_runs() {
        assert!(is_running(std::process::id()));
        assert!(memory().rss.is_some_and(|bytes| bytes > 0));
    }
}
