//! The error for an unknown option: the nearest known option, and the usage of the command.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use arenite::text::Visible;
use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

const ERROR: Style = AnsiColor::Red.on_default().bold();
const NAME: Style = AnsiColor::Cyan.on_default();

/// The text for an unknown option of a command; `None` for other mistakes.
pub(crate) fn unknown_option(error: &clap::Error, mut program: Command) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else { return None };
    let given = given.strip_prefix("--")?;
    program.build();
    let names: Vec<String> = std::env::args().skip(1).collect();
    let name = names.iter().find(|name| program.find_subcommand(name).is_some())?;
    let command = program.find_subcommand_mut(name)?;
    let known = command.get_arguments().filter_map(|argument| argument.get_long());
    let nearest = nearest(given, known);
    let mut text = format!("{ERROR}error:{ERROR:#} {name} has no option '--{}'", Visible(given));
    // Writing to a `String` cannot fail.
    if let Some(nearest) = nearest {
        let _ = write!(text, "; did you mean {NAME}--{nearest}{NAME:#}?");
    }
    let _ = write!(text, "\n\n{}\n\n", command.render_usage().ansi());
    let _ = writeln!(text, "{NAME}arenite {name} --help{NAME:#} lists all options.");
    Some(text)
}

/// The known name that is most like this one, if it is much like it or begins or ends with it.
fn nearest<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    /// Least similarity, from 0 to 1.
    const ALIKE: f64 = 0.7;
    let alike = |name: &str| {
        let part = given.len() > 2 && (name.starts_with(given) || name.ends_with(given));
        strsim::jaro(given, name) + f64::from(u8::from(part))
    };
    let best = known.map(|name| (alike(name), name)).max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= ALIKE).then_some(best.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_option_is_found() {
        let of = |given| nearest(given, ["image", "input", "output-dir", "label", "planner"].into_iter());
        assert_eq!(of("imag"), Some("image"));
        assert_eq!(of("labels"), Some("label"));
        assert_eq!(of("output"), Some("output-dir"));
        assert_eq!(of("plannner"), Some("planner"));
        assert_eq!(of("foo"), None);
    }
}
