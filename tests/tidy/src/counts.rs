//! Findings counted per file, in a list that may only shrink.

use std::collections::BTreeMap;

use crate::Complaint;
use crate::length::Exception;

/// The lines of the findings, by file.
pub type Lines<'a> = BTreeMap<&'a str, Vec<usize>>;

/// Reports files with more findings than `list` allows, and entries above the actual count. Messages call the findings
/// `things`, and say what to write `instead`.
pub fn check(
    found: &Lines<'_>,
    allowed: &[Exception],
    list: &str,
    things: &str,
    instead: &str,
) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (&path, lines) in found {
        let most = allowed.iter().find(|entry| entry.key == path).map_or(0, |entry| entry.lines);
        if lines.len() > most {
            let message = format!("{} {things}, but {list} allows {most}: {instead}", lines.len());
            complaints.push(Complaint::new(path, lines[lines.len() - 1], message));
        }
    }
    for Exception { key, lines, line } in allowed {
        let now = found.get(key.as_str()).map_or(0, Vec::len);
        if now < *lines {
            let message = format!("`{key}` has only {now} {things}: lower the entry, or remove it at 0");
            complaints.push(Complaint::new(list, *line, message));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::length::exceptions;

    #[test]
    fn a_list_only_shrinks() {
        let complaints = |list: &str| -> Vec<String> {
            let found = Lines::from([("a.rs", vec![3, 7])]);
            let allowed = exceptions("list.txt", list).unwrap();
            let found = check(&found, &allowed, "list.txt", "holes", "fill them");
            found.iter().map(Complaint::to_string).collect()
        };
        assert_eq!(complaints("# why\na.rs 2"), [""; 0]);
        for list in ["", "a.rs 0", "a.rs 1"] {
            let most = usize::from(list.ends_with('1'));
            assert_eq!(complaints(list), [format!("a.rs:7: 2 holes, but list.txt allows {most}: fill them")]);
        }
        let only = "has only";
        assert_eq!(
            complaints("\na.rs 3\nb.rs 1"),
            [
                format!("list.txt:2: `a.rs` {only} 2 holes: lower the entry, or remove it at 0"),
                format!("list.txt:3: `b.rs` {only} 0 holes: lower the entry, or remove it at 0"),
            ]
        );
    }
}
