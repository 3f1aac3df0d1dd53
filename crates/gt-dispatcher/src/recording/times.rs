//! How long a worker took for commands that it has not said it is done with.

use std::collections::{BTreeMap, VecDeque};

use gt_core::event::Span;

/// So many are kept.
const MOST: usize = 1 << 16;

/// Spans by the position of their commands. Nearly all come in order and are asked for in order.
#[derive(Debug, Default)]
pub(super) struct Times {
    ordered: VecDeque<Span>,
    /// Those that came after a later command's.
    late: BTreeMap<u64, Span>,
}

impl Times {
    /// Keeps a span, with what is known of its command already.
    pub(super) fn add(&mut self, span: Span) {
        let has_room = self.ordered.len() + self.late.len() < MOST;
        if self.ordered.back().is_none_or(|last| last.position < span.position) {
            if has_room {
                self.ordered.push_back(span);
            }
        } else if let Ok(at) = self.ordered.binary_search_by_key(&span.position, |one| one.position)
        {
            join(&mut self.ordered[at], &span);
        } else if let Some(first) = self.late.get_mut(&span.position) {
            join(first, &span);
        } else if has_room {
            self.late.insert(span.position, span);
        }
    }

    /// Takes out the span of a command. Positions are asked for in order, and what lies before is
    /// forgotten.
    pub(super) fn take(&mut self, position: u64) -> Option<Span> {
        while self.ordered.front().is_some_and(|first| first.position < position) {
            self.ordered.pop_front();
        }
        if self.ordered.front().is_some_and(|first| first.position == position) {
            return self.ordered.pop_front();
        }
        while self.late.first_key_value().is_some_and(|(first, _)| *first < position) {
            self.late.pop_first();
        }
        self.late.remove(&position)
    }
}

/// Two pieces of one command become one: it begins with the later piece and takes as long as both,
/// because what lies between them is no work.
fn join(first: &mut Span, more: &Span) {
    first.start_ns = first.start_ns.max(more.start_ns);
    first.duration_ns = first.duration_ns.saturating_add(more.duration_ns);
    first.bytes = first.bytes.max(more.bytes);
    first.fused = first.fused.max(more.fused);
    first.failed |= more.failed;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(position: u64, duration_ns: u64) -> Span {
        Span { position, start_ns: 0, duration_ns, bytes: 0, fused: 0, failed: 0 }
    }

    #[test]
    fn spans_are_found_in_whatever_order_they_came() {
        let mut times = Times::default();
        [3, 7, 5, 1, 9, 5, 7].iter().for_each(|&position| times.add(span(position, position)));
        let took = |times: &mut Times, position| times.take(position).map(|one| one.duration_ns);
        let found: Vec<_> = (0..=9).map(|position| took(&mut times, position)).collect();
        let expected = [1, 3, 5, 7, 9].map(|position| match position {
            5 | 7 => (position, 2 * position),
            _ => (position, position),
        });
        for (position, duration_ns) in expected {
            assert_eq!(found[position as usize], Some(duration_ns));
        }
        assert_eq!(found.iter().flatten().count(), 5);
    }

    #[test]
    fn what_nobody_asks_for_is_forgotten_and_bounded() {
        let mut times = Times::default();
        [4, 2, 8].iter().for_each(|&position| times.add(span(position, 1)));
        assert!(times.take(9).is_none());
        assert_eq!((times.ordered.len(), times.late.len()), (0, 0));
        (0..2 * MOST as u64).rev().for_each(|position| times.add(span(position, 1)));
        assert_eq!(times.ordered.len() + times.late.len(), MOST);
    }
}
