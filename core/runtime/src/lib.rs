//! An inference runtime for .tflite models whose operators, planners and delegates are plugins.

pub mod config;
pub mod library_file;
pub mod pool;
pub mod trace;
