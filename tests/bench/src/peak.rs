//! What this machine's cores can do at most: chains of independent multiply-adds that stay in registers.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::work::Unit;

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod amx;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_64;

/// A loop of multiply-adds.
#[derive(Clone, Copy)]
pub struct Chain {
    /// The instruction set, as users of `ARENITE_ISA` call it.
    pub isa: &'static str,
    /// Runs so many rounds.
    pub run: fn(u64),
    /// Operations of one round.
    pub operations: u64,
}

/// What so many threads reach together.
#[derive(Clone, Debug, Serialize)]
pub struct Peak {
    pub threads: usize,
    /// Billions of f32 operations a second.
    pub f32_gflops: f64,
    pub f32_isa: &'static str,
    /// Billions of 8-bit operations a second.
    pub int8_gops: f64,
    pub int8_isa: &'static str,
    /// The same in a matrix unit (AMX), if there is one.
    pub int8_tile_gops: Option<f64>,
}

impl Peak {
    /// Measures for a fifth of a second.
    pub fn measure(threads: usize) -> Self {
        let (float, int8) = (float_chain(), int8_chain());
        Peak {
            threads,
            f32_gflops: best_rate(float, threads),
            f32_isa: float.isa,
            int8_gops: best_rate(int8, threads),
            int8_isa: int8.isa,
            int8_tile_gops: tile_chain().map(|chain| best_rate(chain, threads)),
        }
    }

    /// Measures again and keeps the best of both: on a busy machine the first look may have been too low.
    pub fn look_again(&mut self) {
        let again = Peak::measure(self.threads);
        self.f32_gflops = self.f32_gflops.max(again.f32_gflops);
        self.int8_gops = self.int8_gops.max(again.int8_gops);
        self.int8_tile_gops = self.int8_tile_gops.zip(again.int8_tile_gops).map(|(a, b)| a.max(b));
    }

    /// Of the vector units, in billions of operations a second.
    pub fn of(&self, unit: Unit) -> f64 {
        match unit {
            Unit::Float => self.f32_gflops,
            Unit::Int8 => self.int8_gops,
        }
    }
}

fn float_chain() -> Chain {
    #[cfg(target_arch = "x86_64")]
    let native = x86_64::float();
    #[cfg(target_arch = "aarch64")]
    let native = Some(aarch64::float());
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let native = None;
    native.unwrap_or(portable::FLOAT)
}

fn int8_chain() -> Chain {
    #[cfg(target_arch = "x86_64")]
    let native = x86_64::int8();
    #[cfg(target_arch = "aarch64")]
    let native = Some(aarch64::int8());
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let native = None;
    native.unwrap_or(portable::INT8)
}

fn tile_chain() -> Option<Chain> {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    return amx::int8();
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
    return None;
}

/// Length of a trial, and how many there are.
const TRIAL: Duration = Duration::from_millis(4);
const TRIALS: usize = 15;

/// The best of many short trials, since others may have the cores meanwhile.
fn best_rate(chain: Chain, threads: usize) -> f64 {
    let mut rounds = 1000;
    while time(chain, rounds) < TRIAL {
        rounds *= 2;
    }
    let rates = (0..TRIALS).map(|_| {
        let seconds = together(chain, rounds, threads).as_secs_f64();
        (rounds * chain.operations * threads as u64) as f64 / seconds / 1e9
    });
    rates.fold(0.0, f64::max)
}

fn time(chain: Chain, rounds: u64) -> Duration {
    let start = Instant::now();
    (chain.run)(rounds);
    start.elapsed()
}

/// The time of the slowest of so many threads that start at once.
fn together(chain: Chain, rounds: u64, threads: usize) -> Duration {
    let start = Barrier::new(threads);
    let body = || {
        start.wait();
        time(chain, rounds)
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(body)).collect();
        let own = body();
        others.into_iter().flat_map(|thread| thread.join()).fold(own, Duration::max)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chain_of_this_machine_runs() {
        let chains = [float_chain(), int8_chain(), portable::FLOAT, portable::INT8];
        for chain in chains.into_iter().chain(tile_chain()) {
            (chain.run)(10);
            assert!(chain.operations > 0 && !chain.isa.is_empty());
        }
    }
}
