//! Numbers as text, for lines that are written by the million: each is appended digit by digit,
//! because the machinery of formatting takes most of the time that a log costs.

/// Appends a number, with zeros in front up to a width.
pub(super) fn push_number(out: &mut String, number: u64, width: usize) {
    let mut digits = [b'0'; 20];
    let (mut at, mut rest) = (digits.len(), number);
    while rest > 0 || digits.len() - at < width.max(1) {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    out.push_str(std::str::from_utf8(&digits[at..]).expect("digits are text"));
}

/// Appends ` key=number`; the key has a space in front and the sign behind it.
pub(super) fn push_pair(out: &mut String, key: &str, number: u64) {
    out.push_str(key);
    push_number(out, number, 0);
}

/// Appends spaces until so many bytes follow `from`.
pub(super) fn pad(out: &mut String, from: usize, width: usize) {
    const SPACES: &str = "                                ";
    let written = out.len() - from;
    out.push_str(&SPACES[..width.saturating_sub(written).min(SPACES.len())]);
}

/// Appends a number of bytes for people, `117B` or `4.0KB`, in a column of this width.
pub(super) fn push_size(out: &mut String, bytes: u64, width: usize) {
    let mut text = String::new();
    if bytes < 1024 {
        push_number(&mut text, bytes, 0);
        text.push('B');
    } else {
        push_large(&mut text, bytes);
    }
    let from = out.len();
    pad(out, from, width.saturating_sub(text.len()));
    out.push_str(&text);
}

fn push_large(text: &mut String, bytes: u64) {
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
    let tenths = (whole + u128::from(rounds_up)) as u64;
    push_number(text, tenths / 10, 0);
    text.push('.');
    push_number(text, tenths % 10, 0);
    text.push_str(units[unit]);
}

/// A number of bytes as people write it.
pub fn size(bytes: u64) -> String {
    let mut text = String::new();
    push_size(&mut text, bytes, 0);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_standard_library() {
        for number in [0, 7, 10, 999, 1000, 12_345, u64::from(u32::MAX), u64::MAX] {
            for width in [0, 1, 4, 20] {
                let mut text = String::new();
                push_number(&mut text, number, width);
                assert_eq!(text, format!("{number:0width$}"));
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
