use bson::{RawDocumentBuf, oid::ObjectId, raw::CStr, rawdoc};

use super::documents::id;
use crate::{
    client::reply::Expected,
    wire::{Flags, Sequence, encode_msg},
};

/// The collection of the products.
pub(in crate::client) const PRODUCTS: &str = "products";
/// The collection of the carts, one for each user.
pub(in crate::client) const CARTS: &str = "carts";
/// The collection of the orders.
pub(in crate::client) const ORDERS: &str = "orders";

/// Products of a listing.
const LISTED: i32 = 20;

/// The `_id` of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::client) struct OrderId(pub(super) [u8; 12]);

/// What one request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::client) enum Command {
    FindProduct {
        product: u64,
    },
    ListCategory {
        category: u64,
    },
    GetCart {
        user: u64,
    },
    AddToCart {
        user: u64,
        product: u64,
        pieces: i32,
    },
    Order {
        id: OrderId,
        user: u64,
        product: u64,
        pieces: i32,
    },
    TakeFromStock {
        product: u64,
        pieces: i32,
    },
    EmptyCart {
        user: u64,
    },
}

impl Command {
    /// What the reply has to show.
    pub(in crate::client) fn expected(&self) -> Expected {
        match self {
            Self::FindProduct { .. } | Self::ListCategory { .. } | Self::GetCart { .. } => Expected::Document,
            Self::AddToCart { .. }
            | Self::Order { .. }
            | Self::TakeFromStock { .. }
            | Self::EmptyCart { .. } => Expected::OneChanged,
        }
    }
}

/// Encodes the requests of one thread.
#[derive(Debug)]
pub(in crate::client) struct Shop {
    database: String,
    message: Vec<u8>,
}

impl Shop {
    pub(in crate::client) fn new(database: &str) -> Self {
        Self {
            database: database.to_owned(),
            message: Vec::new(),
        }
    }

    /// The message that asks for `command`, valid until the next call.
    pub(in crate::client) fn encode(&mut self, request_id: i32, command: &Command) -> &[u8] {
        self.message.clear();
        match *command {
            Command::FindProduct { product } => self.find_one(request_id, PRODUCTS, product),
            Command::GetCart { user } => self.find_one(request_id, CARTS, user),
            Command::ListCategory { category } => {
                let body = rawdoc! {
                    "find": PRODUCTS,
                    "filter": { "category": id(category) },
                    "projection": { "name": 1, "price": 1 },
                    "limit": LISTED,
                    "$db": self.database.as_str(),
                };
                self.send(request_id, &body, &[]);
            }
            Command::AddToCart {
                user,
                product,
                pieces,
            } => {
                let change = rawdoc! {
                    "$push": { "items": { "product": id(product), "pieces": pieces } },
                    "$inc": { "pieces": pieces },
                };
                self.update_one(request_id, CARTS, user, &change);
            }
            Command::TakeFromStock { product, pieces } => {
                let change = rawdoc! { "$inc": { "stock": -pieces, "sold": pieces } };
                self.update_one(request_id, PRODUCTS, product, &change);
            }
            Command::EmptyCart { user } => {
                let change = rawdoc! { "$set": { "items": [], "pieces": 0 } };
                self.update_one(request_id, CARTS, user, &change);
            }
            Command::Order {
                id: OrderId(bytes),
                user,
                product,
                pieces,
            } => {
                let order = rawdoc! {
                    "_id": ObjectId::from_bytes(bytes),
                    "user": id(user),
                    "items": [{ "product": id(product), "pieces": pieces }],
                    "status": "placed",
                };
                let body = rawdoc! { "insert": ORDERS, "ordered": true, "$db": self.database.as_str() };
                self.send(request_id, &body, &[("documents", &order)]);
            }
        }
        &self.message
    }

    fn find_one(&mut self, request_id: i32, collection: &str, number: u64) {
        let body = rawdoc! {
            "find": collection,
            "filter": { "_id": id(number) },
            "limit": 1,
            "singleBatch": true,
            "$db": self.database.as_str(),
        };
        self.send(request_id, &body, &[]);
    }

    fn update_one(&mut self, request_id: i32, collection: &str, number: u64, change: &RawDocumentBuf) {
        let body = rawdoc! { "update": collection, "ordered": true, "$db": self.database.as_str() };
        let mut update = rawdoc! { "q": { "_id": id(number) } };
        update.append(U, change.clone());
        self.send(request_id, &body, &[("updates", &update)]);
    }

    fn send(&mut self, request_id: i32, body: &RawDocumentBuf, sequence: &[(&str, &RawDocumentBuf)]) {
        let sequences: Vec<_> = sequence
            .iter()
            .map(|&(name, document)| Sequence {
                name,
                documents: vec![document],
            })
            .collect();
        encode_msg(
            &mut self.message,
            request_id,
            0,
            Flags::default(),
            body,
            &sequences,
        );
    }
}

const U: &CStr = bson::raw::cstr!("u");
