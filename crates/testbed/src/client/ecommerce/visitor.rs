use rand::{RngExt, rngs::Xoshiro256PlusPlus};
use scenario::Operation;

use super::{
    commands::{Command, OrderId},
    documents::categories,
};
use crate::client::ycsb::Scrambled;

/// Shares of the operations, in percent.
const SHARES: [(Operation, u32); 5] = [
    (Operation::FindOneProduct, 60),
    (Operation::ListByCategory, 15),
    (Operation::AddToCart, 12),
    (Operation::GetCart, 8),
    (Operation::PlaceOrder, 5),
];

/// Most pieces of a product that are bought at a time.
const MOST_PIECES: i32 = 3;

/// One request of an operation.
#[derive(Clone, Copy, Debug)]
pub(in crate::client) struct Step {
    pub(in crate::client) operation: Operation,
    pub(in crate::client) command: Command,
    /// Whether the operation is over with it.
    pub(in crate::client) is_last: bool,
}

/// The endless sequence of one connection's operations, for one visitor after the other.
#[derive(Debug)]
pub(in crate::client) struct Visitor {
    random: Xoshiro256PlusPlus,
    products: Scrambled,
    number_of_products: u64,
    /// What is left of the operation under way, the next one last.
    rest: Vec<Step>,
}

impl Visitor {
    /// A sequence over so many products and carts, at least one, that depends on nothing but its arguments.
    pub(in crate::client) fn new(random: Xoshiro256PlusPlus, products: u64) -> Self {
        Self {
            random,
            products: Scrambled::new(products),
            number_of_products: products,
            rest: Vec::new(),
        }
    }

    pub(in crate::client) fn next(&mut self) -> Step {
        if let Some(step) = self.rest.pop() {
            return step;
        }
        let operation = self.operation();
        let product = self.products.next(&mut self.random);
        let user = self.random.random_range(0..self.number_of_products);
        let command = match operation {
            Operation::ListByCategory => Command::ListCategory {
                category: product % categories(self.number_of_products),
            },
            Operation::GetCart => Command::GetCart { user },
            Operation::AddToCart => Command::AddToCart {
                user,
                product,
                pieces: self.pieces(),
            },
            Operation::PlaceOrder => return self.place_order(user, product),
            _ => Command::FindProduct { product },
        };
        Step {
            operation,
            command,
            is_last: true,
        }
    }

    /// Gives up what is left of the operation under way.
    pub(in crate::client) fn leave_rest(&mut self) {
        self.rest.clear();
    }

    fn operation(&mut self) -> Operation {
        let mut drawn = self.random.random_range(0..100);
        for (operation, share) in SHARES {
            if drawn < share {
                return operation;
            }
            drawn -= share;
        }
        Operation::FindOneProduct
    }

    fn pieces(&mut self) -> i32 {
        self.random.random_range(1..=MOST_PIECES)
    }

    fn place_order(&mut self, user: u64, product: u64) -> Step {
        let pieces = self.pieces();
        let step = |command, is_last| Step {
            operation: Operation::PlaceOrder,
            command,
            is_last,
        };
        self.rest = vec![
            step(Command::EmptyCart { user }, true),
            step(Command::TakeFromStock { product, pieces }, false),
        ];
        let id = OrderId(self.random.random());
        step(
            Command::Order {
                id,
                user,
                product,
                pieces,
            },
            false,
        )
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::client::ycsb::Generators;

    fn visitor(seed: u64) -> Visitor {
        Visitor::new(Generators::new(seed).next(), 1000)
    }

    #[test]
    fn a_sequence_depends_on_the_seed_alone() {
        let sequence = |seed| {
            let mut visitor = visitor(seed);
            (0..200)
                .map(|_| format!("{:?}", visitor.next()))
                .collect::<Vec<_>>()
        };
        assert_eq!(sequence(1), sequence(1));
        assert_ne!(sequence(1), sequence(2));
    }

    #[test]
    fn operations_have_their_shares_and_orders_three_steps() {
        let mut visitor = visitor(3);
        let mut counts = BTreeMap::new();
        let (mut steps, mut of_orders) = (0_u32, 0_u32);
        while steps < 50_000 {
            let step = visitor.next();
            steps += 1;
            of_orders += u32::from(step.operation == Operation::PlaceOrder);
            *counts.entry(step.operation).or_insert(0_u32) += u32::from(step.is_last);
        }
        let all: u32 = counts.values().sum();
        for (operation, share) in SHARES {
            let percent = f64::from(counts[&operation]) * 100.0 / f64::from(all);
            assert!((percent - f64::from(share)).abs() < 1.5, "{operation}: {percent}");
        }
        let orders = counts[&Operation::PlaceOrder];
        assert!(of_orders.abs_diff(3 * orders) <= 2);
    }

    #[test]
    fn what_is_left_of_an_operation_can_be_given_up() {
        let mut visitor = visitor(4);
        while visitor.next().is_last {}
        visitor.leave_rest();
        assert!(visitor.rest.is_empty());
        let next = visitor.next();
        assert!(next.is_last || matches!(next.command, Command::Order { .. }));
    }
}
