//! What is kept of all that was seen.

use std::collections::BTreeMap;

use super::calls::Made;
use super::notices::Notices;
use super::objects::Objects;
use super::reconciles::Reconciles;
use super::ring::Ring;
use crate::page::line::Line;
use crate::page::news::{About, Permissions, Process};

/// All of it; each part is bounded.
#[derive(Debug, Default)]
pub struct Kept {
    /// When the first of all was seen.
    pub begin: u64,
    pub about: About,
    pub process: Process,
    pub permissions: Permissions,
    pub figures: Ring<(u64, BTreeMap<String, f64>)>,
    pub lines: Ring<(u64, Line)>,
    pub calls: Ring<Made>,
    pub notices: Notices,
    pub objects: Objects,
    pub reconciles: Reconciles,
}
