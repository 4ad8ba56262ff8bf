//! Positions as text that survives a query, a path and a history that is cut at colons, all without encoding.

/// Letters, digits and `- . _ ( )` as they are; `/` as `,`, a blank as `~`, and everything else by its number between
/// `~~` and `~`: a position has no two blanks one after the other.
pub fn safe(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '.' | '_' | '(' | ')' => safe.push(c),
            '/' => safe.push(','),
            ' ' => safe.push('~'),
            other => safe.push_str(&format!("~~{:x}~", u32::from(other))),
        }
    }
    safe
}

/// The text that [`safe`] has made this of.
pub fn unsafe_again(safe: &str) -> String {
    let mut text = String::with_capacity(safe.len());
    let mut rest = safe;
    while let Some(c) = rest.chars().next() {
        let escaped = rest.strip_prefix("~~").and_then(|after| after.split_once('~'));
        let number = escaped.and_then(|(hex, after)| Some((u32::from_str_radix(hex, 16).ok()?, after)));
        if let Some((c, after)) = number.and_then(|(n, after)| Some((char::from_u32(n)?, after))) {
            text.push(c);
            rest = after;
            continue;
        }
        text.push(match c {
            ',' => '/',
            '~' => ' ',
            other => other,
        });
        rest = &rest[c.len_utf8()..];
    }
    text
}

/// A move's name. One that the client would take for a button at some place of its board, such as `M_1_2`, is in
/// parentheses.
pub fn unlike_a_button(name: &str) -> String {
    let forms = ["A_", "M_", "L_", "T_", "LQ_", "LC_", "LA_"];
    if forms.iter().any(|form| name.starts_with(form)) { format!("({name})") } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_buttons() {
        assert_eq!(unlike_a_button("M_1_99"), "(M_1_99)");
        assert_eq!(unlike_a_button("LQ_ACR_1"), "(LQ_ACR_1)");
        assert_eq!(unlike_a_button("MOVE_1"), "MOVE_1");
    }

    #[test]
    fn every_text_comes_back() {
        let texts = [
            ".../.../... x",
            "(cell 1 1 b) (control x)",
            "(a+b ?c&d) (e#f 100%)",
            "(x,y z~w)",
            "(é:棋 \\u{202e})",
        ];
        for text in texts {
            let safe = safe(text);
            assert!(safe.chars().all(|c| c.is_ascii_alphanumeric() || "-._~,()".contains(c)), "{safe}");
            assert_eq!(unsafe_again(&safe), text);
        }
    }
}
