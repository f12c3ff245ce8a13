//! Reference operators of arenite: scalar, bit-exact with TensorFlow Lite.

#![forbid(unsafe_code)]
#![cfg_attr(not(any(feature = "std", test)), no_std)]

pub mod kit;
