//! Requests without BSON building: whole messages, made once, into which each request's own bytes are written.

use std::iter;

use bson::raw::CStr;

use super::{
    commands::{self, Namespace},
    ecommerce::Shop,
    traffic::Request,
    ycsb::{self, FIELD_BYTES, FIELDS, Key, LONGEST_NUMBER, Value},
};

/// Where the number of a message stands in its header.
const REQUEST_ID_OFFSET: usize = 4;

/// One thread's templates. Lengths stand at many places of a message, so there is a template for each number of
/// digits that a key can have, and nothing but digits, field and value ever changes.
#[derive(Debug)]
pub(super) struct Templates {
    finds: Vec<Find>,
    updates: Vec<Update>,
    shop: Shop,
}

#[derive(Debug)]
struct Find {
    message: Vec<u8>,
    digits_at: usize,
}

#[derive(Debug)]
struct Update {
    message: Vec<u8>,
    digits_at: usize,
    field_digit_at: usize,
    value_at: usize,
}

impl Templates {
    pub(super) fn new(namespace: Namespace<'_>) -> Self {
        let lengths = 1..=LONGEST_NUMBER;
        Self {
            finds: lengths
                .clone()
                .map(|digits| Find::new(namespace, digits))
                .collect(),
            updates: lengths.map(|digits| Update::new(namespace, digits)).collect(),
            shop: Shop::new(namespace.database),
        }
    }

    /// The message that carries `request`, valid until the next call; empty for a key that cannot be.
    pub(super) fn fill(&mut self, request_id: i32, request: &Request) -> &[u8] {
        match request {
            Request::Record(ycsb::Request::Read { key }) => {
                let template = self.finds.get_mut(key.digits().len() - 1);
                template.map_or(&[], |template| template.fill(request_id, key))
            }
            Request::Record(ycsb::Request::Update { key, field, value }) => {
                let template = self.updates.get_mut(key.digits().len() - 1);
                template.map_or(&[], |template| template.fill(request_id, key, *field, value))
            }
            Request::Shop(step) => self.shop.encode(request_id, &step.command),
        }
    }
}

impl Find {
    fn new(namespace: Namespace<'_>, digits: usize) -> Self {
        let with = |digit| commands::find(0, namespace, &key_of(digit, digits));
        let message = with('0');
        Self {
            digits_at: first_difference(&message, &with('1')),
            message,
        }
    }

    fn fill(&mut self, request_id: i32, key: &Key) -> &[u8] {
        put(&mut self.message, REQUEST_ID_OFFSET, &request_id.to_le_bytes());
        put(&mut self.message, self.digits_at, key.digits());
        &self.message
    }
}

impl Update {
    fn new(namespace: Namespace<'_>, digits: usize) -> Self {
        let [field, other_field, ..] = FIELDS;
        let with = |digit, field: &CStr, byte| {
            commands::update(0, namespace, &key_of(digit, digits), field, &[byte; FIELD_BYTES])
        };
        let message = with('0', field, b'a');
        Self {
            digits_at: first_difference(&message, &with('1', field, b'a')),
            field_digit_at: first_difference(&message, &with('0', other_field, b'a')),
            value_at: first_difference(&message, &with('0', field, b'b')),
            message,
        }
    }

    fn fill(&mut self, request_id: i32, key: &Key, field: u8, value: &Value) -> &[u8] {
        put(&mut self.message, REQUEST_ID_OFFSET, &request_id.to_le_bytes());
        put(&mut self.message, self.digits_at, key.digits());
        put(&mut self.message, self.field_digit_at, &[b'0' + field]);
        put(&mut self.message, self.value_at, value);
        &self.message
    }
}

fn key_of(digit: char, digits: usize) -> String {
    Key::PREFIX.chars().chain(iter::repeat_n(digit, digits)).collect()
}

/// Where two messages that differ in one place do so: it needs no knowledge of the layout, so it cannot be wrong
/// about it.
fn first_difference(one: &[u8], other: &[u8]) -> usize {
    one.iter()
        .zip(other)
        .take_while(|(one, other)| one == other)
        .count()
}

fn put(message: &mut [u8], at: usize, bytes: &[u8]) {
    if let Some(place) = message.get_mut(at..at + bytes.len()) {
        place.copy_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::client::ycsb::{Generators, random_value};

    fn plain(request_id: i32, namespace: Namespace<'_>, request: &ycsb::Request) -> Vec<u8> {
        match request {
            ycsb::Request::Read { key } => commands::find(request_id, namespace, &key.to_string()),
            ycsb::Request::Update { key, field, value } => {
                let field = FIELDS[usize::from(*field)];
                commands::update(request_id, namespace, &key.to_string(), field, value)
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_template_gives_the_bytes_of_plain_encoding(
            database in "\\PC{1,12}",
            collection in "(user|[0-9]|field|a|\\PC){1,30}",
            requests in prop::collection::vec((any::<i32>(), any::<u64>(), prop::option::of(0_u8..10)), 1..8),
        ) {
            let namespace = Namespace { database: &database, collection: &collection };
            let mut templates = Templates::new(namespace);
            for (request_id, number, field) in requests {
                let key = Key::of(number);
                let value = random_value(&mut Generators::new(number).next());
                let request = field.map_or(ycsb::Request::Read { key }, |field| ycsb::Request::Update { key, field, value });
                prop_assert_eq!(templates.fill(request_id, &Request::Record(request)), plain(request_id, namespace, &request));
            }
        }
    }

    /// Nearly all hashes have 18 or 19 digits; other templates are tried on digits alone.
    #[test]
    fn there_is_a_template_for_each_number_of_digits() {
        let namespace = Namespace {
            database: "ycsb",
            collection: "usertable",
        };
        let templates = Templates::new(namespace);
        for (find, digits) in templates.finds.iter().zip(1..) {
            let mut message = find.message.clone();
            put(&mut message, find.digits_at, "7".repeat(digits).as_bytes());
            assert_eq!(message, commands::find(0, namespace, &key_of('7', digits)));
        }
        assert_eq!(templates.updates.len(), LONGEST_NUMBER);
    }
}
