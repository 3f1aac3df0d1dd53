//! Names with wildcards, and names that are nearly the same.

use std::cmp::Reverse;

/// Whether a name is one that a pattern stands for: `*` is any text, dots included.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let Some(last) = pieces.next_back() else { return rest.is_empty() };
    for piece in pieces {
        let Some(found) = rest.find(piece) else { return false };
        rest = &rest[found + piece.len()..];
    }
    rest.ends_with(last)
}

/// How little a pattern says: how many wildcards it has, and then how short it is.
pub(super) fn generality(pattern: &str) -> (usize, Reverse<usize>) {
    (pattern.matches('*').count(), Reverse(pattern.len()))
}

/// ` (did you mean 'workers'?)` if one of the names is nearly the wrong one, or else nothing.
pub(super) fn did_you_mean<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let near = names.into_iter().map(|name| (distance(wrong, name), name));
    let near = near.filter(|&(distance, name)| distance <= 1 + name.chars().count() / 4);
    match near.min() {
        Some((_, name)) => format!(" (did you mean '{name}'?)"),
        None => String::new(),
    }
}

/// How many letters must be added, removed or exchanged to turn one name into the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, other) in b.iter().enumerate() {
            let exchanged = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = exchanged.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_text() {
        for (pattern, name) in [
            ("h.*.mlp", "h.0.mlp"),
            ("*.qkv.weight", "h.0.attn.qkv.weight"),
            ("*", ""),
            ("*", "weight"),
            ("a", "a"),
            ("a*a", "aa"),
            ("a*b*c", "abbc"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("h.*.mlp", "h.mlp"), ("a", "ab"), ("a*a", "a"), ("a*b*c", "acb"), ("*.w", "w")]
        {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn near_names_are_suggested_and_far_ones_are_not() {
        let names = ["forward_pass", "backward_pass", "axis"];
        assert_eq!(did_you_mean("forward_pas", names), " (did you mean 'forward_pass'?)");
        assert_eq!(did_you_mean("axes", names), " (did you mean 'axis'?)");
        assert_eq!(did_you_mean("hot_path", names), "");
    }
}
