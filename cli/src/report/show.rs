//! The report as text for people: what was written, and the main figures.

use std::fmt::{self, Display, Formatter};

use arenite::text::Lines;

use super::page::Page;
use crate::text::{HEAD, count, thousands};

impl Display for Page {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some((path, bytes)) = &self.written {
            writeln!(f, "wrote {HEAD}{}{HEAD:#}, {} bytes", path.display(), thousands(*bytes as u64))?;
        }
        let nodes: usize = self.subgraphs.iter().map(|graph| graph.node_count).sum();
        write!(f, "  {}", count(nodes, "node"))?;
        if let Some(memory) = &self.memory {
            write!(f, ", arena of {} bytes", thousands(memory.arena_bytes))?;
        }
        if let Some(runs) = &self.runs {
            write!(f, ", median of {} {:.3} ms", count(runs.count, "run"), runs.median_ms)?;
        }
        writeln!(f)?;
        self.notes.iter().try_for_each(|note| writeln!(f, "  note: {}", Lines(note)))
    }
}
