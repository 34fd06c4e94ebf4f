//! Serde adaptor: a BSON document as canonical MongoDB Extended JSON, for formats that have no BSON types.

use bson::{Bson, Document};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::Value;

pub(super) fn serialize<S: Serializer>(document: &Document, serializer: S) -> Result<S::Ok, S::Error> {
    Bson::Document(document.clone())
        .into_canonical_extjson()
        .serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Document, D::Error> {
    match Bson::try_from(Value::deserialize(deserializer)?) {
        Ok(Bson::Document(document)) => Ok(document),
        Ok(other) => Err(D::Error::custom(format!("expected a document, found {other}"))),
        Err(error) => Err(D::Error::custom(error)),
    }
}

#[cfg(test)]
mod tests {
    use bson::{DateTime, doc};

    use crate::client::StatusPair;

    #[test]
    fn number_types_survive_json() {
        let before = doc! { "small": 1_i64, "int": 2_i32, "real": 3.0, "when": DateTime::from_millis(5), "deep": { "list": [1_i64] } };
        let pair = StatusPair {
            before,
            after: doc! {},
            end: doc! { "big": i64::MAX },
        };
        let json = serde_json::to_string(&pair).unwrap();
        assert_eq!(serde_json::from_str::<StatusPair>(&json).unwrap(), pair);
    }
}
