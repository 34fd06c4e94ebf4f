//! What the collections of a workload hold before it begins.

use std::ops::Range;

use bson::{
    RawDocumentBuf,
    raw::{CStr, cstr},
};
use scenario::Mix;

use super::{
    commands::Namespace,
    ecommerce::{self, CARTS, ORDERS, PRODUCTS},
    plan::LoadPlan,
    ycsb,
};

/// One collection.
pub(super) struct Content<'a> {
    pub(super) namespace: Namespace<'a>,
    pub(super) documents: u64,
    /// Documents of one insert: some 100 to 300 kB.
    pub(super) batch: u64,
    /// Makes the documents of these numbers.
    pub(super) make: fn(Range<u64>, &LoadPlan) -> Vec<RawDocumentBuf>,
    /// A field with an index.
    pub(super) index: Option<&'static CStr>,
}

/// All collections of the plan's workload.
pub(super) fn contents(plan: &LoadPlan) -> Vec<Content<'_>> {
    let database = plan.database.as_str();
    let in_collection = |collection| Namespace { database, collection };
    match plan.mix {
        Mix::Ycsb { .. } => vec![Content {
            namespace: in_collection(&plan.collection),
            documents: plan.records,
            batch: 200,
            make: |numbers, plan| ycsb::record_batch(numbers, plan.seed),
            index: None,
        }],
        Mix::Ecommerce => vec![
            Content {
                namespace: in_collection(PRODUCTS),
                documents: plan.records,
                batch: 100,
                make: |numbers, plan| ecommerce::product_batch(numbers, plan.records, plan.seed),
                index: Some(cstr!("category")),
            },
            Content {
                namespace: in_collection(CARTS),
                documents: plan.records,
                batch: 1000,
                make: |numbers, _| ecommerce::cart_batch(numbers),
                index: None,
            },
            Content {
                namespace: in_collection(ORDERS),
                documents: 0,
                batch: 1,
                make: |_, _| Vec::new(),
                index: None,
            },
        ],
    }
}
