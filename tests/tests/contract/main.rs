//! Compatibility of contract versions: plugins built against earlier contracts in today's host (`additions`), and
//! today's plugins in a host of contract 1.0 (`first_host`, `today`).

mod additions;
mod first_host;
mod fixtures;
mod today;
