/// Text that can stand in an element or in a quoted attribute without being taken for markup.
///
/// Control characters, which no kernel name or note needs, become visible replacements: some of them are not
/// allowed in a document at all.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(character),
            control if control.is_control() => escaped.push(char::REPLACEMENT_CHARACTER),
            plain => escaped.push(plain),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn markup_becomes_text() {
        assert_eq!(
            escape("<b a='1'>\"&amp;\u{0}</b>"),
            "&lt;b a=&#39;1&#39;&gt;&quot;&amp;amp;\u{fffd}&lt;/b&gt;"
        );
    }

    proptest! {
        #[test]
        fn nothing_that_opens_or_closes_markup_is_left(text in ".*") {
            prop_assert!(!escape(&text).contains(['<', '>', '"', '\'']));
        }
    }
}
