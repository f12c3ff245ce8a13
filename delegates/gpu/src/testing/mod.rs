//! Test doubles of devices.

pub mod faults;
