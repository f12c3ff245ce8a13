//! The written model as text for people, with the command that runs it.

use std::fmt::{self, Display, Formatter};

use super::{Port, Report};
use crate::text::{DIM, HEAD, Visible, shape, thousands};

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let path = self.model.display();
        writeln!(f, "wrote {HEAD}{path}{HEAD:#}, {} bytes", thousands(self.bytes as u64))?;
        show(f, "input", &self.inputs)?;
        show(f, "output", &self.outputs)?;
        let custom: Vec<String> =
            self.ops.iter().filter(|op| op.custom).map(|op| Visible(&op.name).to_string()).collect();
        match &custom[..] {
            [] => writeln!(f, "{DIM}run it: arenite run {path}{DIM:#}"),
            names => {
                let names = names.join(", ");
                writeln!(
                    f,
                    "{DIM}run it: arenite run {path} --plugin-dir FOLDER, with a plugin for {names} in FOLDER{DIM:#}"
                )
            }
        }
    }
}

fn show(f: &mut Formatter<'_>, kind: &str, ports: &[Port]) -> fmt::Result {
    let each = ports.iter().enumerate();
    each.map(|(i, port)| (i, Visible(&port.name), port.ty, shape(&port.shape)))
        .try_for_each(|(i, name, ty, shape)| writeln!(f, "  {kind} {i} '{name}'  {ty} {shape}"))
}
