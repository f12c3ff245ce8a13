//! Test doubles of devices.

pub mod faults;
pub mod null;
