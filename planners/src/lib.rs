//! Memory planners of arenite: pure functions from usage records to assignments.
//!
//! Each strategy is one file, named after the strategy. It has a function from records to offsets (`place`) or to
//! shared objects (`assign`), and a [`Planner`](arenite_abi::Planner) that wraps it. Shared modules:
//!
//! | file | contents |
//! |---|---|
//! | [`few`] | records and offsets in any storage |
//! | [`validate`] | checks of records, overflow-checked arithmetic |
//! | [`bound`](mod@bound) | the bytes that any plan needs |
//! | [`usage`] | usages with sizes of any kind, and sort orders |
//! | [`objects`] | shared objects, and their offsets |
//! | `shared` | shared objects of one to three extents, for device memory |
//! | [`outcome`] | a plan and its lower bound; the search for smaller plans, if `exact` is compiled in |
//! | [`space`] | a block that is being filled: gaps between records that are alive together |
//! | [`reallocation`] | which records may share memory for any order of operations |
//! | `ascending`, `births`, `timeline`, `profiles`, `groups` | lifetimes: where they start, which overlap, how much is alive at each node |
//! | [`banks`] | assignment of records to fast and slow memories |
//! | `cheap` | the best plan of the cheap strategies |
//! | `in_use`, `nearest`, `bits`, `work` | data structures of the strategies |
//!
//! Without the feature `alloc` only [`linear`] and [`micro_greedy`] exist, which allocate no memory.
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

        /// The plugin with all planners of this crate.
        pub static PLUGIN: Plugin = plugin! {
            id: "org.arenite.planners",
            description: "Memory planners of TensorFlow Lite, its GPU delegate and TensorFlow Lite Micro, and arenite's own",
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
