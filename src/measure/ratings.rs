//! What several raters said of the same units, counted.

use std::collections::BTreeMap;

use super::bootstrap::Resampling;
use super::estimate::{Estimate, Interval};
use super::proportion::wilson;

/// Ratings on a fixed scale: the number of categories is the scale's, whether or not each of them was used. Which rater
/// said what does not matter to the figures over all raters, so units are kept as counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ratings {
    categories: usize,
    /// For each unit how often it was given each category, and how many units are alike in that.
    kinds: BTreeMap<Vec<u32>, u64>,
}

impl Ratings {
    pub const fn new(categories: usize) -> Self {
        Self { categories, kinds: BTreeMap::new() }
    }

    /// Adds one unit with its ratings, each the number of a category from 0. What stands on no scale is left out.
    pub fn add(&mut self, ratings: impl IntoIterator<Item = usize>) {
        self.add_alike(ratings, 1);
    }

    /// Adds so many units with the same ratings.
    pub fn add_alike(&mut self, ratings: impl IntoIterator<Item = usize>, units: u64) {
        if units > 0 {
            let mut counts = vec![0_u32; self.categories];
            for rating in ratings {
                if let Some(count) = counts.get_mut(rating) {
                    *count += 1;
                }
            }
            *self.kinds.entry(counts).or_default() += units;
        }
    }

    pub const fn categories(&self) -> usize {
        self.categories
    }

    /// Units that two or more rated: all figures rest on these alone.
    pub fn shared_units(&self) -> u64 {
        self.kinds.iter().filter(|(counts, _)| total(counts) >= 2).map(|(_, units)| units).sum()
    }

    /// Units that one rater rated, or none: no figure counts them.
    pub fn unshared_units(&self) -> u64 {
        self.kinds.iter().filter(|(counts, _)| total(counts) < 2).map(|(_, units)| units).sum()
    }

    /// How often each category stands in the units that two or more rated.
    pub fn used(&self) -> Vec<u64> {
        let mut used = vec![0; self.categories];
        for (counts, units) in self.kinds.iter().filter(|(counts, _)| total(counts) >= 2) {
            for (sum, count) in used.iter_mut().zip(counts) {
                *sum += u64::from(*count) * units;
            }
        }
        used
    }

    /// The share of pairs of ratings of the same unit that agree, the mean over the units.
    pub fn raw_agreement(&self, resampling: Resampling) -> Estimate {
        let n = self.shared_units();
        if n == 0 {
            return Estimate::undefined(0, NO_SHARED);
        }
        if self.kinds.keys().filter(|counts| total(counts) >= 2).all(|counts| total(counts) == 2) {
            let agreed = self.kinds.iter().filter(|(counts, _)| counts.contains(&2));
            return wilson(agreed.map(|(_, units)| units).sum(), n);
        }
        self.estimate(resampling, |sums| Ok(sums.agreement))
    }

    /// The same without its interval.
    pub(super) fn agreement(&self) -> Option<f64> {
        self.value(|sums| Ok(sums.agreement)).value()
    }

    /// What `coefficient` makes of the sums over all units; `n` are the shared units.
    pub(super) fn value(&self, coefficient: impl Fn(&Sums) -> Result<f64, &'static str>) -> Estimate {
        let n = self.shared_units();
        let (kinds, alike): (Vec<&[u32]>, Vec<u64>) = self.kinds().unzip();
        match coefficient(&Sums::new(self.categories, &kinds, &alike)) {
            Ok(value) if n > 0 => Estimate::known(value, n),
            Ok(_) => Estimate::undefined(n, NO_SHARED),
            Err(because) => Estimate::undefined(n, because),
        }
    }

    /// The same with its interval by unit.
    pub(super) fn estimate(
        &self,
        resampling: Resampling,
        coefficient: impl Fn(&Sums) -> Result<f64, &'static str> + Sync,
    ) -> Estimate {
        let found = self.value(&coefficient);
        if found.value().is_none() {
            return found;
        }
        let (kinds, alike): (Vec<&[u32]>, Vec<u64>) = self.kinds().unzip();
        let again = |alike: &[u64]| coefficient(&Sums::new(self.categories, &kinds, alike)).ok();
        found.within(resampling.interval_of_kinds(&alike, again).and_then(at_most_one))
    }

    pub(super) fn kinds(&self) -> impl Iterator<Item = (&[u32], u64)> {
        self.kinds.iter().map(|(counts, units)| (counts.as_slice(), *units))
    }
}

/// No coefficient of agreement is above 1. Where nothing varies at all, the units at hand cannot tell how far others
/// would: there is no interval then, rather than one that claims to be certain.
pub(super) fn at_most_one(interval: Interval) -> Option<Interval> {
    if interval.high - interval.low < 1e-12 {
        return None;
    }
    Interval::new(interval.low.min(1.0), interval.high.min(1.0), interval.method)
}

pub(super) const NO_SHARED: &str = "no unit was rated by two";
pub(super) const NO_VARIATION: &str =
    "no variation: every rating is the same, so agreement by chance is certain";

pub(super) fn total(counts: &[u32]) -> u32 {
    counts.iter().sum()
}

/// The sums over units that the coefficients are made of.
pub(super) struct Sums {
    pub(super) categories: usize,
    /// Mean share of agreeing pairs over the units with two ratings and more.
    pub(super) agreement: f64,
    /// Mean share of each category in a unit, over the units with any rating.
    pub(super) shares: Vec<f64>,
    /// Ratings of each category in units with two ratings and more.
    pub(super) used: Vec<f64>,
    /// Krippendorff's coincidences, row by row: pairs of ratings of the same unit, each unit weighing as much as it has
    /// ratings.
    pub(super) coincidences: Vec<f64>,
}

impl Sums {
    fn new(categories: usize, kinds: &[&[u32]], alike: &[u64]) -> Self {
        let mut agreement = 0.0;
        let (mut shared, mut rated) = (0.0, 0.0);
        let mut shares = vec![0.0; categories];
        let mut used = vec![0.0; categories];
        let mut coincidences = vec![0.0; categories * categories];
        for (counts, units) in kinds.iter().zip(alike).filter(|(_, units)| **units > 0) {
            let (ratings, units) = (f64::from(total(counts)), *units as f64);
            if ratings == 0.0 {
                continue;
            }
            rated += units;
            for (share, count) in shares.iter_mut().zip(*counts) {
                *share += units * f64::from(*count) / ratings;
            }
            if ratings < 2.0 {
                continue;
            }
            shared += units;
            let mut agreeing = 0.0;
            for (first, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                let count = f64::from(*count);
                used[first] += units * count;
                agreeing += count * (count - 1.0);
                for (second, other) in counts.iter().enumerate() {
                    let pairs = count * (f64::from(*other) - f64::from(u8::from(first == second)));
                    coincidences[first * categories + second] += units * pairs / (ratings - 1.0);
                }
            }
            agreement += units * agreeing / (ratings * (ratings - 1.0));
        }
        if shared > 0.0 {
            agreement /= shared;
        }
        for share in &mut shares {
            *share /= rated.max(1.0);
        }
        Self { categories, agreement, shares, used, coincidences }
    }

    /// Whether there is any unit with two ratings.
    pub(super) fn is_shared(&self) -> bool {
        self.used.iter().any(|count| *count > 0.0)
    }
}

#[cfg(test)]
pub(super) mod published {
    use super::Ratings;

    /// `*` is a missing rating; the columns are units, the rows raters; categories count from 1.
    pub(in crate::measure) fn rows(categories: usize, rows: &[&str]) -> Ratings {
        let rows: Vec<Vec<Option<usize>>> = rows
            .iter()
            .map(|row| row.split_whitespace().map(|cell| cell.parse::<usize>().ok().map(|n| n - 1)).collect())
            .collect();
        let mut ratings = Ratings::new(categories);
        for unit in 0..rows[0].len() {
            ratings.add(rows.iter().filter_map(|row| row[unit]));
        }
        ratings
    }

    /// Rows are units, each with how often it was given each category.
    pub(in crate::measure) fn counts(rows: &[&[usize]]) -> Ratings {
        let mut ratings = Ratings::new(rows[0].len());
        for row in rows {
            let each = row.iter().enumerate();
            ratings.add(each.flat_map(|(category, count)| std::iter::repeat_n(category, *count)));
        }
        ratings
    }

    /// The cells of a table of two raters, as units.
    pub(in crate::measure) fn crossed(table: &[&[usize]]) -> Ratings {
        let mut ratings = Ratings::new(table.len());
        for (first, row) in table.iter().enumerate() {
            for (second, count) in row.iter().enumerate() {
                (0..*count).for_each(|_| ratings.add([first, second]));
            }
        }
        ratings
    }

    /// Krippendorff 2011: four observers, twelve units.
    pub(in crate::measure) fn observers() -> Ratings {
        rows(
            5,
            &[
                "1 2 3 3 2 1 4 1 2 * * *",
                "1 2 3 3 2 2 4 1 2 5 * 3",
                "* 3 3 3 2 3 4 2 2 5 1 *",
                "1 2 3 3 2 4 4 1 2 5 1 *",
            ],
        )
    }

    /// Gwet's `distrib.6raters`.
    pub(in crate::measure) fn six_raters() -> Ratings {
        counts(&[
            &[0, 0, 0, 6, 0],
            &[0, 3, 0, 0, 3],
            &[0, 1, 4, 0, 1],
            &[0, 0, 0, 0, 6],
            &[0, 3, 0, 3, 0],
            &[2, 0, 4, 0, 0],
            &[0, 0, 4, 0, 2],
            &[2, 0, 3, 1, 0],
            &[2, 0, 0, 4, 0],
            &[0, 0, 0, 0, 6],
            &[1, 0, 0, 5, 0],
            &[1, 1, 0, 4, 0],
            &[0, 3, 3, 0, 0],
            &[1, 0, 0, 5, 0],
            &[0, 2, 0, 3, 1],
        ])
    }

    /// Gwet's three abstractors, as two.
    pub(in crate::measure) fn abstractors() -> Ratings {
        crossed(&[&[13, 0, 0], &[0, 20, 7], &[0, 4, 56]])
    }

    pub(in crate::measure) fn near(value: Option<f64>, expected: f64, digits: i32) {
        let most = 0.5 * 10.0_f64.powi(-digits) * (1.0 + 1e-6);
        assert!(value.is_some_and(|value| (value - expected).abs() <= most), "{value:?} for {expected}");
    }
}

#[cfg(test)]
mod tests {
    use super::published::{abstractors, near, rows, six_raters};
    use super::*;

    #[test]
    fn raw_agreement_of_the_published_tables() {
        near(abstractors().raw_agreement(Resampling::default()).value(), 0.89, 12);
        near(six_raters().raw_agreement(Resampling::default()).value(), 0.551_111_1, 7);
    }

    #[test]
    fn r46_without_a_shared_unit_there_is_no_figure() {
        let ratings = rows(3, &["1 2 * *", "* * 3 1"]);
        assert_eq!((ratings.shared_units(), ratings.unshared_units()), (0, 4));
        assert_eq!(ratings.raw_agreement(Resampling::default()).undefined_because(), Some(NO_SHARED));
    }

    #[test]
    fn a_category_that_is_not_on_the_scale_is_left_out() {
        let mut ratings = Ratings::new(2);
        ratings.add([0, 1, 7]);
        assert_eq!(ratings.used(), [1, 1]);
    }
}
