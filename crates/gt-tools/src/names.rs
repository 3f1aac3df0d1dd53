//! Names of a log as numbers, in the order in which they are first seen. A log may be anybody's:
//! how many names there are, and how long they are, has an end.

use std::collections::HashMap;

/// So many names are told apart, if nothing else is said.
const MOST: u16 = 1 << 12;
/// Of a name so many letters are kept.
const MOST_LETTERS: usize = 128;
/// What all further ones are called.
const OTHERS: &str = "others";

/// Names, and the number of each.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    /// The names by their numbers.
    pub(crate) list: Vec<String>,
    numbers: HashMap<String, u16>,
    most: u16,
}

impl Default for Names {
    fn default() -> Self {
        Names::with_room(MOST)
    }
}

impl Names {
    /// Tells so many names apart.
    pub(crate) fn with_room(most: u16) -> Self {
        Names { list: Vec::new(), numbers: HashMap::new(), most }
    }

    /// The number of a name. The last number is that of all names for which there is no room.
    pub(crate) fn number(&mut self, name: &str) -> u16 {
        let name = name.char_indices().nth(MOST_LETTERS).map_or(name, |(end, _)| &name[..end]);
        if let Some(&known) = self.numbers.get(name) {
            return known;
        }
        let number = u16::try_from(self.list.len()).unwrap_or(u16::MAX).min(self.most - 1);
        if number + 1 < self.most {
            self.numbers.insert(name.to_string(), number);
            self.list.push(name.to_string());
        } else if self.list.len() < self.most as usize {
            self.list.push(OTHERS.to_string());
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_numbers_until_there_is_no_room() {
        let mut names = Names::with_room(4);
        let numbers: Vec<u16> = ["a", "b", "a", "c", "d", "e", "b"].map(|n| names.number(n)).into();
        assert_eq!(numbers, [0, 1, 0, 2, 3, 3, 1]);
        assert_eq!(names.list, ["a", "b", "c", "others"]);
        let long = "é".repeat(1000);
        let mut names = Names::default();
        assert_eq!((names.number(&long), names.number(&long)), (0, 0));
        assert_eq!(names.list[0].chars().count(), MOST_LETTERS);
    }
}
