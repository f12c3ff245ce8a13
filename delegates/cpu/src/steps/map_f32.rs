//! Functions of `f32` elements as steps.

use std::mem::MaybeUninit;

use arenite_abi::prelude::*;
use arenite_layers::{Clamp, Id, Loops};

use super::post::{self, Bounds, Post};
use super::together::Together;
use crate::kernels::f32_map::{Binary, Map};
use crate::memory::Shared;
use crate::program::{Run, Step};

/// Elements that one thread does at a time: 16 KiB of them.
const CHUNK: usize = 4096;

/// Functions of one tensor, one after the other.
pub struct ChainMap {
    /// The kernels.
    pub map: &'static Map,
    /// What to do, at most [`MAX_POSTS`](super::post::MAX_POSTS).
    pub posts: Vec<Post>,
    /// Number of elements.
    pub len: usize,
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
}

impl Step for ChainMap {
    fn name(&self) -> &'static str {
        "elementwise"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let x = Shared::new(cx.place::<f32>(self.input));
        let y = Shared::new(cx.place::<f32>(self.output));
        let posts = post::bind(&self.posts, cx);
        cx.parallel_for(self.len.div_ceil(CHUNK), 2, |range| {
            for chunk in range {
                let at = chunk * CHUNK;
                let n = CHUNK.min(self.len - at);
                let mut from = x.get();
                for post in posts.iter() {
                    // SAFETY: both tensors have `len` elements, and each chunk is one thread's.
                    unsafe { post.apply(self.map, from, y.get(), at, n) };
                    from = y.get();
                }
            }
        })
    }

    fn in_place(&self, id: Id) -> bool {
        // Other operands are read after the first function has written.
        id == self.input && !self.posts.iter().any(|post| post.operand() == Some(id))
    }
}

/// A function of two tensors.
pub struct BinaryMap {
    /// The kernels.
    pub map: &'static Map,
    /// The function.
    pub op: Binary,
    /// Over all results.
    pub loops: Loops<2>,
    /// The range of results.
    pub clamp: Clamp,
    /// What follows.
    pub posts: Vec<Post>,
    /// Read.
    pub inputs: [Id; 2],
    /// Written.
    pub output: Id,
}

/// Elements of short runs that are taken together: 2 KiB of them.
const ROOM: usize = 512;

impl BinaryMap {
    /// Computes `n` results, from the one at `at` on.
    ///
    /// # Safety
    /// The operands are readable for `n` elements, or, if they do not move, for one; nobody else touches these results.
    unsafe fn span(
        &self,
        (at, n): (usize, usize),
        [a, b]: [*const f32; 2],
        output: *mut f32,
        posts: &Bounds,
    ) {
        // SAFETY: an operand that does not move is read once, others for `n` elements; results are this call's, and operands of what
        // follows are as long as the results.
        unsafe {
            let y = output.add(at);
            match self.loops.moves {
                [true, true] => self.map.binary(self.op)(n, a, b, y),
                [true, false] => self.map.with_scalar(self.op)(n, a, *b, y),
                [false, _] => self.map.with_scalar(self.op.swapped())(n, b, *a, y),
            }
            if self.clamp != Clamp::NONE {
                (self.map.clamp)(n, y, self.clamp.low, self.clamp.high, y);
            }
            posts.apply(self.map, output, (at, 0), (1, n));
        }
    }

    /// # Safety
    /// The tensors have the shapes of the loops; nobody else touches these results.
    unsafe fn part(
        &self,
        run: usize,
        part: std::ops::Range<usize>,
        [a, b]: [*const f32; 2],
        y: *mut f32,
        posts: &Bounds,
    ) {
        let l = &self.loops;
        let at = l.starts(run);
        // SAFETY: inside the tensors, by the loops' construction.
        unsafe {
            let a = a.add(at[0] + if l.moves[0] { part.start } else { 0 });
            let b = b.add(at[1] + if l.moves[1] { part.start } else { 0 });
            self.span((run * l.run + part.start, part.len()), [a, b], y, posts);
        }
    }
}

impl Step for BinaryMap {
    fn name(&self) -> &'static str {
        "broadcast"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let [a, b] = self.inputs.map(|id| Shared::new(cx.place::<f32>(id)));
        let y = Shared::new(cx.place::<f32>(self.output));
        let (run, posts) = (self.loops.run, post::bind(&self.posts, cx));
        if let Some(together) = Together::new(&self.loops, ROOM) {
            return cx.parallel_for(together.pieces(&self.loops), (2 * CHUNK / ROOM).max(1), |range| {
                let mut room = [const { MaybeUninit::uninit() }; ROOM];
                // SAFETY: the host's tensors have the shapes that the step was built for; each piece is one thread's.
                unsafe {
                    let operands = [a.get().cast_const(), b.get()];
                    together.for_each(&self.loops, range, operands, &mut room, |results, operands| {
                        self.span((results.start, results.len()), operands, y.get(), &posts);
                    });
                }
            });
        }
        let runs = self.loops.runs();
        let parts = run.div_ceil(CHUNK);
        let grain = (2 * CHUNK / run.min(CHUNK)).max(1);
        cx.parallel_for(runs * parts, grain, |range| {
            for item in range {
                let (number, part) = (item / parts, item % parts);
                let part = part * CHUNK..((part + 1) * CHUNK).min(run);
                // SAFETY: the host's tensors have the shapes that the step was built for; each part is one thread's.
                unsafe { self.part(number, part, [a.get(), b.get()], y.get(), &posts) };
            }
        })
    }

    fn in_place(&self, id: Id) -> bool {
        // Operands of what follows are read after the function has written.
        (0..2).all(|i| self.inputs[i] != id || self.loops.covers(i))
            && !self.posts.iter().any(|post| post.operand() == Some(id))
    }
}
