//! The peak arithmetic rate of this machine's cores: chains of independent multiply-adds in registers.

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
pub(crate) struct Chain {
    /// The instruction set, by its name in `ARENITE_ISA`.
    pub isa: &'static str,
    /// Runs a number of rounds.
    pub run: fn(u64),
    /// The operations of one round.
    pub operations: u64,
}

/// The rate that a number of threads reach together.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Peak {
    pub threads: usize,
    /// Billions of f32 operations per second.
    pub f32_gflops: f64,
    pub f32_isa: &'static str,
    /// Billions of 8-bit operations per second.
    pub int8_gops: f64,
    pub int8_isa: &'static str,
    /// The same in a matrix unit (AMX), if there is one.
    pub int8_tile_gops: Option<f64>,
}

impl Peak {
    /// Measures for a fifth of a second.
    pub(crate) fn measure(threads: usize) -> Self {
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

    /// Measures again and keeps the better result: on a busy machine the first one may have been too low.
    pub(crate) fn look_again(&mut self) {
        let again = Peak::measure(self.threads);
        self.f32_gflops = self.f32_gflops.max(again.f32_gflops);
        self.int8_gops = self.int8_gops.max(again.int8_gops);
        self.int8_tile_gops = self.int8_tile_gops.zip(again.int8_tile_gops).map(|(a, b)| a.max(b));
    }

    /// The peak of the vector units, in billions of operations per second.
    pub(crate) fn of(&self, unit: Unit) -> f64 {
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

/// The length and the number of trials.
const TRIAL: Duration = Duration::from_millis(4);
const TRIALS: usize = 15;

/// The best of many short trials, because other programs may use the cores.
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

/// The time of the slowest of `threads` threads that start together.
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
