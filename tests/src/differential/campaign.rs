//! Runs many graphs in worker processes. Each process prints a seed before it starts its graph, so a crash or a hang
//! can be attributed to a seed.

use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use super::graph::{Graph, Setting};
use super::judge::Verdict;
use super::tally::{Found, Tally};
use super::{Reference, check, draw, setting, smallest};

/// The time limit of a graph.
const LIMIT: Duration = Duration::from_secs(60);
/// The number of graphs whose counts a worker reports together.
const BATCH: u64 = 200;

/// Settings that are the same for all graphs, instead of being drawn from the seed.
#[derive(Clone, Debug, Default)]
pub struct Fixed {
    /// The delegate; `None` means `cpu`.
    pub delegate: Option<String>,
    /// The instruction sets, each of which runs every graph; if there are none, the seed decides.
    pub isa: Vec<String>,
    /// Threads.
    pub threads: Option<usize>,
    /// Whether Winograd convolutions are enabled.
    pub winograd: Option<bool>,
}

impl Fixed {
    /// The settings with which the graph of this seed runs.
    pub fn settings(&self, seed: u64) -> Vec<Setting> {
        let drawn = setting(seed);
        let setting = Setting {
            delegate: self.delegate.clone().unwrap_or(drawn.delegate),
            threads: self.threads.unwrap_or(drawn.threads),
            winograd: self.winograd.unwrap_or(drawn.winograd),
            ..drawn
        };
        match self.isa.is_empty() {
            true => vec![setting],
            false => {
                self.isa.iter().map(|isa| Setting { isa: Some(isa.clone()), ..setting.clone() }).collect()
            }
        }
    }

    fn arguments(&self) -> Vec<String> {
        let mut list = Vec::new();
        let mut add = |name: &str, value: Option<String>| {
            list.extend(value.map(|value| format!("--{name}={value}")));
        };
        add("delegate", self.delegate.clone());
        add("isa", (!self.isa.is_empty()).then(|| self.isa.join(",")));
        add("threads", self.threads.map(|threads| threads.to_string()));
        add("winograd", self.winograd.map(|winograd| winograd.to_string()));
        list
    }
}

/// The seeds `first`, `first + stride`, and so on.
#[derive(Clone, Copy, Debug)]
pub struct Seeds {
    /// The first one.
    pub first: u64,
    /// The distance between seeds.
    pub stride: u64,
    /// The number of seeds.
    pub count: u64,
}

/// Describes a graph that differs, and a reduced graph that still does. Both are saved to the folder.
///
/// # Errors
/// The folder cannot be written.
pub fn report(graph: &Graph, setting: &Setting, save: Option<&PathBuf>) -> io::Result<String> {
    let small = smallest(graph, setting);
    if let Some(folder) = save {
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join(format!("{}.tflite", graph.seed)), graph.model.finish())?;
        std::fs::write(folder.join(format!("{}.small.tflite", graph.seed)), small.model.finish())?;
    }
    let text = match check(small.clone(), setting).verdict {
        Verdict::Differs(text) => text,
        verdict => format!("{verdict:?}, another time"),
    };
    Ok(format!("{text}\n{small}"))
}

/// Runs graphs in this process, and reports each one to the parent process on standard output.
///
/// # Errors
/// The folder or standard output cannot be written.
pub fn work(seeds: Seeds, fixed: &Fixed, save: Option<&PathBuf>) -> io::Result<()> {
    let mut tally = Tally::default();
    for i in 0..seeds.count {
        let seed = seeds.first + i * seeds.stride;
        println!("seed {seed}");
        let reference = Reference::new(draw(seed));
        for setting in fixed.settings(seed) {
            let checked = reference.check(&setting);
            tally.add(&checked);
            if let Verdict::Differs(whole) = &checked.verdict {
                let text = format!("{whole}\nreduced to: {}", report(&checked.graph, &setting, save)?);
                tally.found.push(Found { seed, setting, text });
            }
        }
        if i % BATCH == BATCH - 1 || i == seeds.count - 1 || !tally.found.is_empty() {
            println!("tally {}", serde_json::to_string(&std::mem::take(&mut tally))?);
        }
    }
    Ok(())
}

/// Runs graphs in worker processes.
pub struct Campaign {
    /// The path of the program `differential`.
    pub program: PathBuf,
    /// The first seed.
    pub first: u64,
    /// The number of graphs.
    pub graphs: u64,
    /// The number of processes.
    pub workers: u64,
    /// The settings of all graphs.
    pub fixed: Fixed,
    /// The folder for models that differ.
    pub save: Option<PathBuf>,
}

impl Campaign {
    /// Runs all graphs; `progress` is called with each one that starts.
    ///
    /// # Errors
    /// A process cannot be started.
    pub fn run(&self, progress: &(dyn Fn() + Sync)) -> io::Result<Tally> {
        let workers = self.workers.clamp(1, self.graphs.max(1));
        std::thread::scope(|scope| {
            let lanes = (0..workers).map(|i| {
                let count = (self.graphs + workers - 1 - i) / workers;
                let seeds = Seeds { first: self.first + i, stride: workers, count };
                scope.spawn(move || self.lane(seeds, progress))
            });
            let lanes: Vec<_> = lanes.collect();
            let mut tally = Tally::default();
            for lane in lanes {
                let joined = lane.join().map_err(|_| io::Error::other("a worker's thread panicked"))?;
                tally.merge(joined?);
            }
            Ok(tally)
        })
    }

    /// Runs one process after another until all seeds are done. If a seed ends its process, the next process continues
    /// after it.
    fn lane(&self, mut seeds: Seeds, progress: &(dyn Fn() + Sync)) -> io::Result<Tally> {
        let mut tally = Tally::default();
        while seeds.count > 0 {
            let mut child = self.spawn(seeds)?;
            let lines = lines(&mut child)?;
            let (last, end) = follow(&lines, &mut tally, progress)?;
            if end.is_some() {
                child.kill()?;
            }
            let status = child.wait()?;
            if status.success() {
                break;
            }
            let Some(seed) = last else {
                return Err(io::Error::other(format!("a worker ended early: {status}")));
            };
            let text = format!("{}\n{}", end.unwrap_or_else(|| format!("a crash: {status}")), draw(seed));
            tally.found.extend(self.fixed.settings(seed).into_iter().map(|setting| Found {
                seed,
                setting,
                text: text.clone(),
            }));
            let done = (seed - seeds.first) / seeds.stride + 1;
            seeds = Seeds { first: seed + seeds.stride, count: seeds.count - done, ..seeds };
        }
        Ok(tally)
    }

    fn spawn(&self, seeds: Seeds) -> io::Result<Child> {
        let mut command = Command::new(&self.program);
        let Seeds { first, stride, count } = seeds;
        command.arg("--stride").arg(stride.to_string());
        command.arg("--seed").arg(first.to_string()).arg("--graphs").arg(count.to_string());
        command.args(self.fixed.arguments());
        if let Some(folder) = &self.save {
            command.arg("--save").arg(folder);
        }
        command.stdout(Stdio::piped()).spawn()
    }
}

/// The lines that a process writes, as they arrive.
fn lines(child: &mut Child) -> io::Result<Receiver<String>> {
    let output = child.stdout.take().ok_or_else(|| io::Error::other("a worker has no output"))?;
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
    });
    Ok(receiver)
}

/// Reads until the process ends or prints nothing for too long. Returns the last seed that it started, and in the
/// latter case the failure.
fn follow(
    lines: &Receiver<String>,
    tally: &mut Tally,
    progress: &(dyn Fn() + Sync),
) -> io::Result<(Option<u64>, Option<String>)> {
    let mut last = None;
    loop {
        match lines.recv_timeout(LIMIT) {
            Ok(line) => match line.split_once(' ') {
                Some(("seed", seed)) => {
                    last = seed.parse().ok();
                    progress();
                }
                Some(("tally", counts)) => tally.merge(serde_json::from_str(counts)?),
                _ => {}
            },
            Err(RecvTimeoutError::Disconnected) => return Ok((last, None)),
            Err(RecvTimeoutError::Timeout) => {
                return Ok((last, Some(format!("did not end within {} s", LIMIT.as_secs()))));
            }
        }
    }
}
