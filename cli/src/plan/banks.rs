//! `--bank NAME=CAPACITY`: assigns tensors to several memories.

use std::time::Instant;

use arenite_planners::banks::{Banks, assign};
use serde::Serialize;

use super::solved::SolvedProblem;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bank {
    pub name: String,
    pub capacity: u64,
}

/// Parses `fast=256K`; K, M and G are 2¹⁰, 2²⁰ and 2³⁰ bytes.
pub(super) fn parse(text: &str) -> Result<Bank, String> {
    let wrong = || format!("`{text}` is not NAME=BYTES; write BYTES as a number, or with K, M or G");
    let (name, size) = text.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(wrong)?;
    let (digits, unit) = match size.char_indices().next_back() {
        Some((at, 'K')) => (&size[..at], 1 << 10),
        Some((at, 'M')) => (&size[..at], 1 << 20),
        Some((at, 'G')) => (&size[..at], 1 << 30),
        _ => (size, 1u64),
    };
    let capacity = digits.parse::<u64>().ok().and_then(|n| n.checked_mul(unit)).ok_or_else(wrong)?;
    Ok(Bank { name: name.to_owned(), capacity })
}

/// A problem assigned to several banks.
#[derive(Serialize)]
pub(super) struct BanksReport {
    pub problem: String,
    pub banks: Vec<BankReport>,
    /// Whether it is proved that no other assignment has more traffic in the first bank, then in the second, and so on.
    pub optimal: bool,
    pub micros: u64,
    /// Sorted by bank and offset.
    pub tensors: Vec<BankBuffer>,
    /// Why the assignment failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The offset of each buffer if the banks are placed one after another; used for drawings.
    #[serde(skip)]
    pub offsets: Vec<u64>,
}

#[derive(Serialize)]
pub(super) struct BankReport {
    pub name: String,
    pub capacity_bytes: u64,
    pub total_bytes: u64,
    /// Bytes that steps read and write in this bank.
    pub traffic_bytes: u64,
}

#[derive(Serialize)]
pub(super) struct BankBuffer {
    pub name: String,
    pub bank: String,
    pub offset: u64,
    pub bytes: u64,
    pub traffic_bytes: u64,
}

/// Assigns the problem's buffers to the banks by the bytes read and written in them.
pub(super) fn report(name: &str, problem: &SolvedProblem, banks: &[Bank]) -> BanksReport {
    let mut traffic = vec![0u64; problem.records.len()];
    for part in &problem.parts {
        let bytes = part.size.saturating_mul(part.accesses);
        traffic.get_mut(part.record).into_iter().for_each(|sum| *sum = sum.saturating_add(bytes));
    }
    let capacities: Vec<u64> = banks.iter().map(|bank| bank.capacity).collect();
    let start = Instant::now();
    let found = assign(&problem.records, &traffic, &capacities);
    let micros = start.elapsed().as_micros() as u64;
    match found {
        Ok(found) => BanksReport { micros, ..describe(name, problem, banks, &found) },
        Err(error) => BanksReport {
            problem: name.to_owned(),
            banks: Vec::new(),
            optimal: false,
            micros,
            tensors: Vec::new(),
            error: Some(error.message().to_owned()),
            offsets: Vec::new(),
        },
    }
}

fn describe(name: &str, problem: &SolvedProblem, banks: &[Bank], found: &Banks) -> BanksReport {
    let of = |(bank, (&total_bytes, &traffic)): (&Bank, (&u64, &u128))| BankReport {
        name: bank.name.clone(),
        capacity_bytes: bank.capacity,
        total_bytes,
        traffic_bytes: u64::try_from(traffic).unwrap_or(u64::MAX),
    };
    let mut tensors: Vec<(u32, BankBuffer)> = Vec::new();
    for part in problem.parts.iter().filter(|part| part.size > 0) {
        let bank = found.banks[part.record];
        let place = BankBuffer {
            name: part.name.clone(),
            bank: banks[bank as usize].name.clone(),
            offset: found.offsets[part.record].saturating_add(part.offset),
            bytes: part.size,
            traffic_bytes: part.size.saturating_mul(part.accesses),
        };
        tensors.push((bank, place));
    }
    tensors.sort_by_key(|(bank, place)| (*bank, place.offset));
    let begins = |bank: u32| {
        found.totals.iter().take(bank as usize).fold(0u64, |sum, total| sum.saturating_add(*total))
    };
    BanksReport {
        problem: name.to_owned(),
        banks: banks.iter().zip(found.totals.iter().zip(&found.traffic)).map(of).collect(),
        optimal: found.optimal,
        micros: 0,
        tensors: tensors.into_iter().map(|(_, place)| place).collect(),
        error: None,
        offsets: found
            .offsets
            .iter()
            .zip(&found.banks)
            .map(|(at, &bank)| at.saturating_add(begins(bank)))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let bank = |text: &str| parse(text).map(|bank| (bank.name, bank.capacity));
        assert_eq!(bank("fast=256K"), Ok(("fast".into(), 256 << 10)));
        assert_eq!(bank("slow=16M"), Ok(("slow".into(), 16 << 20)));
        assert_eq!(bank("d=1G"), Ok(("d".into(), 1 << 30)));
        assert_eq!(bank("x=100"), Ok(("x".into(), 100)));
        for wrong in ["fast", "=1K", "x=", "x=K", "x=-1", "x=1T", "x=99999999999G"] {
            let message = format!("`{wrong}` is not NAME=BYTES; write BYTES as a number, or with K, M or G");
            assert_eq!(bank(wrong), Err(message));
        }
    }
}
