//! Constants that are words.

use crate::syntax::ExprKind;

/// `0ud8_12`, `0b_1011`, `0sh4_f`: a sign, a base, a width, and digits; a number is none.
pub(super) fn word_constant(text: &str) -> Option<ExprKind> {
    let (head, digits) = text.strip_prefix('0')?.split_once('_')?;
    let signed = head.starts_with('s');
    let head = head.strip_prefix(['s', 'u']).unwrap_or(head);
    let (base, each) = match head.chars().next()?.to_ascii_lowercase() {
        'b' => (2, 1),
        'o' => (8, 3),
        'd' => (10, 0),
        'h' => (16, 4),
        _ => return None,
    };
    let digits: Vec<u32> =
        digits.chars().filter(|c| *c != '_').map(|c| c.to_digit(base)).collect::<Option<_>>()?;
    let width = match &head[1..] {
        "" => digits.len() * each,
        width => width.parse().ok()?,
    };
    if width == 0 || width > MOST_BITS || digits.is_empty() {
        return None;
    }
    let mut bits = vec![false; width];
    for digit in digits {
        let mut carry = digit;
        for bit in &mut bits {
            carry += u32::from(*bit) * base;
            *bit = carry & 1 == 1;
            carry >>= 1;
        }
        // What does not fit is no word of this width.
        if carry > 0 {
            return None;
        }
    }
    Some(ExprKind::Word(signed, bits))
}

/// The widest words.
pub(crate) const MOST_BITS: usize = 1024;
