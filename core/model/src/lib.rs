//! Verified, borrowed views of .tflite models.

#![cfg_attr(not(feature = "std"), no_std)]
