//! Numbers as text, for lines that are written by the million: each is appended two digits at a
//! time, because the machinery of formatting takes most of the time that a log costs.

/// The numbers below a hundred, two digits each.
const PAIRS: [u8; 200] = {
    let mut pairs = [0; 200];
    let mut number = 0;
    while number < 100 {
        pairs[2 * number] = b'0' + (number / 10) as u8;
        pairs[2 * number + 1] = b'0' + (number % 10) as u8;
        number += 1;
    }
    pairs
};

/// A number as text.
pub(super) struct Digits {
    digits: [u8; 20],
    from: usize,
}

impl Digits {
    /// A number, with zeros in front up to a width.
    pub(super) fn of(number: u64, width: usize) -> Digits {
        let mut digits = [b'0'; 20];
        let (mut from, mut rest) = (digits.len(), number);
        while rest >= 100 {
            let pair = 2 * (rest % 100) as usize;
            rest /= 100;
            from -= 2;
            digits[from..from + 2].copy_from_slice(&PAIRS[pair..pair + 2]);
        }
        let pair = 2 * rest as usize;
        from -= 2;
        digits[from..from + 2].copy_from_slice(&PAIRS[pair..pair + 2]);
        from += usize::from(rest < 10);
        Digits { digits, from: from.min(digits.len() - width) }
    }

    /// Its letters.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.digits[self.from..]
    }
}

/// Appends a number, with zeros in front up to a width.
pub(super) fn push_number(out: &mut Vec<u8>, number: u64, width: usize) {
    out.extend_from_slice(Digits::of(number, width).as_bytes());
}

/// Appends ` key=number`; the key has a space in front and the sign behind it.
pub(super) fn push_pair(out: &mut Vec<u8>, key: &str, number: u64) {
    out.extend_from_slice(key.as_bytes());
    push_number(out, number, 0);
}

/// Appends spaces until so many bytes follow `from`.
pub(super) fn pad(out: &mut Vec<u8>, from: usize, width: usize) {
    const SPACES: &[u8] = b"                                ";
    let written = out.len() - from;
    out.extend_from_slice(&SPACES[..width.saturating_sub(written).min(SPACES.len())]);
}

/// Appends a number of bytes for people, `117B` or `4.0KB`, in a column of this width.
pub(super) fn push_size(out: &mut Vec<u8>, bytes: u64, width: usize) {
    if bytes >= 1024 {
        let text = large_size(bytes);
        pad(out, out.len(), width.saturating_sub(text.len()));
        out.extend_from_slice(text.as_bytes());
        return;
    }
    let digits = Digits::of(bytes, 0);
    pad(out, out.len(), width.saturating_sub(digits.as_bytes().len() + 1));
    out.extend_from_slice(digits.as_bytes());
    out.push(b'B');
}

fn large_size(bytes: u64) -> String {
    let units = ["KB", "MB", "GB", "TB", "PB", "EB"];
    let (bytes, mut unit) = (u128::from(bytes), 0);
    let size = |unit: usize| 1_u128 << (10 * (unit + 1));
    // From here on, one digit after the point would round up to the next unit.
    while bytes * 100 >= 102_395 * size(unit) && unit + 1 < units.len() {
        unit += 1;
    }
    let (whole, rest) = (bytes * 10 / size(unit), bytes * 10 % size(unit));
    // A half goes to the even side.
    let rounds_up = 2 * rest > size(unit) || (2 * rest == size(unit) && whole % 2 == 1);
    let tenths = whole + u128::from(rounds_up);
    format!("{}.{}{}", tenths / 10, tenths % 10, units[unit])
}

/// A number of bytes as people write it.
pub fn size(bytes: u64) -> String {
    if bytes < 1024 { format!("{bytes}B") } else { large_size(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_standard_library() {
        for number in [0, 7, 10, 99, 100, 999, 1000, 12_345, u64::from(u32::MAX), u64::MAX] {
            for width in [0, 1, 4, 20] {
                let mut text = Vec::new();
                push_number(&mut text, number, width);
                assert_eq!(String::from_utf8(text).unwrap(), format!("{number:0width$}"));
            }
        }
    }

    #[test]
    fn sizes_are_rounded_as_numbers_are() {
        for bytes in (1024..300_000).chain((0..60).map(|bit| 1024 + (1 << bit) * 3)) {
            let (mut value, mut unit) = (bytes as f64 / 1024.0, 0);
            while value >= 1023.95 {
                (value, unit) = (value / 1024.0, unit + 1);
            }
            let unit = ["KB", "MB", "GB", "TB", "PB", "EB"][unit];
            assert_eq!(size(bytes), format!("{value:.1}{unit}"));
        }
    }
}
