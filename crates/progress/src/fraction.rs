//! Exact fractions; every operation is checked, so that an overflow ends the search instead of the truth.

/// A reduced fraction with a positive denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fraction {
    pub numerator: i128,
    pub denominator: i128,
}

pub fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

impl Fraction {
    pub const ZERO: Fraction = Fraction { numerator: 0, denominator: 1 };

    pub fn new(numerator: i128, denominator: i128) -> Option<Self> {
        let divisor = gcd(numerator, denominator);
        let sign = if denominator < 0 { -1 } else { 1 };
        (divisor != 0).then(|| Fraction {
            numerator: sign * numerator / divisor,
            denominator: sign * denominator / divisor,
        })
    }

    pub fn whole(n: i128) -> Self {
        Fraction { numerator: n, denominator: 1 }
    }

    pub fn is_zero(self) -> bool {
        self.numerator == 0
    }

    pub fn minus(self, other: Self) -> Option<Self> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        Self::new(left.checked_sub(right)?, self.denominator.checked_mul(other.denominator)?)
    }

    pub fn times(self, other: Self) -> Option<Self> {
        let numerator = self.numerator.checked_mul(other.numerator)?;
        Self::new(numerator, self.denominator.checked_mul(other.denominator)?)
    }

    pub fn over(self, other: Self) -> Option<Self> {
        let numerator = self.numerator.checked_mul(other.denominator)?;
        Self::new(numerator, self.denominator.checked_mul(other.numerator)?)
    }
}
