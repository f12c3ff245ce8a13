//! What is done to the rows of a result while they are in the cache: a sum with another tensor, a clamp, a function.

use arenite_layers::Clamp;
pub use arenite_layers::EpilogueOp as Post;

use crate::kernels::f32_map::Map;
use crate::memory::Shared;
use crate::program::Run;

/// A row operation with its operand's address.
#[derive(Clone, Copy)]
pub struct Bound {
    post: Post,
    other: Shared<f32>,
}

/// Most operations in a row.
pub const MAX_POSTS: usize = 6;

/// Row operations with their operands' addresses.
pub struct Bounds {
    list: [Bound; MAX_POSTS],
    count: usize,
}

/// Looks up the operands of the first [`MAX_POSTS`] posts.
pub fn bind(posts: &[Post], cx: &Run<'_>) -> Bounds {
    let mut bounds = Bounds { list: [Bound::NONE; MAX_POSTS], count: posts.len().min(MAX_POSTS) };
    for (bound, &post) in bounds.list.iter_mut().zip(posts) {
        let other = post.operand().map_or(std::ptr::null_mut(), |id| cx.place(id));
        *bound = Bound { post, other: Shared::new(other) };
    }
    bounds
}

impl Bounds {
    /// No operations.
    pub const NONE: Bounds = Bounds { list: [Bound::NONE; MAX_POSTS], count: 0 };

    /// In the order in which they are applied.
    pub fn iter(&self) -> impl Iterator<Item = &Bound> {
        self.list[..self.count].iter()
    }

    /// `y[i] = f(y[i])` of each in turn, for runs of `n` elements: the first from `at` on, each `stride` behind the one before. `y`
    /// is the beginning of a tensor, of which the other elements need not be there.
    ///
    /// # Safety
    /// The runs are readable and writable, and nobody else touches them; operands are as long as the tensor, or a row.
    pub unsafe fn apply(
        &self,
        map: &Map,
        y: *mut f32,
        (at, stride): (usize, usize),
        (runs, n): (usize, usize),
    ) {
        for post in self.iter() {
            for run in 0..runs {
                // SAFETY: run number `run`, which the caller says is there; source and target are the same elements.
                unsafe { post.apply(map, y, y, at + run * stride, n) };
            }
        }
    }
}

impl Bound {
    /// Nothing.
    pub const NONE: Bound =
        Bound { post: Post::Clamp(Clamp::NONE), other: Shared::new(std::ptr::null_mut()) };

    /// `y[i] = f(x[i])` for `n` elements from `at` on; `x` and `y` are the beginnings of tensors, of which the other elements need
    /// not be there.
    ///
    /// # Safety
    /// Those elements are readable, those of `y` writable, and nobody else touches them; the operand is as long, or a row.
    pub unsafe fn apply(&self, map: &Map, x: *const f32, y: *mut f32, at: usize, n: usize) {
        // SAFETY: `n` elements from `at` on are the caller's; an operand of the result's shape has them at the same place, and of a row
        // no element beyond its `len` is read.
        unsafe {
            let (x, y) = (x.wrapping_add(at), y.wrapping_add(at));
            match self.post {
                Post::Binary(op, _) => map.binary(op)(n, x, self.other.get().add(at), y),
                Post::Row(op, _, len) => {
                    let (mut done, mut column) = (0, at % len);
                    while done < n {
                        let some = (len - column).min(n - done);
                        map.binary(op)(some, x.add(done), self.other.get().add(column), y.add(done));
                        (done, column) = (done + some, 0);
                    }
                }
                Post::Scalar(op, b) => map.with_scalar(op)(n, x, b, y),
                Post::Clamp(Clamp { low, high }) => (map.clamp)(n, x, low, high, y),
                Post::Unary(f) => map.unary(f)(n, x, y),
            }
        }
    }
}
