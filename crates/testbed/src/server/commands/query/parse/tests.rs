use bson::{Bson, Document, RawDocumentBuf, doc};

use super::*;

fn parse(filter: &Document) -> Result<Matcher, CommandError> {
    Matcher::parse(&RawDocumentBuf::try_from(filter).unwrap())
}

fn matches(filter: &Document, document: &Document) -> bool {
    let document = RawDocumentBuf::try_from(document).unwrap();
    parse(filter).unwrap().matches(RawBsonRef::Document(&document))
}

#[test]
fn filters_match_as_documented() {
    let document = doc! {
        "_id": 1, "n": 5, "text": "b", "none": null, "list": [1, 5, 9], "empty": [],
        "inner": { "x": 1, "y": [{ "z": 1, "w": 1 }, { "z": 2, "w": 2 }] }, "nan": f64::NAN,
    };
    let matching = [
        doc! {},
        doc! { "n": 5.0, "text": "b" },
        doc! { "n": { "$gt": 4, "$lt": 6_i64 } },
        doc! { "n": { "$gte": 5, "$lte": 5 } },
        doc! { "n": { "$ne": 4 } },
        doc! { "absent": { "$ne": 4 } },
        doc! { "n": { "$in": [1, 5] } },
        doc! { "n": { "$nin": [1, 2] } },
        doc! { "absent": { "$nin": [1] } },
        doc! { "none": null },
        doc! { "absent": null },
        doc! { "absent": { "$in": [null] } },
        doc! { "absent": { "$gte": null } },
        doc! { "none": { "$exists": true } },
        doc! { "absent": { "$exists": false } },
        doc! { "list": 5 },
        doc! { "list": [1, 5, 9] },
        doc! { "list": { "$gt": 8 } },
        // Different elements may pass the two.
        doc! { "list": { "$gt": 5, "$lt": 2 } },
        doc! { "list": { "$all": [1, 9] } },
        doc! { "list": { "$size": 3 } },
        doc! { "list": { "$elemMatch": { "$gt": 4, "$lt": 6 } } },
        doc! { "list.1": 5 },
        doc! { "empty": [] },
        doc! { "inner.x": 1 },
        doc! { "inner.y.z": 2 },
        doc! { "inner.y": { "$elemMatch": { "z": 2, "w": 2 } } },
        doc! { "inner": { "x": 1, "y": [{ "z": 1, "w": 1 }, { "z": 2, "w": 2 }] } },
        doc! { "n": { "$not": { "$gt": 5 } } },
        doc! { "$or": [{ "n": 1 }, { "text": "b" }] },
        doc! { "$and": [{ "n": 5 }, { "text": "b" }], "_id": 1 },
        doc! { "$nor": [{ "n": 1 }, { "text": "a" }] },
        doc! { "n": { "$gt": Bson::MinKey } },
        doc! { "text": { "$lt": Bson::MaxKey } },
        doc! { "nan": f64::NAN },
        doc! { "nan": { "$gte": f64::NAN } },
    ];
    for filter in matching {
        assert!(matches(&filter, &document), "{filter}");
    }
    let other = [
        doc! { "n": 4 },
        doc! { "n": "5" },
        doc! { "n": { "$gt": 5 } },
        doc! { "n": { "$gt": "" } },
        doc! { "text": { "$gt": 0 } },
        doc! { "n": null },
        doc! { "n": { "$ne": 5 } },
        doc! { "list": { "$ne": 5 } },
        doc! { "list": { "$elemMatch": { "$gt": 5, "$lt": 9 } } },
        doc! { "list": { "$all": [] } },
        doc! { "list": { "$size": 2 } },
        doc! { "list": [1, 5] },
        doc! { "inner.y": { "$elemMatch": { "z": 2, "w": 1 } } },
        doc! { "inner": { "x": 1 } },
        doc! { "n": { "$exists": false } },
        doc! { "absent": { "$exists": true } },
        doc! { "$or": [{ "n": 1 }, { "text": "a" }] },
        doc! { "n": { "$not": { "$gt": 4 } } },
        doc! { "nan": { "$lt": 5 } },
        doc! { "n": { "$lt": f64::NAN } },
        doc! { "n": { "$in": [] } },
    ];
    for filter in other {
        assert!(!matches(&filter, &document), "{filter}");
    }
}

#[test]
fn what_is_not_understood_is_refused() {
    for filter in [
        doc! { "a": { "$near": 1 } },
        doc! { "$where": "true" },
        doc! { "$or": [] },
        doc! { "$or": { "a": 1 } },
        doc! { "$and": [1] },
        doc! { "a": { "$in": 1 } },
        doc! { "a": { "$not": 1 } },
        doc! { "a": { "$size": -1 } },
        doc! { "a": { "$gt": 1, "b": 2 } },
        doc! { "a": Bson::RegularExpression(bson::Regex {
            pattern: bson::raw::cstr!("x").into(),
            options: bson::raw::cstr!("").into(),
        }) },
    ] {
        let error = parse(&filter).unwrap_err();
        assert_eq!(error.code, 2, "{filter}: {error}");
    }
}
