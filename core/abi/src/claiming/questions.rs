//! The questions, and their answers.

use crate::delegate::{Claims, PartitionView};
use crate::host::check;
use crate::raw::{
    ArClaimHostV1, ArHeader, ArPartitionV1, ArServerV1, ArStr, ROUND_REFUSED, SERVER_DELEGATE, SERVER_OP,
    strided,
};
use crate::{Result, unsupported};

/// The op or delegate that serves a node if the delegate that claims refuses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Server<'a> {
    /// The reference op that this plugin provides.
    Op(&'a str),
    /// This delegate: one that was asked before and has the node already, or one that is asked later and accepts it.
    Delegate(&'a str),
    /// Nothing: if this delegate refuses the node, the model does not run.
    Nothing,
}

impl<'a> Claims<'a> {
    /// The round of a node that the delegate refuses, for [`partitions`](Self::partitions).
    pub const REFUSED: u32 = ROUND_REFUSED;

    fn host(&self) -> Result<&'a ArClaimHostV1> {
        self.host.ok_or_else(|| unsupported!("this host answers no questions during claim"))
    }

    /// Accepts the node in a round. Partitions are formed round by round in ascending order: each has nodes of one
    /// round, and a later round sees earlier partitions as single nodes. [`accept`](Self::accept) is round 0.
    ///
    /// # Errors
    /// The host does not offer it.
    pub fn accept_in(&mut self, node: usize, round: u32) -> Result<()> {
        let host = self.host()?;
        // SAFETY: the arguments are plain values, and `with_host` requires that the function accepts this context.
        unsafe { (host.accept_in)(host.context, node, round) };
        Ok(())
    }

    /// The partitions that would result if node `i` was accepted in round `rounds[i]`, or refused if that is
    /// [`REFUSED`](Self::REFUSED). `rounds` has an entry for each node of the graph.
    ///
    /// The settings may still exclude nodes (`exclude_ops`) and partitions (`min_nodes`, `max_partitions`).
    ///
    /// # Errors
    /// `rounds` has another length, or the host does not offer it.
    pub fn partitions(&mut self, rounds: &[u32]) -> Result<impl ExactSizeIterator<Item = PartitionView<'_>>> {
        let host = self.host()?;
        let mut partitions: *const ArPartitionV1 = core::ptr::null();
        let (mut stride, mut count) = (0, 0);
        // SAFETY: the rounds are readable and the results writable during the call, and `with_host` requires that the
        // function accepts this context.
        check(unsafe {
            (host.partitions)(
                host.context,
                rounds.as_ptr(),
                rounds.len(),
                &mut partitions,
                &mut stride,
                &mut count,
            )
        })?;
        // SAFETY: the array has `count` structs with this stride, and is valid until the next call, which this borrow
        // of `self` excludes, or the end of `claim`, which `'a` does not outlive.
        Ok((0..count).map(move |i| unsafe { PartitionView::from_raw(strided(partitions, stride, i)) }))
    }

    /// The op or delegate that serves the node at position `node` if this delegate refuses it. To answer, the host may
    /// ask delegates that come later for their claims.
    ///
    /// # Errors
    /// The node does not exist, or the host does not offer it.
    pub fn server(&self, node: usize) -> Result<Server<'a>> {
        let host = self.host()?;
        let mut server =
            ArServerV1 { header: ArHeader::of::<ArServerV1>(), kind: 0, reserved: 0, name: ArStr::new("") };
        // SAFETY: the struct is writable and has its header, `with_host` requires that the function accepts this
        // context, and the name is valid until `claim` returns, which `'a` does not outlive.
        unsafe {
            check((host.server)(host.context, node, &mut server))?;
            Ok(match server.kind {
                SERVER_OP => Server::Op(server.name.as_str()),
                SERVER_DELEGATE => Server::Delegate(server.name.as_str()),
                _ => Server::Nothing,
            })
        }
    }
}
