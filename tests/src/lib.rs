//! Test suites of arenite: suites are data, backends are parameters.

pub mod fuzz;
