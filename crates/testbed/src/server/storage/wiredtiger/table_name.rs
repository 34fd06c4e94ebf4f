//! Names of tables, which are names of files: those of namespaces, with all but letters, digits, `.`, `_` and `-` as `%`
//! and two hexadecimal digits.

use crate::server::storage::StorageError;

/// WiredTiger has names of its own, none of which begins like this.
const PREFIX: &str = "c-";
/// What a file name may have (`NAME_MAX`, limits.h), less the ending `.wt`.
const MAX_BYTES: usize = 255 - 3;
/// MongoDB's code for a namespace that cannot be.
const INVALID_NAMESPACE: i32 = 73;

/// The table of a namespace.
pub(super) fn of(namespace: &str) -> Result<String, StorageError> {
    let name = namespace
        .bytes()
        .map(encoded)
        .fold(PREFIX.to_owned(), |name, part| name + &part);
    if namespace.is_empty() || name.len() > MAX_BYTES {
        let message = format!(
            "namespace of {} bytes: expected 1 to {}, of which all but letters, digits, '.', '_' and '-' count as 3",
            namespace.len(),
            MAX_BYTES - PREFIX.len()
        );
        return Err(StorageError::Refused {
            code: INVALID_NAMESPACE,
            message,
        });
    }
    Ok(name)
}

fn encoded(byte: u8) -> String {
    if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-') {
        char::from(byte).to_string()
    } else {
        format!("%{byte:02x}")
    }
}

/// The namespace of a table; none for a table that is no namespace's.
pub(super) fn namespace(name: &str) -> Option<String> {
    let mut parts = name.strip_prefix(PREFIX)?.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (code, rest) = part.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(code, 16).ok()?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_namespace_comes_back(text in "\\PC{1,20}") {
            let name = of(&text).unwrap();
            prop_assert!(name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'/'));
            prop_assert_eq!(namespace(&name), Some(text));
        }
    }

    #[test]
    fn names_that_are_no_file_names_are_refused() {
        assert!(of("").is_err());
        assert!(of(&"x".repeat(250)).is_ok());
        let error = of(&"x".repeat(251)).unwrap_err().to_string();
        assert!(
            error.starts_with("namespace of 251 bytes: expected 1 to 250"),
            "{error}"
        );
        assert!(of(&"/".repeat(84)).is_err());
    }

    #[test]
    fn other_tables_are_no_namespaces() {
        for name in ["WiredTigerLAS", "c-%", "c-%4", "c-%zz", "c-%ff"] {
            assert_eq!(namespace(name), None, "{name}");
        }
    }
}
