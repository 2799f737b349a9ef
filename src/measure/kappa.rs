//! Cohen's kappa: agreement of two raters beyond chance.
//!
//! Cohen, J. (1960) and (1968); the standard errors are those of Fleiss, Cohen and Everitt (1969).

use serde::Serialize;

use super::distribution::Z;
use super::estimate::{Estimate, Interval, Method};
use super::proportion::wilson;
use super::ratings::{NO_VARIATION, at_most_one};

/// How much of an agreement two categories are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Weights {
    /// The same or not.
    Plain,
    /// Less by their distance on the scale.
    Linear,
    /// Less by the square of their distance.
    Quadratic,
}

/// What two raters said of the same units: a table of a fixed scale, whether or not each category was used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PairTable {
    /// Row: the first rater's category; column: the second's.
    pub counts: Vec<Vec<u64>>,
}

impl PairTable {
    pub fn new(categories: usize) -> Self {
        Self { counts: vec![vec![0; categories]; categories] }
    }

    /// Adds one unit, with the numbers of both categories from 0. What stands on no scale is left out.
    pub fn add(&mut self, first: usize, second: usize) {
        self.add_alike(first, second, 1);
    }

    /// Adds so many units of which both said the same.
    pub fn add_alike(&mut self, first: usize, second: usize, units: u64) {
        if let Some(cell) = self.counts.get_mut(first).and_then(|row| row.get_mut(second)) {
            *cell += units;
        }
    }

    /// The same for the first categories alone: units where anything else was said are left out.
    #[must_use]
    pub fn of_first(&self, categories: usize) -> Self {
        let row = |row: &Vec<u64>| row.iter().take(categories).copied().collect();
        Self { counts: self.counts.iter().take(categories).map(row).collect() }
    }

    /// Units that both rated.
    pub fn units(&self) -> u64 {
        self.counts.iter().flatten().sum()
    }

    /// The share of the units on which both said the same.
    pub fn raw_agreement(&self) -> Estimate {
        let agreed = self.counts.iter().enumerate().filter_map(|(at, row)| row.get(at)).sum();
        match self.units() {
            0 => Estimate::undefined(0, NO_COMMON),
            units => wilson(agreed, units),
        }
    }

    /// The same without its interval; `None` without units.
    pub fn share_agreed(&self) -> Option<f64> {
        let agreed: u64 = self.counts.iter().enumerate().filter_map(|(at, row)| row.get(at)).sum();
        let units = self.units();
        (units > 0).then(|| agreed as f64 / units as f64)
    }

    /// Kappa without its interval; `None` where it is undefined.
    pub fn kappa_value(&self, weights: Weights) -> Option<f64> {
        Parts::new(self, weights).ok().map(|parts| parts.kappa())
    }

    /// Kappa with its interval of a large sample; `n` are the units.
    pub fn kappa(&self, weights: Weights) -> Estimate {
        let n = self.units();
        match Parts::new(self, weights) {
            Err(because) => Estimate::undefined(n, because),
            Ok(parts) => {
                let (value, error) = (parts.kappa(), parts.standard_error());
                let interval = Interval::new(value - Z * error, value + Z * error, Method::LargeSample);
                Estimate::known(value, n).within(interval.filter(|_| n > 1).and_then(at_most_one))
            }
        }
    }

    /// How many standard errors kappa is from 0 if there were no agreement beyond chance.
    pub fn kappa_z(&self, weights: Weights) -> Estimate {
        let n = self.units();
        match Parts::new(self, weights) {
            Err(because) => Estimate::undefined(n, because),
            Ok(parts) => match parts.standard_error_by_chance() {
                error if error > 0.0 => Estimate::known(parts.kappa() / error, n),
                _ => Estimate::undefined(n, "one rater used one category only: kappa can only be 0"),
            },
        }
    }
}

const NO_COMMON: &str = "there is no unit that both rated";

/// Shares and weights that kappa and its errors are made of.
struct Parts {
    n: f64,
    /// Share of each cell, its weight, and the mean weights of its row and its column.
    cells: Vec<Cell>,
    observed: f64,
    expected: f64,
}

struct Cell {
    share: f64,
    by_chance: f64,
    weight: f64,
    means: f64,
}

impl Parts {
    fn new(table: &PairTable, weights: Weights) -> Result<Self, &'static str> {
        let categories = table.counts.len();
        let n = table.units() as f64;
        if n == 0.0 {
            return Err(NO_COMMON);
        }
        let weight = |first: usize, second: usize| {
            let apart = first.abs_diff(second) as f64 / (categories.max(2) - 1) as f64;
            match weights {
                Weights::Plain => f64::from(u8::from(first == second)),
                Weights::Linear => 1.0 - apart,
                Weights::Quadratic => 1.0 - apart * apart,
            }
        };
        let each = 0..categories;
        let rows: Vec<f64> = table.counts.iter().map(|row| row.iter().sum::<u64>() as f64 / n).collect();
        let columns: Vec<f64> =
            each.clone().map(|at| table.counts.iter().map(|row| row[at]).sum::<u64>() as f64 / n).collect();
        let of_row: Vec<f64> =
            each.clone().map(|row| each.clone().map(|at| columns[at] * weight(row, at)).sum()).collect();
        let of_column: Vec<f64> =
            each.clone().map(|column| each.clone().map(|at| rows[at] * weight(at, column)).sum()).collect();
        let cells: Vec<Cell> = each
            .clone()
            .flat_map(|row| each.clone().map(move |column| (row, column)))
            .map(|(row, column)| Cell {
                share: table.counts[row][column] as f64 / n,
                by_chance: rows[row] * columns[column],
                weight: weight(row, column),
                means: of_row[row] + of_column[column],
            })
            .collect();
        let observed = cells.iter().map(|cell| cell.share * cell.weight).sum();
        let expected: f64 = cells.iter().map(|cell| cell.by_chance * cell.weight).sum();
        if 1.0 - expected < 1e-12 {
            return Err(NO_VARIATION);
        }
        Ok(Self { n, cells, observed, expected })
    }

    fn kappa(&self) -> f64 {
        (self.observed - self.expected) / (1.0 - self.expected)
    }

    fn standard_error(&self) -> f64 {
        let apart = 1.0 - self.kappa();
        let sum: f64 =
            self.cells.iter().map(|cell| cell.share * (cell.weight - cell.means * apart).powi(2)).sum();
        self.error_of(sum - (self.kappa() - self.expected * apart).powi(2))
    }

    fn standard_error_by_chance(&self) -> f64 {
        let sum: f64 =
            self.cells.iter().map(|cell| cell.by_chance * (cell.weight - cell.means).powi(2)).sum();
        self.error_of(sum - self.expected * self.expected)
    }

    fn error_of(&self, variance: f64) -> f64 {
        (variance.max(0.0) / self.n).sqrt() / (1.0 - self.expected)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::ratings::published::near;
    use super::*;

    fn table(rows: &[&[u64]]) -> PairTable {
        PairTable { counts: rows.iter().map(|row| row.to_vec()).collect() }
    }

    #[test]
    fn small_tables() {
        near(table(&[&[20, 5], &[10, 15]]).kappa(Weights::Plain).value(), 0.4, 12);
        near(table(&[&[45, 15], &[25, 15]]).kappa(Weights::Plain).value(), 0.1304, 4);
        near(table(&[&[25, 35], &[5, 35]]).kappa(Weights::Plain).value(), 0.2593, 4);
        near(table(&[&[13, 0, 0], &[0, 20, 7], &[0, 4, 56]]).kappa(Weights::Plain).value(), 0.796_409_4, 7);
    }

    #[test]
    fn published_errors_and_weights() {
        let table = table(&[&[0, 4, 1], &[0, 8, 0], &[0, 1, 5]]);
        let error = |found: &Estimate| found.interval().map(|of| (of.high - of.low) / 2.0 / Z);
        let plain = table.kappa(Weights::Plain);
        near(plain.value(), 0.4842, 4);
        near(error(&plain), 0.1380, 4);
        near(plain.interval().map(|of| of.low), 0.2137, 4);
        near(plain.interval().map(|of| of.high), 0.7547, 4);
        near(table.kappa_z(Weights::Plain).value(), 3.2626, 4);
        let linear = table.kappa(Weights::Linear);
        near(linear.value(), 0.4701, 4);
        near(error(&linear), 0.1457, 4);
        near(table.kappa(Weights::Quadratic).value(), 0.450_16, 5);
    }

    /// Two raters of the published anxiety scores.
    fn anxiety(categories: usize) -> PairTable {
        let second = "3 6 4 6 2 4 2 4 3 3 2 3 3 3 2 2 1 3 3 4";
        let third = "2 1 4 4 3 2 1 6 1 1 1 2 3 3 1 1 3 3 2 2";
        let mut table = PairTable::new(categories);
        for (one, other) in second.split(' ').zip(third.split(' ')) {
            let place = |text: &str| {
                let score: usize = text.parse().unwrap();
                // On the shrunken scale 6 comes right after 4.
                if categories == 5 && score == 6 { 4 } else { score - 1 }
            };
            table.add(place(one), place(other));
        }
        table
    }

    #[test]
    fn the_scale_is_what_it_is_and_not_what_was_used() {
        let shrunken = anxiety(5);
        near(shrunken.kappa(Weights::Plain).value(), -0.006_289, 6);
        near(shrunken.kappa(Weights::Linear).value(), 0.145_907_5, 7);
        near(shrunken.kappa(Weights::Quadratic).value(), 0.252_032_5, 7);
        let whole = anxiety(6);
        near(whole.kappa(Weights::Plain).value(), -0.006_289, 6);
        near(whole.kappa(Weights::Linear).value(), 0.126_213_6, 7);
        near(whole.kappa(Weights::Quadratic).value(), 0.229_798_0, 7);
    }

    #[test]
    fn r49_a_prevailing_category_pulls_kappa_down() {
        let table = table(&[&[118, 5], &[2, 0]]);
        near(table.kappa(Weights::Plain).value(), -0.0234, 4);
        near(table.raw_agreement().value(), 0.944, 3);
    }

    #[test]
    fn r46_r48_without_units_or_variation_there_is_no_kappa() {
        assert_eq!(PairTable::new(4).kappa(Weights::Linear).undefined_because(), Some(NO_COMMON));
        assert_eq!(PairTable::new(4).raw_agreement().undefined_because(), Some(NO_COMMON));
        let same = table(&[&[9, 0], &[0, 0]]);
        assert_eq!(same.kappa(Weights::Plain).undefined_because(), Some(NO_VARIATION));
        near(same.raw_agreement().value(), 1.0, 12);
        near(table(&[&[4, 0], &[0, 5]]).kappa(Weights::Plain).value(), 1.0, 12);
        assert!(table(&[&[4, 0], &[5, 0]]).kappa_z(Weights::Plain).undefined_because().is_some());
    }

    proptest! {
        #[test]
        fn who_is_first_does_not_matter_and_every_value_is_a_number(
            pairs in proptest::collection::vec((0_usize..4, 0_usize..4), 0..40),
        ) {
            let (mut one, mut other) = (PairTable::new(4), PairTable::new(4));
            for (first, second) in &pairs {
                one.add(*first, *second);
            }
            for (first, second) in pairs.iter().rev() {
                other.add(*second, *first);
            }
            for weights in [Weights::Plain, Weights::Linear, Weights::Quadratic] {
                let (found, turned) = (one.kappa(weights), other.kappa(weights));
                prop_assert_eq!(found.undefined_because(), turned.undefined_because());
                if let (Some(value), Some(turned)) = (found.value(), turned.value()) {
                    prop_assert!((value - turned).abs() < 1e-9 && (-1.0 - 1e-9..=1.0 + 1e-9).contains(&value));
                    prop_assert!(found.interval().is_none_or(|of| of.low.is_finite() && of.high <= 1.0));
                }
            }
        }
    }
}
