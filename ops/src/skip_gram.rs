//! SKIP_GRAM: the skip-grams of a text: sequences of words, in which words may be skipped. Strings.
//!
//! Defined by: tflite/kernels/skip_gram.cc.
//!
//! ```text
//! n-gram = words w0 < w1 < … < wn−1 of the text, neighbors at most max_skip + 1 apart, joined by a blank
//! y = all of them, sorted by the first word, then the second, … ; a longer one before its own prefix
//! ```
//! n is `ngram_size`, or any number up to it with `include_all_ngrams`. Only the first string of the input is used. As
//! in TFLite, a leading blank hides the first word, and a trailing blank does not create a word.

use arenite_abi::prelude::*;
use arenite_abi::schema::SkipGramOptions;

use crate::kit::pace::Pace;
use crate::kit::strings::{StringWriter, Strings, packed_bytes};

/// A prepared `SKIP_GRAM` node.
pub struct SkipGram {
    size: usize,
    max_skip: i32,
    /// Whether shorter sequences are included.
    all: bool,
    /// For each word of a sequence: its number, its start and its end.
    words: Scratch<u64>,
}

/// The maximum length of a sequence.
const MAX_SIZE: usize = 1 << 16;
/// The number of scratch elements per word.
const FIELDS: usize = 3;

impl Op for SkipGram {
    const CODE: OpCode = OpCode::Builtin(op::SKIP_GRAM);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[ElementType::String]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, _) = node.unary()?;
        ensure!(!x.is_empty() || x.is_dynamic(), "input {x} is {:?}; a string is needed", x.shape);
        let options = node.options()?;
        let size = options.get(SkipGramOptions::NGRAM_SIZE)?;
        // A negative number means more words than any text has.
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        cx.set_output_dynamic(0)?;
        Ok(SkipGram {
            size,
            max_skip: options.get(SkipGramOptions::MAX_SKIP_SIZE)?,
            all: options.get(SkipGramOptions::INCLUDE_ALL_NGRAMS)?,
            words: cx.scratch(if size <= MAX_SIZE { size * FIELDS } else { 0 })?,
        })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let x = cx.input(0)?;
        let text = Strings::of(&x)?.get(0).ok_or_else(|| invalid!("input {x} holds no string"))?;
        let words = Words(text);
        let count = words.iter().count();
        if count < self.size || self.size == 0 {
            let y = cx.resize_string_output(0, &[0], packed_bytes(0, 0).unwrap_or(0))?;
            return StringWriter::new(y.into_bytes(), 0)?.finish();
        }
        if self.size > MAX_SIZE {
            return Err(unsupported!("sequences of {} words; at most {MAX_SIZE} are supported", self.size));
        }
        let stack = cx.scratch(&self.words)?.as_chunks_mut().0;
        let (mut grams, mut bytes) = (0usize, 0usize);
        self.for_each(cx, words, count, stack, |gram| {
            grams += 1;
            bytes += gram.iter().map(|word| (word[2] - word[1]) as usize + 1).sum::<usize>() - 1;
            packed_bytes(grams, bytes).map(|_| ()).ok_or_else(|| invalid!("the sequences do not fit 2 GiB"))
        })?;
        let total = packed_bytes(grams, bytes).unwrap_or(0);
        let y = cx.resize_string_output(0, &[grams as i32], total)?;
        let mut writer = StringWriter::new(y.into_bytes(), grams)?;
        self.for_each(cx, words, count, stack, |gram| {
            let blank = |i| if i == 0 { &b""[..] } else { b" " };
            let parts = gram.iter().enumerate();
            writer
                .push_parts(parts.flat_map(|(i, word)| [blank(i), &text[word[1] as usize..word[2] as usize]]))
        })?;
        writer.finish()
    }
}

impl SkipGram {
    /// Calls `f(sequence)` for each sequence; a word is its number, its start and its end.
    fn for_each(
        &self,
        cx: &EvalContext<'_>,
        words: Words<'_>,
        count: usize,
        stack: &mut [[u64; FIELDS]],
        mut f: impl FnMut(&[[u64; FIELDS]]) -> Result<()>,
    ) -> Result<()> {
        let mut pace = Pace::new(cx);
        let first = words.after(0).map_or([0; FIELDS], |(begin, end)| [0, begin as u64, end as u64]);
        stack.fill(first);
        // Words 0..depth are a sequence. The next step replaces the word at `depth` by the one after it.
        let mut depth = 1;
        loop {
            pace.ahead(16)?;
            if depth < self.size && self.may_step(&stack[..=depth], count) {
                let [number, _, end] = stack[depth];
                let (begin, next_end) = words.after(end as usize + 1).unwrap_or_default();
                pace.ahead(next_end.saturating_sub(end as usize))?;
                stack[depth] = [number + 1, begin as u64, next_end as u64];
                depth += 1;
                if depth < self.size {
                    stack[depth] = stack[depth - 1];
                }
                continue;
            }
            if depth == self.size || (self.all && depth > 0) {
                pace.ahead(depth)?;
                f(&stack[..depth])?;
            }
            match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return Ok(()),
            }
        }
    }

    /// Whether the last word of the stack may be replaced by the next one.
    fn may_step(&self, stack: &[[u64; FIELDS]], count: usize) -> bool {
        let [before @ .., last] = stack else { return false };
        let distance = before.last().map_or(0, |word| last[0] - word[0]);
        last[0] + 1 < count as u64 && (before.is_empty() || distance as i64 <= i64::from(self.max_skip))
    }
}

#[derive(Clone, Copy)]
struct Words<'a>(&'a [u8]);

impl<'a> Words<'a> {
    fn iter(self) -> impl Iterator<Item = (usize, usize)> + 'a {
        let mut from = 0;
        core::iter::from_fn(move || {
            let (begin, end) = self.after(from)?;
            from = end + 1;
            Some((begin, end))
        })
    }

    /// The start and the end of the first word at or after a position.
    fn after(self, mut from: usize) -> Option<(usize, usize)> {
        let text = self.0;
        for i in from.max(1)..text.len() {
            if is_space(text[i]) {
                if i > from && !is_space(text[from]) {
                    return Some((from, i));
                }
                from = i + 1;
            }
        }
        (from < text.len()).then_some((from, text.len()))
    }
}

/// The same characters as C's `isspace`.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn node(size: i32, max_skip: i32, all: bool, text: &str) -> OpTest<SkipGram> {
        let options = move |o: arenite_abi::testing::OptionsBuilder<SkipGramOptions>| {
            o.set(SkipGramOptions::NGRAM_SIZE, size)
                .set(SkipGramOptions::MAX_SKIP_SIZE, max_skip)
                .set(SkipGramOptions::INCLUDE_ALL_NGRAMS, all)
        };
        OpTest::new().options(options).input(Tensor::strings(&[1], &[text])).output(Spec::string())
    }

    fn run(size: i32, max_skip: i32, all: bool, text: &str) -> Vec<String> {
        node(size, max_skip, all, text).run().unwrap()[0].as_strings()
    }

    #[test]
    fn sequences() {
        let text = "The quick\t brown fox\n ";
        assert_eq!(run(2, 0, false, text), ["The quick", "quick brown", "brown fox"]);
        let skipping = ["The quick", "The brown", "quick brown", "quick fox", "brown fox"];
        assert_eq!(run(2, 1, false, text), skipping);
        let all = ["a b c", "a b", "a c", "a", "b c", "b", "c"];
        assert_eq!(run(3, 1, true, "a b c"), all);
        assert_eq!(run(3, 1, false, "a b c"), ["a b c"]);
        assert_eq!(run(1, 0, false, "a"), ["a"]);
    }

    #[test]
    fn unusual_texts_and_sizes() {
        for (size, text) in [(2, "one"), (1, ""), (-1, "a b"), (0, "a b"), (i32::MAX, "a b")] {
            let y = node(size, 1, true, text).run().unwrap().remove(0);
            assert_eq!((y.shape(), y.as_strings()), (&[0][..], vec![]), "{size} {text:?}");
        }
        assert_eq!(run(1, 0, false, " ab c d"), ["c", "d"]);
        assert_eq!(run(1, 0, false, " "), [" "]);
        assert_eq!(run(2, -1, true, "a b"), ["a", "b"]);
    }

    #[test]
    fn refusals() {
        let none = OpTest::<SkipGram>::new().input(Tensor::strings::<&str>(&[0], &[])).output(Spec::string());
        assert_eq!(none.run().unwrap_err().message(), "input 'in0' is [0]; a string is needed");
        let long = "a ".repeat(1 << 17);
        let error = node(1 << 17, 0, false, &long).run().unwrap_err();
        assert_eq!(error.message(), "sequences of 131072 words; at most 65536 are supported");
    }
}
