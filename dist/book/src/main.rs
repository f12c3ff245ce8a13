//! Builds the book in `docs` as mdBook does: `arenite-book-builder DOCS FOLDER`.
//!
//! Links that leave the book, for example to sources, lead to the repository in the pages that it writes.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use mdbook_driver::MDBook;
use mdbook_driver::book::{Book, BookItem};
use mdbook_driver::errors::Result;
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};

fn main() -> ExitCode {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [docs, folder] = &arguments[..] else {
        eprintln!("usage: arenite-book-builder DOCS FOLDER");
        return ExitCode::from(2);
    };
    match build(docs, folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn build(docs: &Path, folder: &Path) -> Result<()> {
    let mut book = MDBook::load(docs)?;
    book.config.build.build_dir = std::path::absolute(folder)?;
    book.with_preprocessor(Sources);
    book.build()
}

/// Makes links to files outside the book, which begin with `../`, links to the repository.
struct Sources;

impl Preprocessor for Sources {
    fn name(&self) -> &str {
        "sources"
    }

    fn run(&self, context: &PreprocessorContext, mut book: Book) -> Result<Book> {
        let repository: Option<String> = context.config.get("output.html.git-repository-url")?;
        let repository = repository.unwrap_or_default();
        book.for_each_mut(|item| {
            if let BookItem::Chapter(chapter) = item {
                chapter.content = chapter.content.replace("](../", &format!("]({repository}/blob/main/"));
            }
        });
        Ok(book)
    }
}
