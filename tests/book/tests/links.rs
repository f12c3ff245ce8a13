//! Every relative link and anchor in a Markdown file leads somewhere, and the book's contents list every page.

use std::fs;
use std::path::{Path, PathBuf};

use arenite_book::{links, pages, root, text};

/// All Markdown files of the tree.
fn markdown(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the project") {
        let path = entry.expect("it can be listed").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && !name.starts_with('.') && !["target", "venv", "node_modules"].contains(&name) {
            markdown(&path, found);
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
}

/// Why a link leads nowhere.
fn broken(page: &Path, text: &str, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let to = if file.is_empty() {
        page.to_owned()
    } else {
        page.parent().expect("a file is in a folder").join(file)
    };
    if !to.exists() {
        return Some(format!("{} does not exist", to.display()));
    }
    if anchor.is_empty() {
        return None;
    }
    let there = if file.is_empty() { text.to_owned() } else { fs::read_to_string(&to).unwrap_or_default() };
    let anchors = links::anchors(&there);
    (!anchors.iter().any(|known| known == anchor)).then(|| format!("no heading #{anchor}, only {anchors:?}"))
}

#[test]
fn no_link_is_dead() {
    let mut files = Vec::new();
    markdown(&root(), &mut files);
    let mut dead = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).expect("it is text");
        for link in links::links(&text) {
            if let Some(why) = broken(file, &text, &link.target) {
                dead.push(format!("{}:{}: {}: {why}", file.display(), link.line, link.target));
            }
        }
    }
    assert!(dead.is_empty(), "{}", dead.join("\n"));
    assert!(files.len() > 20, "{} files are too few", files.len());
}

#[test]
fn the_contents_list_every_page_once() {
    let listed: Vec<String> = links::links(&text("docs/SUMMARY.md"))
        .into_iter()
        .map(|link| format!("docs/{}", link.target))
        .collect();
    for page in pages::pages(&root()) {
        if page.starts_with("docs/") && page != "docs/SUMMARY.md" {
            let times = listed.iter().filter(|entry| **entry == page).count();
            assert_eq!(times, 1, "docs/SUMMARY.md lists {page} {times} times");
        }
    }
}

#[test]
fn a_dead_link_is_found() {
    let page = root().join("docs/README.md");
    assert!(broken(&page, "", "no_such_page.md").is_some_and(|why| why.contains("does not exist")));
    assert!(broken(&page, "# One\n", "#two").is_some_and(|why| why.contains("no heading #two")));
    assert_eq!(broken(&page, "# `One` & two: x\n", "#one--two-x"), None);
    assert_eq!(broken(&page, "", "https://example.org"), None);
}
