//! Memory planners of arenite: pure functions from usage records to assignments.

#![cfg_attr(not(feature = "std"), no_std)]
