//! What a query asks for: which documents, in which order, and what of them.

mod filter;
mod matcher;
mod parse;
mod projection;
mod select;
mod sort;

use bson::{Bson, RawBson};

pub(super) use self::{
    filter::{Filter, key},
    matcher::Matcher,
    parse::has_operators,
    projection::Projection,
    select::{each, key_of},
    sort::{Sort, Sorted},
};
use super::error::CommandError;
use crate::server::storage::order;

/// A value as bytes that compare as the values do.
pub(super) fn key_bytes(value: &Bson) -> Result<Vec<u8>, CommandError> {
    let raw = RawBson::try_from(value.clone())?;
    Ok(order::encoded(raw.as_raw_bson_ref()))
}
