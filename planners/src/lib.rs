//! Memory planners of arenite: pure functions from usage records to assignments.
//!
//! One strategy is one file, named after the strategy. Each has a function that takes records and gives an offset per
//! record (`place`) or shared objects (`assign`), and a [`Planner`](arenite_abi::Planner) that wraps it. What several
//! share:
//!
//! | file | what |
//! |---|---|
//! | [`validate`] | checks of records, arithmetic that cannot overflow |
//! | [`bound`](mod@bound) | bytes that every plan needs |
//! | [`usage`] | sizes of any kind; the orders in which records are taken |
//! | [`objects`] | shared objects, and their offsets |
//! | [`outcome`] | a plan and what is known about all others; the search for smaller ones, if `exact` is compiled in |
//! | [`space`] | a block while it fills: gaps between the records that are alive together |
//! | [`reallocation`] | records that may share memory whatever the order of operations |
//! | `ascending`, `births`, `timeline`, `profiles`, `groups` | time: where lives begin, which overlap, what is alive at once |
//! | [`banks`] | several memories, fast ones and slow ones: which record lies in which |
//! | `cheap` | the best plan of all that take little time |
//! | `in_use`, `nearest`, `bits`, `work` | what single strategies keep |
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

extern crate alloc;

use arenite_abi::{Plugin, plugin};

mod ascending;
pub mod banks;
mod births;
mod bits;
pub mod bound;
mod cheap;
#[cfg(test)]
mod classic;
mod groups;
mod in_use;
mod nearest;
pub mod objects;
mod order;
pub mod outcome;
mod profiles;
pub mod reallocation;
pub mod space;
mod timeline;
pub mod usage;
pub mod validate;
mod work;

macro_rules! planners {
    ($($(#[$condition:meta])? $module:ident :: $planner:ident,)*) => {
        $($(#[$condition])? pub mod $module;)*

        /// All planners of this crate.
        pub static PLUGIN: Plugin = plugin! {
            id: "org.arenite.planners",
            description: "Memory planners: those of TensorFlow Lite, of its GPU delegate and of TensorFlow Lite Micro, and our own",
            planners: [$($(#[$condition])? $module::$planner,)*],
        };
    };
}

planners! {
    arena::Arena,
    best_fit::BestFit,
    both_ends::BothEnds,
    equality::Equality,
    equality_vector::EqualityVector,
    #[cfg(feature = "exact")]
    exact::Exact,
    greedy_best::GreedyBest,
    greedy_by_breadth::GreedyByBreadth,
    greedy_by_size::GreedyBySize,
    greedy_by_size_offsets::GreedyBySizeOffsets,
    greedy_in_order::GreedyInOrder,
    linear::Linear,
    micro_greedy::MicroGreedy,
    min_cost_flow::MinCostFlow,
    naive::Naive,
    portfolio::Portfolio,
}
