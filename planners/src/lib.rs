//! Memory planners of arenite: pure functions from usage records to assignments.
//!
//! One strategy is one file, named after the strategy. Each has a function that takes records and writes an offset per
//! record, and a [`Planner`](arenite_abi::Planner) that wraps it. What several share is in [`validate`] and [`sharing`].
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

extern crate alloc;

use arenite_abi::{Plugin, plugin};

pub mod sharing;
mod timeline;
pub mod validate;

macro_rules! planners {
    ($($module:ident :: $planner:ident,)*) => {
        $(pub mod $module;)*

        /// All planners of this crate.
        pub static PLUGIN: Plugin = plugin! {
            id: "org.arenite.planners",
            description: "Memory planners: TensorFlow Lite's arena, and one without reuse",
            planners: [$($module::$planner,)*],
        };
    };
}

planners! {
    arena::Arena,
    naive::Naive,
}
