//! Where the caller posts its job for the workers.
//!
//! ```text
//! caller   number ◄ odd    body, counts …    number ◄ even
//! worker   even?           body, counts …    the same number?   then the job is whole
//! ```

use std::ops::Range;
use std::ptr;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU16, AtomicU64, AtomicUsize, fence};

use super::job::{Body, Call, Job, LAST_JOB};

/// The latest job. All of it is in one cache line, so that a worker gets it at once.
#[repr(align(128))]
pub(super) struct Board {
    /// The job's number; odd while the job is being written.
    number: AtomicU64,
    /// A [`Call`], or null before the first job.
    call: AtomicPtr<()>,
    argument: AtomicPtr<()>,
    count: AtomicUsize,
    grain: AtomicUsize,
    chunks: AtomicU16,
    lanes: AtomicU16,
    helpers: AtomicU16,
    /// Whether the body panicked in any chunk.
    pub(super) panicked: AtomicBool,
}

impl Board {
    pub(super) const fn new() -> Board {
        Board {
            number: AtomicU64::new(0),
            call: AtomicPtr::new(ptr::null_mut()),
            argument: AtomicPtr::new(ptr::null_mut()),
            count: AtomicUsize::new(0),
            grain: AtomicUsize::new(1),
            chunks: AtomicU16::new(0),
            lanes: AtomicU16::new(1),
            helpers: AtomicU16::new(0),
            panicked: AtomicBool::new(false),
        }
    }

    /// The number of the next job, if there can be another one.
    pub(super) fn next_number(&self) -> Option<u64> {
        Some(self.number.load(Relaxed) + 2).filter(|&next| next <= LAST_JOB)
    }

    /// Posts a job for workers `1..=helpers`. Only the call that uses the pool may do this, after its previous job has
    /// ended.
    pub(super) fn post(&self, job: &Job, helpers: usize) {
        self.number.store(job.number - 1, Relaxed);
        fence(Release);
        self.call.store(job.body.call as *mut (), Relaxed);
        self.argument.store(job.body.argument.cast_mut(), Relaxed);
        self.count.store(job.count, Relaxed);
        self.grain.store(job.grain, Relaxed);
        self.chunks.store(job.chunks as u16, Relaxed);
        self.lanes.store(job.lanes as u16, Relaxed);
        self.helpers.store(helpers as u16, Relaxed);
        self.panicked.store(false, Relaxed);
        self.number.store(job.number, Release);
    }

    /// Whether there is a job after number `seen`.
    #[inline]
    pub(super) fn has_news(&self, seen: u64) -> bool {
        let number = self.number.load(Relaxed);
        number != seen && number.is_multiple_of(2)
    }

    /// The latest job and its number of helpers, unless the caller is writing it.
    pub(super) fn read(&self) -> Option<(Job, usize)> {
        let number = self.number.load(Acquire);
        let (call, argument) = (self.call.load(Relaxed), self.argument.load(Relaxed));
        let (count, grain) = (self.count.load(Relaxed), self.grain.load(Relaxed));
        let [chunks, lanes, helpers] =
            [&self.chunks, &self.lanes, &self.helpers].map(|field| usize::from(field.load(Relaxed)));
        fence(Acquire);
        if number != self.number.load(Relaxed) || !number.is_multiple_of(2) || call.is_null() {
            return None;
        }
        // SAFETY: only `post` writes another pointer than null, and that is a `Call`.
        let call = unsafe { std::mem::transmute::<*mut (), unsafe fn(*const (), Range<usize>)>(call) };
        let body = Body { call: call as Call, argument };
        Some((Job { number, body, count, grain, chunks, lanes }, helpers))
    }
}
