//! Import cycles: sets of files in one crate that import one another, directly or through others.

use crate::Complaint;
use crate::imports::{Import, Imports};

/// The cycles that a crate may have, from a line `folder sizes`, with the sizes of its cycles in descending order.
#[derive(Debug, PartialEq)]
pub struct Allowed {
    pub folder: String,
    pub sizes: Vec<usize>,
    /// The line number, from 1.
    pub line: usize,
}

/// Parses a list in which `#` starts a comment.
///
/// # Errors
/// The first line that is not `folder sizes`.
pub fn allowed(file: &str, text: &str) -> Result<Vec<Allowed>, Complaint> {
    let entries = text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    entries
        .map(|(at, entry)| {
            let (folder, sizes) = entry.split_once(' ').unwrap_or((entry, ""));
            let parsed: Vec<usize> = sizes.split(' ').map_while(|size| size.parse().ok()).collect();
            let is_right = parsed.len() == sizes.split(' ').count() && parsed.is_sorted_by(|a, b| a >= b);
            match is_right {
                true => Ok(Allowed { folder: folder.to_owned(), sizes: parsed, line: at + 1 }),
                false => Err(Complaint::new(
                    file,
                    at + 1,
                    format!("`{entry}` must be a folder and the sizes of its cycles, the largest first"),
                )),
            }
        })
        .collect()
}

/// Reports crates with more or larger import cycles than `allowed`, and entries that allow more than the crate has.
pub fn check(crates: &[(&str, Imports<'_>)], allowed: &[Allowed], file: &str) -> Vec<Complaint> {
    let mut found = Vec::new();
    for (folder, imports) in crates {
        let cycles = cycles(&edges(imports));
        let sizes: Vec<usize> = cycles.iter().map(Vec::len).collect();
        let entry = allowed.iter().find(|entry| entry.folder == *folder);
        let limits = entry.map_or(&[][..], |entry| &entry.sizes);
        let crate_has = format!("{folder} has import cycles of {} files", joined(&sizes));
        match (first_excess(&sizes, limits), entry) {
            (Some(size), _) => {
                let excess = format!("{crate_has}, {file} allows {}", joined(limits));
                let suspects = cycles.iter().filter(|cycle| cycle.len() == size);
                found.extend(suspects.map(|cycle| cut_one_of(imports, cycle, &excess)));
            }
            (None, Some(entry)) if sizes != limits => {
                let message = match sizes.is_empty() {
                    true => format!("{folder} has no import cycles: remove the entry"),
                    false => format!("{crate_has}: write {}", joined(&sizes)),
                };
                found.push(Complaint::new(file, entry.line, message));
            }
            _ => {}
        }
    }
    let is_known = |entry: &&Allowed| crates.iter().any(|(folder, _)| *folder == entry.folder);
    found.extend(allowed.iter().filter(|entry| !is_known(entry)).map(|entry| {
        Complaint::new(
            file,
            entry.line,
            format!("`{}` is not the folder of a crate: remove the entry", entry.folder),
        )
    }));
    found
}

/// The size of the first cycle that `limits` do not allow. Sums are compared, because removing an import may split a
/// cycle: the largest `n` cycles then never have more files than the largest `n` before.
fn first_excess(sizes: &[usize], limits: &[usize]) -> Option<usize> {
    let sum = |sizes: &[usize], n: usize| sizes.iter().take(n).sum::<usize>();
    (1..=sizes.len()).find(|&n| sum(sizes, n) > sum(limits, n)).map(|n| sizes[n - 1])
}

/// Reports the import whose removal breaks a cycle best.
fn cut_one_of(imports: &Imports<'_>, cycle: &[usize], excess: &str) -> Complaint {
    let (from, Import { line, path }, left) = best_cut(imports, cycle);
    let names: Vec<&str> = cycle.iter().map(|&i| imports.files[i]).collect();
    let left = if left == 1 { "no cycle".to_owned() } else { format!("a cycle of {left}") };
    let message =
        format!("{excess}: remove the import of `{path}` here, which leaves {left} of {}", names.join(", "));
    Complaint::new(imports.files[from], *line, message)
}

/// The import whose removal minimizes the largest remaining cycle within `cycle`, and the size of that.
fn best_cut<'i>(imports: &'i Imports<'_>, cycle: &[usize]) -> (usize, &'i Import, usize) {
    let within: Vec<Vec<usize>> = edges(imports)
        .into_iter()
        .enumerate()
        .map(|(from, to)| to.into_iter().filter(|to| cycle.contains(&from) && cycle.contains(to)).collect())
        .collect();
    let left = |from: usize, to: usize| {
        let mut without = within.clone();
        without[from].retain(|&other| other != to);
        cycles(&without).first().map_or(1, Vec::len)
    };
    let cuts = within.iter().enumerate().flat_map(|(from, to)| to.iter().map(move |&to| (from, to)));
    let (left, from, to) =
        cuts.map(|(from, to)| (left(from, to), from, to)).min().expect("files in a cycle import one another");
    (from, &imports.of[from][&to], left)
}

fn edges(imports: &Imports<'_>) -> Vec<Vec<usize>> {
    imports.of.iter().map(|imports| imports.keys().copied().collect()).collect()
}

/// The strongly connected components of more than one vertex, the largest first.
fn cycles(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let reached: Vec<Vec<bool>> = (0..edges.len()).map(|from| reachable(edges, from)).collect();
    let mut is_assigned = vec![false; edges.len()];
    let mut found = Vec::new();
    for first in 0..edges.len() {
        if is_assigned[first] {
            continue;
        }
        let cycle: Vec<usize> =
            (first..edges.len()).filter(|&i| reached[first][i] && reached[i][first]).collect();
        cycle.iter().for_each(|&i| is_assigned[i] = true);
        if cycle.len() > 1 {
            found.push(cycle);
        }
    }
    found.sort_by_key(|cycle| std::cmp::Reverse(cycle.len()));
    found
}

fn reachable(edges: &[Vec<usize>], from: usize) -> Vec<bool> {
    let mut reached = vec![false; edges.len()];
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        for &to in &edges[at] {
            if !std::mem::replace(&mut reached[to], true) {
                open.push(to);
            }
        }
    }
    reached
}

fn joined(sizes: &[usize]) -> String {
    if sizes.is_empty() {
        return "none".to_owned();
    }
    sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports;
    use crate::tree::{Text, sources};

    /// The complaints about a crate `a` with the imports `a -> b, b -> c`, and a list of cycles.
    fn complaints(arrows: &[(&str, &[&str])], list: &str) -> Vec<String> {
        let texts: Vec<Text> = arrows
            .iter()
            .map(|(name, imports)| {
                let imports: String = imports.iter().map(|to| format!("use crate::{to}::X;\n")).collect();
                Text { path: format!("a/src/{name}.rs"), text: imports + "pub struct X;" }
            })
            .chain([Text { path: "a/src/lib.rs".into(), text: "mod b;".into() }])
            .collect();
        let sources = sources(&texts);
        let found =
            check(&[("a", imports::read("a/src", &sources))], &allowed("list", list).unwrap(), "list");
        found.iter().map(Complaint::to_string).collect()
    }

    const CYCLE_OF_THREE: &[(&str, &[&str])] =
        &[("b", &["c"]), ("c", &["b", "d"]), ("d", &["b"]), ("e", &["b"])];
    const TWO_CYCLES: &[(&str, &[&str])] = &[("b", &["c"]), ("c", &["b"]), ("d", &["e"]), ("e", &["d"])];

    #[test]
    fn a_new_cycle_fails() {
        assert_eq!(complaints(&[("b", &["c"]), ("c", &[])], ""), [""; 0]);
        assert_eq!(
            complaints(&[("b", &["d", "c"]), ("c", &["b"]), ("d", &[])], ""),
            [
                "a/src/b.rs:2: a has import cycles of 2 files, list allows none: remove the import of `crate::c::X` here, \
              which leaves no cycle of a/src/b.rs, a/src/c.rs"
            ]
        );
    }

    #[test]
    fn a_cycle_that_grows_fails() {
        assert_eq!(complaints(CYCLE_OF_THREE, "# why\n\na 3"), [""; 0]);
        assert_eq!(
            complaints(CYCLE_OF_THREE, "a 2"),
            [
                "a/src/b.rs:1: a has import cycles of 3 files, list allows 2: remove the import of `crate::c::X` here, \
              which leaves no cycle of a/src/b.rs, a/src/c.rs, a/src/d.rs"
            ]
        );
        assert_eq!(complaints(TWO_CYCLES, "a 3").len(), 2, "either may be the new one");
        let joined: &[(&str, &[&str])] =
            &[("b", &["c"]), ("c", &["b", "d"]), ("d", &["e"]), ("e", &["d", "b"])];
        assert_eq!(complaints(joined, "a 2 2").len(), 1, "two cycles became one");
    }

    #[test]
    fn the_list_only_shrinks() {
        let shrank = "list:2: a has import cycles of 3 files: write 3";
        assert_eq!(complaints(CYCLE_OF_THREE, "\na 4"), [shrank]);
        assert_eq!(complaints(CYCLE_OF_THREE, "\na 3 2"), [shrank]);
        assert_eq!(complaints(TWO_CYCLES, "a 4"), ["list:1: a has import cycles of 2 2 files: write 2 2"]);
        assert_eq!(
            complaints(&[("b", &[])], "a 2\nb 2"),
            [
                "list:1: a has no import cycles: remove the entry",
                "list:2: `b` is not the folder of a crate: remove the entry"
            ]
        );
    }

    #[test]
    fn a_malformed_entry_fails() {
        for (entry, line) in [("a", 1), ("b 2\na 2 x", 2), ("a 2 3", 1)] {
            let wrong = allowed("list", entry).unwrap_err();
            let entry = entry.lines().last().unwrap();
            let want = format!(
                "list:{line}: `{entry}` must be a folder and the sizes of its cycles, the largest first"
            );
            assert_eq!(wrong.to_string(), want);
        }
    }
}
