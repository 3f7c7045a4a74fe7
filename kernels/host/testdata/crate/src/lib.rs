//! A host that loads kernels, once as it should be and once with each mistake.
pub mod right;
pub mod wrong;
