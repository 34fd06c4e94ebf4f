use std::ops::Range;

use bson::{RawDocumentBuf, rawdoc};
use rand::{Rng, RngExt, SeedableRng, distr::Alphanumeric, rngs::Xoshiro256PlusPlus};

/// Length of a product's description, so that its document has 2 to 4 KB.
const DESCRIPTION: Range<usize> = 1_900..3_900;

/// Products of a category.
const PER_CATEGORY: u64 = 50;

/// How many categories a shop has: its products are in them by turns.
pub(super) fn categories(products: u64) -> u64 {
    products.div_ceil(PER_CATEGORY)
}

/// A number as drivers store it.
pub(super) fn id(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The products `numbers` of a shop of `all`. They depend on these and the seed alone.
pub(in crate::client) fn product_batch(numbers: Range<u64>, all: u64, seed: u64) -> Vec<RawDocumentBuf> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_add(numbers.start));
    numbers
        .map(|number| product(number, categories(all), &mut random))
        .collect()
}

fn product(number: u64, categories: u64, random: &mut impl Rng) -> RawDocumentBuf {
    let length = random.random_range(DESCRIPTION);
    let description: String = random
        .sample_iter(Alphanumeric)
        .take(length)
        .map(char::from)
        .collect();
    rawdoc! {
        "_id": id(number),
        "sku": format!("SKU-{number:08}"),
        "name": format!("Product {number}"),
        "category": id(number % categories),
        "price": f64::from(random.random_range(99..100_000)) / 100.0,
        "stock": 1_000_000,
        "sold": 0,
        "description": description,
    }
}

/// The carts of the users `numbers`, with nothing in them.
pub(in crate::client) fn cart_batch(numbers: Range<u64>) -> Vec<RawDocumentBuf> {
    numbers
        .map(|number| rawdoc! { "_id": id(number), "pieces": 0, "items": [] })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_have_2_to_4_kb_and_categories_their_number_of_them() {
        let products = product_batch(0..1000, 1000, 1);
        let mut of_category = [0_u32; 20];
        for (number, product) in (0..).zip(&products) {
            assert!((2_000..=4_096).contains(&product.as_bytes().len()));
            assert_eq!(product.get_i64("_id").unwrap(), number);
            of_category[usize::try_from(product.get_i64("category").unwrap()).unwrap()] += 1;
        }
        assert_eq!(of_category, [50; 20]);
    }

    #[test]
    fn the_smallest_shop_has_a_category() {
        assert_eq!(categories(1), 1);
        assert_eq!(product_batch(0..1, 1, 1)[0].get_i64("category").unwrap(), 0);
    }
}
