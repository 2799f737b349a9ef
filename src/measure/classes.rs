//! Counts of right and wrong for one class against the rest.

use super::Figure;

/// How often a class was meant and how often it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Confusion {
    /// Meant and said.
    pub hits: u64,
    /// Said, not meant.
    pub false_alarms: u64,
    /// Meant, not said.
    pub misses: u64,
    /// Neither.
    pub rest: u64,
}

impl Confusion {
    pub fn add(&mut self, meant: bool, said: bool) {
        let place = match (meant, said) {
            (true, true) => &mut self.hits,
            (false, true) => &mut self.false_alarms,
            (true, false) => &mut self.misses,
            (false, false) => &mut self.rest,
        };
        *place += 1;
    }

    /// So many of one kind.
    pub fn many(meant: bool, said: bool, count: u64) -> Self {
        let none = Self::default();
        match (meant, said) {
            (true, true) => Self { hits: count, ..none },
            (false, true) => Self { false_alarms: count, ..none },
            (true, false) => Self { misses: count, ..none },
            (false, false) => Self { rest: count, ..none },
        }
    }

    /// The counts of both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            hits: self.hits + other.hits,
            false_alarms: self.false_alarms + other.false_alarms,
            misses: self.misses + other.misses,
            rest: self.rest + other.rest,
        }
    }

    /// The mean of the share found of those meant and the share left alone of the others: 0.5 for whoever says the
    /// same of all, 1 for whoever is always right.
    pub fn balanced_accuracy(self) -> Figure {
        let (meant, others) = (self.hits + self.misses, self.false_alarms + self.rest);
        match (meant, others) {
            (0, 0) => Figure::undefined("there is no row"),
            (0, _) => Figure::undefined("no row is of the class: one class cannot be told apart"),
            (_, 0) => Figure::undefined("all rows are of the class: one class cannot be told apart"),
            _ => Figure::of(f64::midpoint(self.hits as f64 / meant as f64, self.rest as f64 / others as f64)),
        }
    }

    /// The share that was right of what was said.
    pub fn precision(self) -> Figure {
        Figure::share(self.hits, self.hits + self.false_alarms, "it was never said")
    }

    /// The share that was found of what was meant.
    pub fn recall(self) -> Figure {
        Figure::share(self.hits, self.hits + self.misses, "no row is of the class")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worked_example() {
        // 10 meant: 8 found. 40 others: 10 false alarms.
        let counts = Confusion { hits: 8, misses: 2, false_alarms: 10, rest: 30 };
        assert_eq!(counts.balanced_accuracy(), Figure::of(0.775));
        assert_eq!(counts.precision(), Figure::of(8.0 / 18.0));
        assert_eq!(counts.recall(), Figure::of(0.8));
    }

    #[test]
    fn one_class_has_no_balance_and_silence_no_precision() {
        let mut counts = Confusion::default();
        assert!(counts.balanced_accuracy().undefined_because.is_some());
        counts.add(true, false);
        assert!(counts.balanced_accuracy().undefined_because.is_some_and(|why| why.contains("all rows")));
        assert_eq!(counts.precision(), Figure::undefined("it was never said"));
        assert_eq!(counts.recall(), Figure::of(0.0));
        counts.add(false, true);
        assert_eq!(counts.balanced_accuracy(), Figure::of(0.0));
    }
}
