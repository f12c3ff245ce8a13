//! The imports between the files of a crate, read from `use` items and from paths in code. Tests do not count.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::scan::line_of;
use crate::tree::Source;

/// The number of re-exports that are followed to the file that defines a name.
const MOST_REEXPORTS: usize = 6;

/// The files of one crate and the imports between them.
pub struct Imports<'a> {
    /// The paths of the files, relative to the repository's root.
    pub files: Vec<&'a str>,
    /// For each file, the indices of the files that it imports from, with the first place that imports each.
    pub of: Vec<BTreeMap<usize, Import>>,
}

/// A place that names another file.
#[derive(Clone, Debug, PartialEq)]
pub struct Import {
    pub line: usize,
    /// The path as written there, with the prefix of its `use` item.
    pub path: String,
}

/// A file in the crate's module tree.
struct Module<'a> {
    source: &'a Source,
    path: Vec<&'a str>,
    definitions: HashSet<&'a str>,
    /// The names of its definitions; exported macros are in the root.
    macros: HashSet<&'a str>,
    uses: Vec<Use<'a>>,
    paths: Vec<Named<'a>>,
}

/// A path in code, and the inline modules around it.
struct Named<'a> {
    at: usize,
    scope: Vec<&'a str>,
    path: Vec<&'a str>,
}

/// A name that a `use` item imports.
struct Use<'a> {
    named: Named<'a>,
    name: &'a str,
    is_public: bool,
}

/// Reads the imports between the files of the crate with the source folder `src`.
pub fn read<'a>(src: &str, sources: impl IntoIterator<Item = &'a Source>) -> Imports<'a> {
    let mut modules: Vec<Module<'a>> = Vec::new();
    for source in sources {
        let below = source.path.strip_prefix(src).and_then(|rest| rest.strip_prefix('/'));
        let Some(path) = below.map(module_path).filter(|_| !source.library.is_empty()) else { continue };
        // A program's root next to a library's root is another crate.
        if modules.iter().all(|module| module.path != path) {
            modules.push(parse(source, path));
        }
    }
    let of_path = modules.iter().enumerate().map(|(i, module)| (module.path.clone(), i)).collect();
    let tree = Tree { modules: &modules, of_path };
    let of = (0..modules.len()).map(|module| tree.imports(module)).collect();
    Imports { files: modules.iter().map(|module| module.source.path.as_str()).collect(), of }
}

/// The module of a file below `src`.
fn module_path(file: &str) -> Vec<&str> {
    let mut path: Vec<&str> = file.trim_end_matches(".rs").split('/').collect();
    if matches!(path.last(), Some(&("mod" | "lib" | "main"))) {
        path.pop();
    }
    path
}

fn parse<'a>(source: &'a Source, path: Vec<&'a str>) -> Module<'a> {
    let tokens = tokens(&source.library);
    let word = |at: usize| tokens.get(at).map_or("", |&(_, token)| token);
    let mut module = Module {
        source,
        path,
        definitions: HashSet::new(),
        macros: HashSet::new(),
        uses: Vec::new(),
        paths: Vec::new(),
    };
    let mut scope: Vec<(&str, usize)> = Vec::new();
    let (mut at, mut depth) = (0, 0);
    while at < tokens.len() {
        let names = |scope: &[(&'a str, usize)]| scope.iter().map(|&(name, _)| name).collect();
        match word(at) {
            // `use<'a>` lists captured lifetimes.
            "use" if word(at + 1) != "<" => {
                let is_public = matches!(word(at.wrapping_sub(1)), "pub" | ")");
                let start = Named { at: tokens[at].0, scope: names(&scope), path: Vec::new() };
                at += 1;
                use_tree(&tokens, &mut at, start, is_public, &mut module.uses);
                continue;
            }
            "{" => depth += 1,
            "}" => {
                depth -= 1;
                scope.pop_if(|&mut (_, outside)| outside == depth);
            }
            "mod" if word(at + 2) == "{" => scope.push((word(at + 1), depth)),
            first if is_word(first) && word(at.wrapping_sub(1)) != "::" && word(at + 1) == "::" => {
                let start = at;
                while word(at + 1) == "::" && is_word(word(at + 2)) {
                    at += 2;
                }
                let path = (start..=at).step_by(2).map(word).collect();
                module.paths.push(Named { at: tokens[start].0, scope: names(&scope), path });
            }
            _ => {}
        }
        let keyword = if word(at) == "!" { word(at.wrapping_sub(1)) } else { word(at) };
        if DEFINES.contains(&keyword) && is_word(word(at + 1)) {
            module.definitions.insert(word(at + 1));
            if word(at) == "!" {
                module.macros.insert(word(at + 1));
            }
        }
        at += 1;
    }
    module
}

/// The words before the name of an item.
const DEFINES: &[&str] =
    &["fn", "struct", "enum", "trait", "type", "const", "static", "union", "mod", "macro_rules"];

/// Reads one branch of a `use` item, up to the comma, brace or semicolon after it.
fn use_tree<'a>(
    tokens: &[(usize, &'a str)],
    at: &mut usize,
    mut named: Named<'a>,
    is_public: bool,
    uses: &mut Vec<Use<'a>>,
) {
    let mut alias = None;
    while let Some(&(_, token)) = tokens.get(*at) {
        match token {
            "as" => {
                *at += 1;
                alias = tokens.get(*at).map(|&(_, name)| name);
            }
            "{" => {
                while matches!(tokens.get(*at), Some((_, "{" | ","))) {
                    *at += 1;
                    if matches!(tokens.get(*at), Some((_, "}"))) {
                        break;
                    }
                    let start = Named { at: named.at, scope: named.scope.clone(), path: named.path.clone() };
                    use_tree(tokens, at, start, is_public, uses);
                }
                *at += 1;
                return;
            }
            "," | "}" | ";" => break,
            // A path of another crate, which does not start with a module of this one.
            "::" if named.path.is_empty() => named.path.push(""),
            "::" => {}
            "self" if !named.path.is_empty() => {}
            word => named.path.push(word),
        }
        *at += 1;
    }
    if let Some(&name) = alias.as_ref().or(named.path.last()) {
        uses.push(Use { named, name, is_public });
    }
}

/// Words, `::` and single characters, with their offsets.
fn tokens(code: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = code[at..].chars().next() {
        let word = code[at..].find(|c| !is_word_char(c)).unwrap_or(code.len() - at);
        let length = match word {
            0 if code[at..].starts_with("::") => 2,
            0 => first.len_utf8(),
            word => word,
        };
        if !first.is_whitespace() {
            found.push((at, &code[at..at + length]));
        }
        at += length;
    }
    found
}

fn is_word_char(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

fn is_word(token: &str) -> bool {
    token.starts_with(is_word_char)
}

struct Tree<'a, 'm> {
    modules: &'m [Module<'a>],
    of_path: HashMap<Vec<&'a str>, usize>,
}

impl<'a> Tree<'a, '_> {
    /// The files that a module imports from.
    fn imports(&self, module: usize) -> BTreeMap<usize, Import> {
        let Module { source, path: own, uses, paths, .. } = &self.modules[module];
        let mut found = BTreeMap::new();
        let mut add = |target: Option<usize>, named: &Named<'_>| {
            if let Some(target) = target.filter(|&target| target != module) {
                let import = Import { line: line_of(&source.library, named.at), path: named.path.join("::") };
                found.entry(target).or_insert(import);
            }
        };
        for Use { named, is_public, .. } in uses {
            let target = self.resolve(module, &named.scope, &named.path, 0);
            // A parent does not depend on the items of its children that it re-exports.
            let is_reexport = |&target: &usize| *is_public && self.modules[target].path.starts_with(own);
            add(target.filter(|target| !is_reexport(target)), named);
        }
        let imported: HashMap<&str, &Named<'a>> = uses.iter().map(|item| (item.name, &item.named)).collect();
        for named in paths {
            let target = match imported.get(named.path[0]) {
                Some(item) => {
                    let path: Vec<&str> = item.path.iter().chain(&named.path[1..]).copied().collect();
                    self.resolve(module, &item.scope, &path, 0)
                }
                None => self.resolve(module, &named.scope, &named.path, 0),
            };
            add(target, named);
        }
        found
    }

    /// The module of this crate that defines what `path` names in `module`, or `None` for a path of another crate.
    fn resolve(&self, module: usize, scope: &[&'a str], path: &[&'a str], reexports: usize) -> Option<usize> {
        let mut absolute: Vec<&str> = self.modules[module].path.iter().chain(scope).copied().collect();
        match *path.first()? {
            "crate" => absolute.clear(),
            "self" => {}
            "super" => {
                absolute.pop();
            }
            child => {
                absolute.push(child);
                self.of_path.get(&absolute)?;
            }
        }
        let mut rest = &path[1..];
        while let Some((&"super", after)) = rest.split_first() {
            absolute.pop();
            rest = after;
        }
        while let Some((&child, after)) = rest.split_first() {
            absolute.push(child);
            if !self.of_path.contains_key(&absolute) {
                absolute.pop();
                break;
            }
            rest = after;
        }
        // Inline modules are in the file of the module around them.
        while !self.of_path.contains_key(&absolute) {
            absolute.pop()?;
        }
        let found = self.of_path[&absolute];
        match rest.first() {
            Some(name) if *name != "*" && reexports < MOST_REEXPORTS => {
                Some(self.definer(found, name, reexports).unwrap_or(found))
            }
            _ => Some(found),
        }
    }

    /// The module of a re-exported name, if `module` re-exports `name`.
    fn definer(&self, module: usize, name: &str, reexports: usize) -> Option<usize> {
        let Module { path, definitions, uses, .. } = &self.modules[module];
        if definitions.contains(name) {
            return None;
        }
        let target = |item: &Use<'a>| {
            let target = self.resolve(module, &item.named.scope, &item.named.path, reexports + 1)?;
            match item.name {
                "*" if self.modules[target].definitions.contains(name) => Some(target),
                "*" => self.definer(target, name, reexports + 1),
                _ => Some(target),
            }
        };
        let of_name =
            uses.iter().filter(|item| item.name == name || (item.name == "*" && reexports < MOST_REEXPORTS));
        let exported =
            || self.modules.iter().position(|module| path.is_empty() && module.macros.contains(name));
        of_name.filter_map(target).next().or_else(exported)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Text, sources};

    /// The imports of files below `a/src`, as `importer:line path -> imported`.
    fn read_all(files: &[(&str, &str)]) -> Vec<String> {
        let texts: Vec<Text> = files
            .iter()
            .map(|&(path, text)| Text { path: format!("a/src/{path}"), text: text.into() })
            .collect();
        let sources = sources(&texts);
        let Imports { files, of } = read("a/src", &sources);
        let name = |file: usize| files[file].trim_start_matches("a/src/");
        let lines = of.iter().enumerate().flat_map(|(from, imports)| {
            imports.iter().map(move |(&to, Import { line, path })| {
                format!("{}:{line} {path} -> {}", name(from), name(to))
            })
        });
        lines.collect()
    }

    #[test]
    fn use_items_are_imports() {
        let found = read_all(&[
            ("lib.rs", "mod a;\nmod b;\npub use b::c::C;\nuse std::fmt;"),
            ("a.rs", "// use crate::b;\n\nuse crate::{b::{self, c::C as D,}, X};\nuse ::b::Y;"),
            ("b/mod.rs", "pub mod c;\npub struct B;"),
            ("b/c.rs", "use super::{B};\nuse super::super::a::*;\npub struct C;"),
        ]);
        assert_eq!(
            found,
            [
                "a.rs:3 crate::X -> lib.rs",
                "a.rs:3 crate::b -> b/mod.rs",
                "a.rs:3 crate::b::c::C -> b/c.rs",
                "b/c.rs:2 super::super::a::* -> a.rs",
                "b/c.rs:1 super::B -> b/mod.rs",
            ]
        );
    }

    #[test]
    fn paths_in_code_are_imports() {
        let found = read_all(&[
            ("lib.rs", "mod a;\nmod b;\nfn f() { b::g(); std::mem::swap(); }"),
            ("a.rs", "use std::fmt;\nfn f() {\n    crate::b::g(\"crate::c::x\") + fmt::x() }"),
            (
                "b.rs",
                "use crate::c as d;\npub fn g() { d::h::<u8>() }\n#[cfg(test)]\nmod tests { crate::a::f() }",
            ),
            ("c.rs", "pub fn h() {}"),
        ]);
        assert_eq!(found, ["lib.rs:3 b::g -> b.rs", "a.rs:3 crate::b::g -> b.rs", "b.rs:1 crate::c -> c.rs"]);
    }

    #[test]
    fn a_reexported_name_leads_to_its_definition() {
        let found = read_all(&[
            ("lib.rs", "mod a;\nmod b;\npub use b::*;"),
            ("a.rs", "use crate::C;\nuse crate::b::E as F;\nfn f() { F::new() }"),
            ("b/mod.rs", "mod c;\nmod d;\npub use c::C;\npub use d::E;"),
            ("b/c.rs", "pub struct C;"),
            ("b/d.rs", "pub enum E {}\nfn f() { crate::shout!() }"),
            ("e.rs", "#[macro_export]\nmacro_rules! shout { () => {} }"),
        ]);
        assert_eq!(
            found,
            ["a.rs:1 crate::C -> b/c.rs", "a.rs:2 crate::b::E -> b/d.rs", "b/d.rs:2 crate::shout -> e.rs"]
        );
    }

    #[test]
    fn an_inline_module_belongs_to_its_file() {
        let found = read_all(&[
            ("lib.rs", "mod a;\npub struct X;"),
            ("a.rs", "fn f() {}\nmod inner { use super::f; fn g() { super::f() } }\nuse super::X;"),
        ]);
        assert_eq!(found, ["a.rs:3 super::X -> lib.rs"]);
    }

    #[test]
    fn tests_and_other_roots_do_not_count() {
        let found = read_all(&[
            ("lib.rs", "#[cfg(test)]\nmod tests;\nmod a;"),
            ("main.rs", "use a::X;"),
            ("a.rs", "pub struct X;\n#[cfg(test)]\nuse crate::tests::Y;"),
            ("tests.rs", "use crate::a::X;"),
        ]);
        assert_eq!(found, [""; 0]);
    }
}
