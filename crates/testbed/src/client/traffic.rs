use rand::rngs::Xoshiro256PlusPlus;
use scenario::{Mix, Operation};

use super::{
    ecommerce::{self, Visitor},
    reply::Expected,
    ycsb::{self, Operations},
};

/// The endless sequence of what one connection asks for.
#[derive(Debug)]
pub(super) enum Traffic {
    Ycsb(Operations),
    Shop(Visitor),
}

/// One request.
#[derive(Clone, Copy, Debug)]
pub(super) enum Request {
    /// An operation on one record.
    Record(ycsb::Request),
    /// A step of an operation on a shop.
    Shop(ecommerce::Step),
}

impl Traffic {
    /// A sequence over `records` records or products, at least one, that depends on nothing but its arguments.
    pub(super) fn new(random: Xoshiro256PlusPlus, records: u64, mix: Mix) -> Self {
        match mix {
            Mix::Ycsb { read_percent } => Self::Ycsb(Operations::new(random, records, read_percent)),
            Mix::Ecommerce => Self::Shop(Visitor::new(random, records)),
        }
    }

    pub(super) fn next(&mut self) -> Request {
        match self {
            Self::Ycsb(operations) => Request::Record(operations.next()),
            Self::Shop(visitor) => Request::Shop(visitor.next()),
        }
    }

    /// The operation under way is not completed: the next request begins another.
    pub(super) fn leave_rest(&mut self) {
        match self {
            Self::Ycsb(_) => {}
            Self::Shop(visitor) => visitor.leave_rest(),
        }
    }
}

impl Request {
    pub(super) fn operation(&self) -> Operation {
        match self {
            Self::Record(request) => request.operation(),
            Self::Shop(step) => step.operation,
        }
    }

    /// Whether its operation is over with it.
    pub(super) fn is_last(&self) -> bool {
        match self {
            Self::Record(_) => true,
            Self::Shop(step) => step.is_last,
        }
    }

    /// What the reply has to show.
    pub(super) fn expected(&self) -> Expected {
        match self {
            Self::Record(ycsb::Request::Read { .. }) => Expected::Document,
            Self::Record(ycsb::Request::Update { .. }) => Expected::OneChanged,
            Self::Shop(step) => step.command.expected(),
        }
    }
}
