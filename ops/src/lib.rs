//! Reference operators of arenite: scalar, bit-exact with TensorFlow Lite.

#![cfg_attr(not(feature = "std"), no_std)]
