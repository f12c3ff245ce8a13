//! `[tie]`: outputs that become inputs of the next invocation.

use super::error::ConfigError;
use super::reader::Table;

/// An output of a signature that is tied to an input; see [`Interpreter::tie`](crate::Interpreter::tie).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TiedOutput {
    /// The signature's key.
    pub signature: String,
    /// The output's name in the signature.
    pub output: String,
    /// The input's name in the signature.
    pub input: String,
}

/// `[tie]`. [`InterpreterBuilder::build`](crate::InterpreterBuilder::build) ties the pairs, and then the caches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TieConfig {
    /// `caches`: whether to call [`Interpreter::tie_caches`](crate::Interpreter::tie_caches).
    pub caches: bool,
    /// `pairs`: calls of [`Interpreter::tie`](crate::Interpreter::tie), in the order of the file.
    pub pairs: Vec<TiedOutput>,
}

impl TieConfig {
    /// Whether nothing is tied.
    pub fn is_empty(&self) -> bool {
        !self.caches && self.pairs.is_empty()
    }
}

/// Reads the table.
pub(super) fn ties(table: &Table<'_>) -> Result<TieConfig, ConfigError> {
    table.only(&["caches", "pairs"])?;
    let pair = |pair: &Table<'_>| {
        pair.only(&["signature", "output", "input"])?;
        let name = |key, advice| pair.string(key)?.ok_or_else(|| pair.missing(key, advice));
        Ok(TiedOutput {
            signature: name("signature", "name the signature that has both")?,
            output: name("output", "name the output that becomes an input")?,
            input: name("input", "name the input that gets its value")?,
        })
    };
    Ok(TieConfig {
        caches: table.boolean("caches")?.unwrap_or_default(),
        pairs: table.tables("pairs")?.iter().map(pair).collect::<Result<_, _>>()?,
    })
}

#[cfg(test)]
mod tests {
    use crate::config::{Config, TieConfig, TiedOutput};

    fn read(table: &str) -> Result<TieConfig, String> {
        let config: Result<Config, _> = format!("schema = 1\n[tie]\n{table}").parse();
        config.map(|config| config.ties).map_err(|error| error.to_string())
    }

    #[test]
    fn caches_and_pairs_are_read() {
        assert_eq!(read(""), Ok(TieConfig::default()));
        assert!(read("").is_ok_and(|ties| ties.is_empty()));
        let pair = TiedOutput { signature: "step".into(), output: "next".into(), input: "state".into() };
        let text = "caches = true\npairs = [{ signature = 'step', output = 'next', input = 'state' }]";
        assert_eq!(read(text), Ok(TieConfig { caches: true, pairs: vec![pair] }));
    }

    #[test]
    fn mistakes_are_named() {
        let wrong = [
            ("caches = 1", "line 3, column 10: `tie.caches` must be a boolean, found an integer"),
            ("cache = true", "did you mean `caches`?"),
            ("pairs = ['a']", "`tie.pairs[0]` must be a table, found a string"),
            (
                "pairs = [{ signature = 's', output = 'a' }]",
                "`tie.pairs[0].input` is missing: name the input that gets its value",
            ),
            ("pairs = [{ output = 'a', input = 'b' }]", "name the signature that has both"),
            ("pairs = [{ signature = 's', output = 'a', inputs = 'b' }]", "did you mean `input`?"),
        ];
        for (text, part) in wrong {
            let found = read(text).expect_err(text);
            assert!(found.contains(part), "{found}");
        }
    }
}
