//! Fenced blocks of a page.

/// A fenced block.
#[derive(Clone, Debug)]
pub struct Block {
    /// The line of its opening fence, from 1.
    pub line: usize,
    /// Its language, such as `rust`.
    pub language: String,
    /// What follows the language and a comma, such as `ci`; empty without one.
    pub note: String,
    pub text: String,
}

impl Block {
    /// The file that a reader saves the block as: its first line is a comment with nothing but a file name.
    pub fn file_name(&self) -> Option<&str> {
        let first = self.text.lines().next()?;
        let comment = ["// ", "# ", "/* "].iter().find_map(|mark| first.strip_prefix(mark))?;
        let name = comment.trim_end_matches("*/").trim();
        let is_name = name.contains('.') && !name.contains(' ') && !name.ends_with('.');
        is_name.then_some(name)
    }
}

/// All fenced blocks of `page`, in order. A fence inside a list may be indented.
pub fn blocks(page: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<(usize, Block)> = None;
    for (i, line) in page.lines().enumerate() {
        let indent = line.len() - line.trim_start().len();
        match (&mut open, line.trim_start().strip_prefix("```")) {
            (None, Some(info)) => {
                let (language, note) = info.split_once(',').unwrap_or((info, ""));
                let [language, note] = [language, note].map(|text| text.trim().to_owned());
                open = Some((indent, Block { line: i + 1, language, note, text: String::new() }));
            }
            (Some(_), Some("")) => found.extend(open.take().map(|(_, block)| block)),
            (Some((outer, block)), _) => {
                block.text.push_str(&line[indent.min(*outer)..]);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    found
}
