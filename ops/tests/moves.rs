//! Compares ops that move elements, on random shapes and attributes, with straightforward formulas for the input
//! coordinate of each output coordinate.

use arenite_abi::prelude::*;
use arenite_abi::schema::{GatherOptions, SplitVOptions, StridedSliceOptions};
use arenite_abi::testing::{OpTest, Spec, Tensor};
use arenite_ops::gather::Gather;
use arenite_ops::pad::Pad;
use arenite_ops::reverse_v2::ReverseV2;
use arenite_ops::slice::Slice;
use arenite_ops::split_v::SplitV;
use arenite_ops::strided_slice::StridedSlice;
use arenite_ops::tile::Tile;
use arenite_ops::transpose::Transpose;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// The random choices of a case. When they run out, every choice is the smallest.
#[derive(Debug)]
struct Dice(std::vec::IntoIter<u32>);

impl Dice {
    /// A number from `from` to `to`.
    fn roll(&mut self, from: i32, to: i32) -> i32 {
        let sides = i64::from(to) - i64::from(from) + 1;
        from + (i64::from(self.0.next().unwrap_or(0)) % sides) as i32
    }

    fn flip(&mut self) -> bool {
        self.roll(0, 1) == 1
    }

    /// One to four axes of zero to four elements, rarely an empty one.
    fn shape(&mut self) -> Vec<i32> {
        let rank = self.roll(1, 4);
        (0..rank).map(|_| if self.roll(0, 15) == 15 { 0 } else { self.roll(1, 4) }).collect()
    }
}

fn dice() -> impl Strategy<Value = Dice> {
    prop::collection::vec(any::<u32>(), 64).prop_map(|rolls| Dice(rolls.into_iter()))
}

/// All coordinates of a shape; the last axis varies fastest.
fn coordinates(shape: &[i32]) -> Vec<Vec<i32>> {
    shape.iter().fold(vec![vec![]], |all, &size| {
        let more = |begin: Vec<i32>| (0..size).map(move |i| [&begin[..], &[i]].concat());
        all.into_iter().flat_map(more).collect()
    })
}

/// A shape, and labels of its elements: 1, 2, … for elements of the input, 0 for others.
#[derive(Clone, Debug, PartialEq)]
struct Labels {
    shape: Vec<i32>,
    elements: Vec<i64>,
}

/// The output of this shape whose element at each coordinate is the input's element at `from(coordinate)`.
fn moved(x: &[i32], shape: &[i32], from: impl Fn(&[i32]) -> Option<Vec<i32>>) -> Labels {
    let label = |at: Vec<i32>| {
        let Some(at) = from(&at) else { return 0 };
        assert!(
            at.len() == x.len() && at.iter().zip(x).all(|(at, size)| (0..*size).contains(at)),
            "{at:?} of {x:?}"
        );
        1 + at.iter().zip(x).fold(0, |before, (&at, &size)| before * i64::from(size) + i64::from(at))
    };
    Labels { shape: shape.to_vec(), elements: coordinates(shape).into_iter().map(label).collect() }
}

/// Runs a node on an input of this shape, with elements of 1, 4 and 8 bytes.
fn agree<T: Op>(
    x: &[i32],
    node: impl Fn(OpTest<T>, Tensor) -> OpTest<T>,
    want: &[Labels],
) -> Result<(), TestCaseError> {
    let labels: Vec<i64> = (1..=coordinates(x).len() as i64).collect();
    let bytes: Vec<i8> = labels.iter().map(|&label| label as i8).collect();
    let ints: Vec<i32> = labels.iter().map(|&label| label as i32).collect();
    for x in [Tensor::i8(x, &bytes), Tensor::i32(x, &ints), Tensor::i64(x, &labels)] {
        let ty = x.ty();
        let test = want.iter().fold(node(OpTest::new(), x), |test, _| test.output(Spec::of(ty)));
        let outputs = test.run().map_err(|error| TestCaseError::fail(error.message().to_owned()))?;
        for (y, want) in outputs.iter().zip(want) {
            let elements: Vec<i64> = match ty {
                I8 => y.as_i8().iter().map(|&label| i64::from(label as u8)).collect(),
                I32 => y.as_i32().iter().map(|&label| label.into()).collect(),
                _ => y.as_i64(),
            };
            // 256 labels and 0 do not fit one byte.
            let wraps = |label: &i64| if ty == I8 { label & 0xff } else { *label };
            prop_assert_eq!(y.shape(), &want.shape[..]);
            prop_assert_eq!(elements, want.elements.iter().map(wraps).collect::<Vec<_>>());
        }
    }
    Ok(())
}

/// Adds a list as a constant, or as an input that is known only in `eval`.
fn list<T: Op>(test: OpTest<T>, known: bool, values: &[i32]) -> OpTest<T> {
    argument(test, known, Tensor::i32(&[values.len() as i32], values))
}

fn argument<T: Op>(test: OpTest<T>, known: bool, tensor: Tensor) -> OpTest<T> {
    if known { test.constant(tensor) } else { test.input(tensor) }
}

/// The meaning of one entry of STRIDED_SLICE's lists.
#[derive(Clone, Copy)]
enum Entry {
    /// `begin:end:stride`, where either end may be omitted.
    Range {
        begin: Option<i32>,
        end: Option<i32>,
        stride: i32,
    },
    /// A single element.
    Index(i32),
    /// This many whole axes.
    Ellipsis(usize),
    NewAxis,
}

impl Entry {
    fn for_axis(dice: &mut Dice, size: i32) -> Entry {
        if size > 0 && dice.roll(0, 3) == 0 {
            return Entry::Index(dice.roll(-size, size - 1));
        }
        let stride = dice.roll(1, 3) * if dice.flip() { 1 } else { -1 };
        let mut position = || dice.flip().then(|| dice.roll(-6, 6));
        Entry::Range { begin: position(), end: position(), stride }
    }

    /// The positions in Python's `range(size)[begin:end:stride]`.
    fn positions(self, size: i32) -> Vec<i32> {
        match self {
            Entry::Range { begin, end, stride } => {
                let all: Vec<i32> = if stride > 0 { (0..size).collect() } else { (0..size).rev().collect() };
                let from_end = |position: i32| if position < 0 { position + size } else { position };
                let reached = |at: i32, limit: i32| if stride > 0 { at >= limit } else { at <= limit };
                let inside = all.into_iter().filter(|&at| {
                    begin.is_none_or(|begin| reached(at, from_end(begin)))
                        && end.is_none_or(|end| !reached(at, from_end(end)))
                });
                inside.step_by(stride.unsigned_abs() as usize).collect()
            }
            Entry::Index(at) => vec![if at < 0 { at + size } else { at }],
            Entry::Ellipsis(_) | Entry::NewAxis => (0..size).collect(),
        }
    }
}

/// Entries for some or all axes of the input.
fn entries(dice: &mut Dice, x: &[i32]) -> Vec<Entry> {
    let (mut entries, mut axis, mut has_ellipsis) = (Vec::new(), 0, false);
    while axis < x.len() && dice.roll(0, 7) != 0 {
        match dice.roll(0, 5) {
            0 => entries.push(Entry::NewAxis),
            1 if !has_ellipsis => {
                let count = dice.roll(1, (x.len() - axis) as i32) as usize;
                (has_ellipsis, axis) = (true, axis + count);
                entries.push(Entry::Ellipsis(count));
            }
            _ => {
                entries.push(Entry::for_axis(dice, x[axis]));
                axis += 1;
            }
        }
        if entries.len() == 8 {
            break;
        }
    }
    // An ellipsis covers all axes that the other entries leave.
    if let (true, Some(Entry::Ellipsis(count))) =
        (has_ellipsis, entries.iter_mut().find(|entry| matches!(entry, Entry::Ellipsis(_))))
    {
        *count += x.len() - axis;
    }
    entries
}

/// The lists and the five masks for these entries. Numbers that a mask disables are random.
fn written(dice: &mut Dice, entries: &[Entry]) -> ([Vec<i32>; 3], [i32; 5]) {
    let mut lists = [vec![], vec![], vec![]];
    let mut masks = [0; 5];
    for (i, &entry) in entries.iter().enumerate() {
        let noise = [dice.roll(-9, 9), dice.roll(-9, 9), dice.roll(1, 9)];
        let ([begin, end, stride], bits) = match entry {
            Entry::Range { begin, end, stride } => (
                [begin.unwrap_or(noise[0]), end.unwrap_or(noise[1]), stride],
                [begin.is_none(), end.is_none(), false, false, false],
            ),
            Entry::Index(at) => ([at, noise[1], noise[2]], [false, dice.flip(), false, false, true]),
            Entry::Ellipsis(_) => (noise, [dice.flip(), dice.flip(), true, dice.flip(), dice.flip()]),
            Entry::NewAxis => (noise, [dice.flip(), dice.flip(), false, true, dice.flip()]),
        };
        lists.iter_mut().zip([begin, end, stride]).for_each(|(list, value)| list.push(value));
        masks.iter_mut().zip(bits).for_each(|(mask, bit)| *mask |= i32::from(bit) << i);
    }
    (lists, masks)
}

/// Positions along an axis of the input, and the output axis that they are on, if there is one.
type Positions = (Vec<i32>, Option<usize>);

/// The output's shape, and the positions along each of the input's axes.
fn sliced(x: &[i32], entries: &[Entry]) -> (Vec<i32>, Vec<Positions>) {
    let (mut shape, mut axes) = (Vec::new(), Vec::new());
    let whole = std::iter::repeat(&Entry::Ellipsis(1));
    for entry in entries.iter().chain(whole) {
        let count = match entry {
            Entry::NewAxis => {
                shape.push(1);
                continue;
            }
            Entry::Ellipsis(count) => *count,
            _ => 1,
        };
        for _ in 0..count {
            let Some(&size) = x.get(axes.len()) else { return (shape, axes) };
            let positions = entry.positions(size);
            if matches!(entry, Entry::Index(_)) {
                axes.push((positions, None));
            } else {
                shape.push(positions.len() as i32);
                axes.push((positions, Some(shape.len() - 1)));
            }
        }
    }
    (shape, axes)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 128,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x61_7265_6e69_7465),
        ..ProptestConfig::default()
    })]

    #[test]
    fn slice(mut dice in dice()) {
        let x = dice.shape();
        let begin: Vec<i32> = x.iter().map(|&size| dice.roll(0, size)).collect();
        let left: Vec<i32> = x.iter().zip(&begin).map(|(size, begin)| size - begin).collect();
        let shape: Vec<i32> = left.iter().map(|&left| dice.roll(0, left)).collect();
        let size: Vec<i32> =
            shape.iter().zip(&left).map(|(&count, &left)| if count == left && dice.flip() { -1 } else { count }).collect();
        let want = moved(&x, &shape, |at| Some(at.iter().zip(&begin).map(|(at, begin)| at + begin).collect()));
        let known = dice.flip();
        agree::<Slice>(&x, |test, x| list(list(test.input(x), known, &begin), known, &size), &[want])?;
    }

    #[test]
    fn strided_slice(mut dice in dice()) {
        let x = dice.shape();
        let entries = entries(&mut dice, &x);
        let (shape, axes) = sliced(&x, &entries);
        prop_assume!(shape.len() <= 8);
        let (lists, masks) = written(&mut dice, &entries);
        let want = moved(&x, &shape, |at| {
            let position = |(positions, axis): &Positions| positions[axis.map_or(0, |axis| at[axis] as usize)];
            Some(axes.iter().map(position).collect())
        });
        let known = dice.flip();
        let node = |test: OpTest<StridedSlice>, x| {
            let test = lists.iter().fold(test.input(x), |test, values| list(test, known, values));
            test.options(|o| {
                o.set(StridedSliceOptions::BEGIN_MASK, masks[0])
                    .set(StridedSliceOptions::END_MASK, masks[1])
                    .set(StridedSliceOptions::ELLIPSIS_MASK, masks[2])
                    .set(StridedSliceOptions::NEW_AXIS_MASK, masks[3])
                    .set(StridedSliceOptions::SHRINK_AXIS_MASK, masks[4])
            })
        };
        agree(&x, node, &[want])?;
    }

    #[test]
    fn transpose(mut dice in dice()) {
        let x = dice.shape();
        let mut perm: Vec<i32> = (0..x.len() as i32).collect();
        (1..perm.len()).for_each(|i| perm.swap(i, dice.roll(0, i as i32) as usize));
        let shape: Vec<i32> = perm.iter().map(|&axis| x[axis as usize]).collect();
        let want = moved(&x, &shape, |at| {
            let of = |axis: i32| at[perm.iter().position(|&p| p == axis).expect("each axis exists")];
            Some((0..x.len() as i32).map(of).collect())
        });
        let known = dice.flip();
        agree::<Transpose>(&x, |test, x| list(test.input(x), known, &perm), &[want])?;
    }

    #[test]
    fn pad(mut dice in dice()) {
        let x = dice.shape();
        let paddings: Vec<[i32; 2]> = x.iter().map(|_| [dice.roll(0, 2), dice.roll(0, 2)]).collect();
        let shape: Vec<i32> = x.iter().zip(&paddings).map(|(size, [before, after])| size + before + after).collect();
        let want = moved(&x, &shape, |at| {
            let from: Vec<i32> = at.iter().zip(&paddings).map(|(at, [before, _])| at - before).collect();
            from.iter().zip(&x).all(|(at, size)| (0..*size).contains(at)).then_some(from)
        });
        let list = Tensor::i32(&[x.len() as i32, 2], &paddings.concat());
        let known = dice.flip();
        agree::<Pad>(&x, |test, x| argument(test.input(x), known, list.clone()), &[want])?;
    }

    #[test]
    fn tile(mut dice in dice()) {
        let x = dice.shape();
        let multiples: Vec<i32> = x.iter().map(|_| if dice.roll(0, 15) == 15 { 0 } else { dice.roll(1, 3) }).collect();
        let shape: Vec<i32> = x.iter().zip(&multiples).map(|(size, count)| size * count).collect();
        let want = moved(&x, &shape, |at| Some(at.iter().zip(&x).map(|(at, size)| at % size).collect()));
        let known = dice.flip();
        agree::<Tile>(&x, |test, x| list(test.input(x), known, &multiples), &[want])?;
    }

    #[test]
    fn reverse_v2(mut dice in dice()) {
        let x = dice.shape();
        let turned: Vec<bool> = x.iter().map(|_| dice.flip()).collect();
        let rank = x.len() as i32;
        let mut axes: Vec<i32> = (0..rank).filter(|&axis| turned[axis as usize]).collect();
        axes.iter_mut().for_each(|axis| *axis -= if dice.flip() { rank } else { 0 });
        (1..axes.len()).for_each(|i| axes.swap(i, dice.roll(0, i as i32) as usize));
        let want = moved(&x, &x, |at| {
            let back = |axis: usize| if turned[axis] { x[axis] - 1 - at[axis] } else { at[axis] };
            Some((0..x.len()).map(back).collect())
        });
        let known = dice.flip();
        agree::<ReverseV2>(&x, |test, x| list(test.input(x), known, &axes), &[want])?;
    }

    #[test]
    fn gather(mut dice in dice()) {
        let x = dice.shape();
        let axis = dice.roll(0, x.len() as i32 - 1) as usize;
        let batch = dice.roll(0, axis as i32) as usize;
        let mut shape: Vec<i32> = x[..batch].to_vec();
        let most = if x[axis] == 0 { 0 } else { 3 };
        shape.extend((0..dice.roll(i32::from(most == 0), 2)).map(|_| dice.roll(0, most)));
        let all = coordinates(&shape);
        let indices: Vec<i32> = all.iter().map(|_| dice.roll(0, x[axis] - 1)).collect();
        let output = [&x[..axis], &shape[batch..], &x[axis + 1..]].concat();
        let want = moved(&x, &output, |at| {
            let named = shape.len() - batch;
            let index = [&at[..batch], &at[axis..axis + named]].concat();
            let position = all.iter().position(|coordinate| *coordinate == index).expect("an index");
            Some([&at[..axis], &[indices[position]], &at[axis + named..]].concat())
        });
        let tensor = Tensor::i32(&shape, &indices);
        let sign = if dice.flip() { x.len() as i32 } else { 0 };
        let known = dice.flip();
        let node = |test: OpTest<Gather>, x| {
            let test = argument(test.input(x), known, tensor.clone());
            test.options(|o| {
                o.set(GatherOptions::AXIS, axis as i32 - sign).set(GatherOptions::BATCH_DIMS, batch as i32)
            })
        };
        agree(&x, node, &[want])?;
    }

    #[test]
    fn split_v(mut dice in dice()) {
        let x = dice.shape();
        let axis = dice.roll(0, x.len() as i32 - 1) as usize;
        let (mut sizes, mut left) = (Vec::new(), x[axis]);
        for _ in 0..dice.roll(0, 3) {
            sizes.push(dice.roll(0, left));
            left -= sizes[sizes.len() - 1];
        }
        sizes.push(left);
        let mut begin = 0;
        let part = |&size: &i32| {
            let (first, mut shape) = (begin, x.clone());
            begin += size;
            shape[axis] = size;
            moved(&x, &shape, |at| {
                let mut from = at.to_vec();
                from[axis] += first;
                Some(from)
            })
        };
        let want: Vec<Labels> = sizes.iter().map(part).collect();
        let open = dice.roll(0, sizes.len() as i32) as usize;
        if let Some(size) = sizes.get_mut(open) {
            *size = -1;
        }
        let known = dice.flip();
        let node = |test: OpTest<SplitV>, x| {
            let test = list(list(test.input(x), known, &sizes), known, &[axis as i32]);
            test.options(|o| o.set(SplitVOptions::NUM_SPLITS, sizes.len() as i32))
        };
        agree(&x, node, &want)?;
    }
}
