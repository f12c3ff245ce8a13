//! The texts of errors.

use std::fmt;

use crate::text::{Lines, ShortNames, Shortened, Visible};

use super::{DisabledDelegate, Error, ItemKind, LoadError, LoadFailure, MissingPlugins, UnresolvedOp};

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::File(m) | LoadError::Version(m) | LoadError::Digest(m) | LoadError::Build(m) => {
                f.write_str(m)
            }
            LoadError::Open(m) => write!(f, "the system cannot open it: {m}"),
            LoadError::NoEntry => {
                write!(f, "it has no symbol {}: not an arenite plugin", arenite_abi::raw::ENTRY_SYMBOL)
            }
            LoadError::Layout(m) => {
                write!(f, "its layout differs from this host's; rebuild it against this contract: {m}")
            }
            LoadError::Descriptor(m) => write!(f, "its descriptor is malformed: {m}"),
            LoadError::NotAllowed(id) => write!(f, "'{id}' matches no pattern of [plugins] allow"),
            LoadError::Duplicate(m) => f.write_str(m),
        }
    }
}

impl LoadFailure {
    /// The reason as text. It does not begin with the path of the library, unlike the reason's own text.
    pub fn reason_without_path(&self) -> String {
        let (reason, path) = (self.reason.to_string(), self.path.display().to_string());
        let rest = reason.strip_prefix(&path).and_then(|rest| rest.strip_prefix(": "));
        rest.map_or_else(|| reason.clone(), str::to_owned)
    }
}

impl fmt::Display for LoadFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "plugin {}: {}", self.path.display(), self.reason_without_path())
    }
}

impl fmt::Display for UnresolvedOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.custom { "custom op" } else { "op" };
        let types: Vec<_> = self.element_types.iter().map(|ty| ty.name()).collect();
        write!(
            f,
            "{kind} {} version {} ({}) at node{} {} of subgraph {}",
            Visible(&self.op),
            self.version,
            types.join(", "),
            if self.nodes.len() == 1 { "" } else { "s" },
            List(&self.nodes, 8),
            self.subgraph
        )?;
        for candidate in &self.candidates {
            write!(f, "; {candidate}")?;
        }
        Ok(())
    }
}

impl fmt::Display for ItemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ItemKind::Op => "op",
            ItemKind::Planner => "planner",
            ItemKind::Delegate => "delegate",
            ItemKind::Signature => "signature",
            ItemKind::Subgraph => "subgraph",
            ItemKind::Input => "input",
            ItemKind::Output => "output",
        })
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Lines(Raw(self)).fmt(f)
    }
}

/// The text before control characters in messages are escaped. Names are escaped here, line ends included.
struct Raw<'a>(&'a Error);

impl fmt::Display for Raw<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Error::Model(error) => error.fmt(f),
            Error::Config(error) => error.fmt(f),
            Error::Plugin(failure) => failure.fmt(f),
            Error::UnresolvedOps { ops, missing } => unresolved(f, ops, missing),
            Error::Node { op, subgraph, node, output, message, .. } => {
                let place = if *subgraph == 0 { String::new() } else { format!(" of subgraph {subgraph}") };
                let (op, output, message) = (Shortened(op), Shortened(output), ShortNames(message));
                write!(f, "{op} (node {node}{place}, output '{output}'): {message}")
            }
            Error::NotFound { what, name, known, failures } => {
                not_found(f, *what, name, known)?;
                not_loaded(f, failures)
            }
            Error::Registration { what, name, message } if name.is_empty() => {
                write!(f, "{what} is not registered: {message}")
            }
            Error::Registration { what, name, message } => {
                write!(f, "{what} '{}' is not registered: {message}", Visible(name))
            }
            Error::Plan { planner, message } => write!(f, "planner '{}': {message}", Visible(planner)),
            Error::Delegate { delegate, message, .. } => {
                write!(f, "delegate '{}': {message}", Visible(delegate))
            }
            Error::Quota { resource, purpose, needed, limit } => write!(
                f,
                "{purpose} needs {needed} {}, the quota is {limit}; raise `{resource}` in [quota] if that is right",
                resource.unit()
            ),
            Error::OutOfMemory { bytes } => write!(f, "the system gave no memory for {bytes} bytes"),
            Error::Cancelled => f.write_str("the invocation was cancelled"),
            Error::Tensor { name, message } => {
                write!(f, "tensor '{}': {}", Shortened(name), ShortNames(message))
            }
            Error::State(message) => f.write_str(message),
            Error::Io(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

fn not_found(f: &mut fmt::Formatter<'_>, what: ItemKind, name: &str, known: &[String]) -> fmt::Result {
    if matches!(what, ItemKind::Subgraph) {
        return write!(f, "subgraph {} does not exist; the model has {}", Visible(name), known.len());
    }
    write!(f, "unknown {what} '{}'", Visible(name))?;
    if known.is_empty() && matches!(what, ItemKind::Planner | ItemKind::Delegate) {
        return f.write_str(
            "; no plugin that was found has one: give the folder of a plugin that has it (--plugin-dir, [plugins] dirs, \
             ARENITE_PLUGIN_PATH), leave `builtin = false` out of [plugins], or link the default plugins into your program \
             (the feature `builtin` of the crate `arenite`)",
        );
    }
    if let (ItemKind::Delegate, Some(advice)) = (what, gpu_advice(name)) {
        return write!(f, "; {advice}; known: {}", Visible(known.join(", ")));
    }
    match crate::config::nearest(name, known.iter().map(String::as_str)) {
        Some(near) => write!(f, "; did you mean '{}'?", Visible(near))?,
        None => f.write_str(";")?,
    }
    let known = if known.is_empty() { "none".into() } else { known.join(", ") };
    write!(f, " known: {}", Visible(known))
}

/// How to get a GPU delegate, which no program has by default.
fn gpu_advice(name: &str) -> Option<String> {
    let (plugin, delegate) = match name.to_lowercase().as_str() {
        "opencl" | "gpu" | "cl" => ("opencl", "opencl"),
        "vulkan" | "vk" | "webgpu" | "wgpu" => ("vulkan", "vulkan"),
        _ => return None,
    };
    let names =
        if name == delegate { String::new() } else { "the GPU delegates are 'opencl' and 'vulkan'; ".into() };
    Some(format!(
        "{names}'{delegate}' is in the plugin arenite-plugin-{plugin}: build it with `cargo build --release -p \
         arenite-plugin-{plugin}` and give its folder (--plugin-dir, [plugins] dirs, ARENITE_PLUGIN_PATH), or link it in \
         with `--features {plugin}`"
    ))
}

fn unresolved(f: &mut fmt::Formatter<'_>, ops: &[UnresolvedOp], missing: &MissingPlugins) -> fmt::Result {
    write!(f, "no plugin serves {} of the model's ops:", ops.len())?;
    for op in ops {
        write!(f, "\n  {op}")?;
    }
    if ops.iter().any(|op| op.custom && op.op.starts_with("Flex")) {
        f.write_str(
            "\n  those that begin with Flex are TensorFlow's own; the plugin org.arenite.flex serves many of them: build it \
             with `cargo build --release -p arenite-plugin-flex` and give its folder, or link it in with the feature `flex`",
        )?;
    }
    fmt::Display::fmt(missing, f)?;
    f.write_str("\n  searched: ")?;
    match missing.searched.as_slice() {
        [] => f.write_str("nowhere; no plugin folder is configured")?,
        places => f.write_str(&places.join(", "))?,
    }
    f.write_str(
        "\n  give the folder of a plugin that has them (--plugin-dir, [plugins] dirs, ARENITE_PLUGIN_PATH)",
    )
}

/// How many lines of one kind an error has.
const MOST_LINES: usize = 8;

fn not_loaded(f: &mut fmt::Formatter<'_>, failures: &[LoadFailure]) -> fmt::Result {
    failures.iter().take(MOST_LINES).try_for_each(|failure| write!(f, "\n  not loaded: {failure}"))?;
    match failures.len().saturating_sub(MOST_LINES) {
        0 => Ok(()),
        more => write!(f, "\n  not loaded: {more} more"),
    }
}

impl fmt::Display for MissingPlugins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        not_loaded(f, &self.failures)?;
        self.left_out.iter().try_for_each(|left_out| write!(f, "\n  left out: {left_out}"))
    }
}

impl fmt::Display for DisabledDelegate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

/// The first few elements of a list, and how many more there are.
struct List<'a>(&'a [usize], usize);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, value) in self.0.iter().take(self.1).enumerate() {
            write!(f, "{}{value}", if i == 0 { "" } else { ", " })?;
        }
        if self.0.len() > self.1 {
            write!(f, " and {} more", self.0.len() - self.1)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_writes_what_display_writes() {
        let known = vec!["arena".to_owned()];
        let error = Error::not_found(ItemKind::Planner, "arenna", known);
        let wanted = "unknown planner 'arenna'; did you mean 'arena'? known: arena";
        assert_eq!((format!("{error:?}"), error.to_string()), (wanted.into(), wanted.into()));
        let config = "".parse::<crate::Config>().unwrap_err();
        assert_eq!(format!("{config:?}"), config.to_string());
        assert_eq!(
            format!("{:?}", Error::Config(config)),
            Error::Config("".parse::<crate::Config>().unwrap_err()).to_string()
        );
    }
}
