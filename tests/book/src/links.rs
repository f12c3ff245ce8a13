//! Links and headings of a page.

use std::collections::HashMap;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A link or a picture: its line and its target, as written.
pub struct Link {
    pub line: usize,
    pub target: String,
}

fn parser(page: &str) -> Parser<'_> {
    Parser::new_ext(page, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES)
}

/// All links and pictures of a page.
pub fn links(page: &str) -> Vec<Link> {
    let line_of = |offset: usize| page[..offset].matches('\n').count() + 1;
    let found = parser(page).into_offset_iter().filter_map(|(event, range)| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Some(Link { line: line_of(range.start), target: dest_url.into_string() })
        }
        _ => None,
    });
    found.collect()
}

/// The anchors of a page's headings, as GitHub and mdBook make them.
pub fn anchors(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut heading: Option<String> = None;
    let mut seen: HashMap<String, usize> = HashMap::new();
    for event in parser(page) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let anchor = anchor(&heading.take().unwrap_or_default());
                let times = seen.entry(anchor.clone()).or_default();
                found.push(if *times == 0 { anchor } else { format!("{anchor}-{times}") });
                *times += 1;
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
            }
            _ => {}
        }
    }
    found
}

fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter_map(|c| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        c if c.is_alphanumeric() => Some(c),
        _ => None,
    });
    kept.flat_map(char::to_lowercase).collect()
}
