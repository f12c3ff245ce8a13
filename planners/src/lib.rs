//! Memory planners of arenite: pure functions from usage records to assignments.
//!
//! One strategy is one file, named after the strategy. Each has a function that takes records and gives an offset per
//! record (`place`) or shared objects (`assign`), and a [`Planner`](arenite_abi::Planner) that wraps it. What several
//! share:
//!
//! | file | what |
//! |---|---|
//! | [`few`] | records that are kept elsewhere than in a list |
//! | [`validate`] | checks of records, arithmetic that cannot overflow |
//! | [`bound`](mod@bound) | bytes that every plan needs |
//! | [`usage`] | sizes of any kind; the orders in which records are taken |
//! | [`objects`] | shared objects, and their offsets |
//! | `shared` | shared objects of one to three extents, for memory of a device |
//! | [`outcome`] | a plan and what is known about all others; the search for smaller ones, if `exact` is compiled in |
//! | [`space`] | a block while it fills: gaps between the records that are alive together |
//! | [`reallocation`] | records that may share memory whatever the order of operations |
//! | `ascending`, `births`, `timeline`, `profiles`, `groups` | time: where lives begin, which overlap, what is alive at once |
//! | [`banks`] | several memories, fast ones and slow ones: which record lies in which |
//! | `cheap` | the best plan of all that take little time |
//! | `in_use`, `nearest`, `bits`, `work` | what single strategies keep |
//!
//! Without the feature `alloc` there are [`linear`] and [`micro_greedy`], which need no memory but that of the offsets.
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(feature = "alloc")]
extern crate alloc;

use arenite_abi::{Plugin, plugin};

macro_rules! with_heap {
    ($($(#[$condition:meta])? $visibility:vis mod $module:ident;)*) => {
        $(#[cfg(feature = "alloc")] $(#[$condition])? $visibility mod $module;)*
    };
}

with_heap! {
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
    mod shared;
    pub mod space;
    mod timeline;
    pub mod usage;
    mod work;
}

pub mod few;
pub mod validate;

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
    #[cfg(feature = "alloc")]
    arena::Arena,
    #[cfg(feature = "alloc")]
    best_fit::BestFit,
    #[cfg(feature = "alloc")]
    both_ends::BothEnds,
    #[cfg(feature = "alloc")]
    equality::Equality,
    #[cfg(feature = "alloc")]
    equality_vector::EqualityVector,
    #[cfg(feature = "exact")]
    exact::Exact,
    #[cfg(feature = "alloc")]
    greedy_best::GreedyBest,
    #[cfg(feature = "alloc")]
    greedy_by_breadth::GreedyByBreadth,
    #[cfg(feature = "alloc")]
    greedy_by_size::GreedyBySize,
    #[cfg(feature = "alloc")]
    greedy_by_size_offsets::GreedyBySizeOffsets,
    #[cfg(feature = "alloc")]
    greedy_in_order::GreedyInOrder,
    linear::Linear,
    micro_greedy::MicroGreedy,
    #[cfg(feature = "alloc")]
    min_cost_flow::MinCostFlow,
    #[cfg(feature = "alloc")]
    naive::Naive,
    #[cfg(feature = "alloc")]
    portfolio::Portfolio,
}
