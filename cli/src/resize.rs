//! New shapes for inputs.

use std::fmt;
use std::str::FromStr;

use crate::answer::Result;
use crate::session::Session;
use crate::text;

/// A new shape for an input.
#[derive(Clone, Debug)]
pub(crate) struct Resize {
    /// The input's position or name.
    pub port: String,
    pub shape: Vec<i32>,
}

impl fmt::Display for Resize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.port, text::join(&self.shape, "x"))
    }
}

impl FromStr for Resize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (port, dims) = split(text, "1x2x3")?;
        let dim = |dim: &str| {
            let value = dim.parse::<i32>().ok().filter(|&d| d >= 0);
            value.ok_or_else(|| {
                format!(
                    "'{dim}' is not a dimension from 0 to {}; write for instance {port}=1x224x224x3",
                    i32::MAX
                )
            })
        };
        let shape = dims.split('x').map(dim).collect::<Result<_, _>>()?;
        Ok(Resize { port, shape })
    }
}

/// Splits `K=VALUE`.
pub(crate) fn split<'a>(text: &'a str, what: &str) -> Result<(String, &'a str), String> {
    match text.split_once('=') {
        Some((port, value)) if !port.is_empty() && !value.is_empty() => Ok((port.to_owned(), value)),
        _ => Err(format!("write K={what}, where K is the input's position or name")),
    }
}

/// Resizes inputs as requested. The caller must allocate afterwards.
pub(crate) fn resize(session: &mut Session<'_>, resizes: &[Resize]) -> Result<()> {
    for resize in resizes {
        let i = session.find_input(&resize.port)?;
        session.resize(i, &resize.shape)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_and_ports_are_read() {
        let resize: Resize = "image=1x224x224x3".parse().unwrap();
        assert_eq!((resize.port.as_str(), &resize.shape[..]), ("image", &[1, 224, 224, 3][..]));
        let message = "1=2xx3".parse::<Resize>().unwrap_err();
        assert_eq!(message, "'' is not a dimension from 0 to 2147483647; write for instance 1=1x224x224x3");
        assert!("1=-2".parse::<Resize>().is_err());
    }
}
