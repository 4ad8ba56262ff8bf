//! Numbers as they are printed in tables, compared with exact ones.

/// Whether an exact fraction is the printed number, rounded or cut off at the last digit that is printed. The number is
/// written like `22`, `901,134`, `3.7e8`, `0.0765` or `98.36%`; anything else agrees with nothing.
pub fn agrees(printed: &str, [numerator, denominator]: [u128; 2]) -> bool {
    let Some((digits, exponent)) = parse(printed) else { return false };
    // ours = q * 10^exponent + rest, in integers.
    let scale = 10u128.checked_pow(exponent.unsigned_abs());
    let scaled = match (scale, exponent >= 0) {
        (Some(scale), true) => denominator.checked_mul(scale).map(|below| (numerator, below)),
        (Some(scale), false) => numerator.checked_mul(scale).map(|above| (above, denominator)),
        (None, _) => None,
    };
    let Some((above, below @ 1..)) = scaled else { return false };
    let (cut, rest) = (above / below, above % below);
    // Cut off, which is also rounded down; or rounded up.
    digits == cut || (rest >= below - rest && digits == cut + 1)
}

/// All printed digits as one number, and the power of ten by which it is multiplied.
fn parse(printed: &str) -> Option<(u128, i32)> {
    let number = printed.trim_end_matches('%').replace(',', "");
    let (mantissa, power) = match number.split_once('e') {
        Some((mantissa, power)) => (mantissa, power.parse::<i32>().ok()?),
        None => (number.as_str(), 0),
    };
    let (whole, decimals) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{decimals}");
    let all_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let exponent = power - i32::try_from(decimals.len()).ok()?;
    all_digits.then(|| digits.parse().ok()).flatten().map(|digits| (digits, exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_agree_rounded_or_cut_off_at_the_last_digit_only() {
        let agree = |printed: &str, count: u128| agrees(printed, [count, 1]);
        assert!(agree("22", 22) && !agree("22", 23) && agree("901,134", 901_134));
        assert!(agree("3.7e8", 370_593_513) && !agree("3.7e8", 380_593_513));
        // Cut off, and rounded up.
        assert!(agree("3.2e8", 325_321_458) && agree("3.3e8", 325_321_458) && !agree("3.1e8", 325_321_458));
        assert!(!agree("3.4e8", 325_321_458));
        assert!(agree("1.51722e7", 15_172_224) && !agree("1.51721e7", 15_172_224));
        assert!(agree("1.0e8", 100_908_346) && agree("2e6", 2_057_133) && !agree("3e6", 2_057_133));
        // As far as the digits go, and no digit less.
        assert!(
            !agree("3.70e8", 378_000_000) && !agree("3.7e9", 370_593_513) && !agree("", 0) && !agree("x", 0)
        );
    }

    #[test]
    fn fractions_agree_too() {
        assert!(agrees("35.29%", [100 * 12, 34]) && !agrees("35.30%", [100 * 12, 34]));
        assert!(agrees("0.4622", [46_219, 100_000]) && agrees("0.4621", [46_219, 100_000]));
        assert!(!agrees("0.4623", [46_219, 100_000]) && agrees("1.13", [113, 100]));
        assert!(agrees("2.23e-5", [223, 10_000_000]) && !agrees("2.24e-5", [223, 10_000_000]));
        assert!(!agrees("0.5", [1, 0]));
    }

    /// Every number of three digits against all fractions around it, by plain floating point far from the edges.
    #[test]
    fn agrees_with_plain_arithmetic_away_from_the_edges() {
        for thousandths in 0u128..5_000 {
            for printed in 0u128..500 {
                let text = format!("{}.{:02}", printed / 100, printed % 100);
                let cut = thousandths / 10 == printed;
                let up = thousandths % 10 >= 5 && thousandths / 10 + 1 == printed;
                assert_eq!(agrees(&text, [thousandths, 1000]), cut || up, "{text} {thousandths}");
            }
        }
    }
}
