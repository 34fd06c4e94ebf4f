//! A web shop: products that visitors look at, carts that they fill, orders that they place.
//!
//! The workload `ecommerce` of the original evaluation is not public; of it only the name `FindOneProduct` is known. This is
//! our own: point reads of documents of 2 to 4 KB, a listing by an index, and writes to three collections. Products are
//! chosen as YCSB chooses records (zipfian, spread over the keys), visitors uniformly.

mod commands;
mod documents;
mod visitor;

pub(super) use commands::{CARTS, ORDERS, PRODUCTS, Shop};
pub(super) use documents::{cart_batch, product_batch};
pub(super) use visitor::{Step, Visitor};
