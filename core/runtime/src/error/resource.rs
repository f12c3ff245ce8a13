//! The resources that a quota can limit.

use std::fmt;

/// A resource that a [`Quota`](crate::Quota) can limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resource {
    /// [`Quota::bytes`](crate::Quota::bytes).
    Bytes,
    /// [`Quota::device_bytes`](crate::Quota::device_bytes).
    DeviceBytes,
    /// [`Quota::time`](crate::Quota::time).
    Time,
    /// [`Quota::nodes`](crate::Quota::nodes).
    Nodes,
    /// [`Quota::depth`](crate::Quota::depth).
    Depth,
    /// [`Quota::calls`](crate::Quota::calls).
    Calls,
}

impl Resource {
    /// The unit of its amounts.
    pub fn unit(self) -> &'static str {
        match self {
            Resource::Bytes | Resource::DeviceBytes => "bytes",
            Resource::Time => "milliseconds",
            Resource::Nodes => "nodes",
            Resource::Depth => "levels",
            Resource::Calls => "calls",
        }
    }
}

impl fmt::Display for Resource {
    /// Its key in `[quota]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Resource::Bytes => "bytes",
            Resource::DeviceBytes => "device_bytes",
            Resource::Time => "time",
            Resource::Nodes => "nodes",
            Resource::Depth => "depth",
            Resource::Calls => "calls",
        })
    }
}
