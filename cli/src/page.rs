//! Self-contained HTML pages: templates, and data embedded as JSON. Text from a model file never becomes markup or
//! script.

use serde::Serialize;

use crate::answer::{Failure, Result};

/// The style sheet that all pages share.
pub(crate) const STYLE: &str = include_str!("page/style.css");
/// The script that draws memory plans.
pub(crate) const PLANS: &str = include_str!("page/plans.js");

/// Replaces each `{{name}}` of a template by the part of that name. The parts themselves are not searched for names.
pub(crate) fn fill(template: &str, parts: &[(&str, &str)]) -> String {
    let mut page = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        page.push_str(before);
        let found = after.split_once("}}").and_then(|(name, after)| {
            let (_, part) = parts.iter().find(|(known, _)| *known == name)?;
            Some((part, after))
        });
        match found {
            Some((part, after)) => {
                page.push_str(part);
                rest = after;
            }
            None => {
                page.push_str("{{");
                rest = after;
            }
        }
    }
    page.push_str(rest);
    page
}

/// JSON for a `<script type="application/json">` element: `<` is written as `\u003c`, so that no string ends the
/// element.
///
/// # Errors
/// A value that JSON cannot express, such as a path that is not UTF-8.
pub(crate) fn embed(data: &impl Serialize) -> Result<String> {
    let data = serde_json::to_string(data).map_err(|error| Failure::with("JSON", error))?;
    Ok(data.replace('<', "\\u003c"))
}

/// Escapes text for HTML, SVG and attribute values in double quotes.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_inserted_once() {
        let filled = fill("<h1>{{a}}</h1>{{b}} {{c}} {{", &[("a", "{{b}}"), ("b", "2")]);
        assert_eq!(filled, "<h1>{{b}}</h1>2 {{c}} {{");
    }

    #[test]
    fn no_string_ends_the_script() {
        let json = embed(&["</script><!--"]).unwrap();
        assert!(!json.contains('<'));
        assert_eq!(serde_json::from_str::<Vec<String>>(&json).unwrap(), ["</script><!--"]);
        assert_eq!(escape("<a b=\"&\">"), "&lt;a b=&quot;&amp;&quot;&gt;");
    }
}
