//! The contract between arenite and its plugins: operators, memory planners, delegates.

#![cfg_attr(not(feature = "std"), no_std)]
