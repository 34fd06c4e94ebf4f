use bson::{Document, doc};
use proptest::prelude::*;

use super::*;

fn raw(document: &Document) -> RawDocumentBuf {
    RawDocumentBuf::try_from(document).unwrap()
}

fn apply(document: &Document, update: &Document) -> Result<Option<Document>, CommandError> {
    let update = raw(update);
    let changed = Change::parse(RawBsonRef::Document(&update))?.apply(&raw(document))?;
    Ok(changed.map(|changed| Document::try_from(changed).unwrap()))
}

fn inserted(query: &Document, update: &Document) -> Result<Document, CommandError> {
    let update = raw(update);
    let document = Change::parse(RawBsonRef::Document(&update))?.insert(&raw(query))?;
    Ok(Document::try_from(document).unwrap())
}

#[test]
fn fields_are_replaced_in_place_and_added_last() {
    let document = doc! { "_id": 1, "a": 1, "b": "x" };
    let changed = apply(&document, &doc! { "$set": { "d": 1, "c": true, "a": 2 } });
    assert_eq!(
        changed,
        Ok(Some(doc! { "_id": 1, "a": 2, "b": "x", "c": true, "d": 1 }))
    );
}

#[test]
fn operators_change_what_their_paths_lead_to() {
    let document = || doc! { "_id": 1, "n": 5, "in": { "x": 1, "y": 2 }, "l": [1, 2, 3], "s": "x" };
    let with = |name: &str, value: bson::Bson| {
        let mut document = document();
        document.insert(name, value);
        document
    };
    for (update, expected) in [
        (doc! { "$inc": { "n": 2 } }, with("n", 7.into())),
        (
            doc! { "$inc": { "n": i32::MAX } },
            with("n", (5 + i64::from(i32::MAX)).into()),
        ),
        (doc! { "$inc": { "n": 0.5 } }, with("n", 5.5.into())),
        (doc! { "$inc": { "new": 3_i64 } }, with("new", 3_i64.into())),
        (doc! { "$mul": { "n": 2, "new": 4 } }, {
            let mut document = with("n", 10.into());
            document.insert("new", 0);
            document
        }),
        (doc! { "$min": { "n": 4 } }, with("n", 4.into())),
        (doc! { "$max": { "n": "text" } }, with("n", "text".into())),
        (doc! { "$push": { "l": 4 } }, with("l", vec![1, 2, 3, 4].into())),
        (
            doc! { "$push": { "new": { "a": 1 } } },
            with("new", bson::Bson::Array(vec![doc! { "a": 1 }.into()])),
        ),
        (
            doc! { "$push": { "l": { "$each": [4, 5], "$slice": -2 } } },
            with("l", vec![4, 5].into()),
        ),
        (
            doc! { "$push": { "l": { "$each": [4], "$slice": 2 } } },
            with("l", vec![1, 2].into()),
        ),
        (
            doc! { "$addToSet": { "l": { "$each": [2, 4, 4] } } },
            with("l", vec![1, 2, 3, 4].into()),
        ),
        (
            doc! { "$pull": { "l": { "$gte": 2 } } },
            with("l", vec![1].into()),
        ),
        (doc! { "$pull": { "l": 2 } }, with("l", vec![1, 3].into())),
        (
            doc! { "$set": { "in.x": 9, "in.z": 1 } },
            with("in", doc! { "x": 9, "y": 2, "z": 1 }.into()),
        ),
        (
            doc! { "$set": { "new.a.b": 1 } },
            with("new", doc! { "a": { "b": 1 } }.into()),
        ),
        (doc! { "$set": { "l.1": 0 } }, with("l", vec![1, 0, 3].into())),
        (
            doc! { "$unset": { "in.x": "" } },
            with("in", doc! { "y": 2 }.into()),
        ),
        (
            doc! { "$set": { "l.4": 5 } },
            with(
                "l",
                bson::Bson::Array(vec![1.into(), 2.into(), 3.into(), bson::Bson::Null, 5.into()]),
            ),
        ),
        (doc! { "n": 1 }, doc! { "_id": 1, "n": 1 }),
        (doc! {}, doc! { "_id": 1 }),
    ] {
        assert_eq!(apply(&document(), &update), Ok(Some(expected)), "{update}");
    }
    let mut without = document();
    without.remove("n");
    assert_eq!(
        apply(&document(), &doc! { "$unset": { "n": 1, "none": 1 } }),
        Ok(Some(without))
    );
}

#[test]
fn nothing_to_change_is_told_apart() {
    let document = doc! { "_id": 1, "a": 1, "l": [1] };
    for update in [
        doc! { "$set": { "a": 1, "_id": 1 } },
        doc! { "$set": {} },
        doc! { "$unset": { "none": 1, "a.b": 1 } },
        doc! { "$min": { "a": 1 } },
        doc! { "$addToSet": { "l": 1 } },
        doc! { "$pull": { "none": 1 } },
        doc! { "$setOnInsert": { "b": 1 } },
        doc! { "a": 1, "l": [1] },
    ] {
        assert_eq!(apply(&document, &update), Ok(None), "{update}");
    }
}

#[test]
fn what_cannot_be_done_is_refused_with_mongodb_s_codes() {
    let document = doc! { "_id": 1, "n": 1, "s": "x", "l": [1], "big": i64::MAX };
    for (update, code) in [
        (doc! { "$frob": { "a": 1 } }, 9),
        (doc! { "a": 1, "$set": { "b": 1 } }, 9),
        (doc! { "$set": 1 }, 9),
        (doc! { "$set": { "_id": 2 } }, 66),
        (doc! { "$unset": { "_id": 1 } }, 66),
        (doc! { "_id": 2 }, 66),
        (doc! { "$set": { "a": 1 }, "$inc": { "a": 1 } }, 40),
        (doc! { "$set": { "a": 1, "a.b": 1 } }, 40),
        (doc! { "$set": { "s.x": 1 } }, 28),
        (doc! { "$set": { "l.x": 1 } }, 28),
        (doc! { "$set": { "": 1 } }, 2),
        (doc! { "$set": { "l.$": 1 } }, 2),
        (doc! { "$set": { "l.999999999": 1 } }, 2),
        (doc! { "$inc": { "s": 1 } }, 14),
        (doc! { "$inc": { "n": "1" } }, 14),
        (doc! { "$inc": { "big": 1 } }, 2),
        (doc! { "$push": { "n": 1 } }, 2),
        (doc! { "$push": { "l": { "$each": [1], "$sort": 1 } } }, 2),
        (doc! { "$push": { "l": { "$each": 1 } } }, 14),
    ] {
        let error = apply(&document, &update).unwrap_err();
        assert_eq!(error.code, code, "{update}: {error}");
    }
}

#[test]
fn an_upsert_inserts_what_the_query_says() {
    let query =
        doc! { "_id": 1, "a.b": 2, "c": { "$gt": 1 }, "$and": [{ "d": { "$eq": 3 } }], "$or": [{ "e": 1 }] };
    assert_eq!(
        inserted(
            &query,
            &doc! { "$inc": { "n": 1 }, "$setOnInsert": { "new": true } }
        ),
        Ok(doc! { "_id": 1, "a": { "b": 2 }, "d": 3, "n": 1, "new": true })
    );
    assert_eq!(inserted(&query, &doc! { "x": 1 }), Ok(doc! { "_id": 1, "x": 1 }));
    assert_eq!(
        inserted(&doc! { "a": 1 }, &doc! { "$set": { "_id": 7 } }),
        Ok(doc! { "a": 1, "_id": 7 })
    );
    assert_eq!(inserted(&query, &doc! { "_id": 2 }).unwrap_err().code, 66);
}

proptest! {
    #[test]
    fn setting_twice_changes_once(fields in proptest::collection::btree_map("[a-d]{1,2}(\\.[a-d]){0,2}", 0..3_i32, 0..5)) {
        let set: Document = fields.iter().map(|(path, value)| (path.clone(), (*value).into())).collect();
        let update = doc! { "$set": set };
        let document = doc! { "_id": 1, "a": { "b": 1 } };
        if let Ok(Some(changed)) = apply(&document, &update) {
            prop_assert_eq!(apply(&changed, &update), Ok(None));
        }
    }
}
