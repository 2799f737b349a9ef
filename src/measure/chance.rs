//! Agreement of any number of raters beyond chance, by two notions of chance.
//!
//! Fleiss, J. L. (1971), Measuring nominal scale agreement among many raters. Gwet, K. L. (2008), Computing inter-rater
//! reliability and its variance in the presence of high agreement.

use super::bootstrap::Resampling;
use super::distribution::Z;
use super::estimate::{Estimate, Interval, Method};
use super::ratings::{NO_SHARED, NO_VARIATION, Ratings, Sums, at_most_one, total};

/// Fleiss' kappa, where units may have different numbers of ratings; of two raters it is Scott's pi. Chance is that
/// everybody draws from how often the categories were used in all. `n` are the units that two or more rated.
pub fn fleiss(ratings: &Ratings, resampling: Resampling) -> Estimate {
    ratings.estimate(resampling, of_fleiss)
}

/// The same without its interval.
pub(super) fn fleiss_value(ratings: &Ratings) -> Option<f64> {
    ratings.value(of_fleiss).value()
}

fn of_fleiss(sums: &Sums) -> Result<f64, &'static str> {
    beyond(sums, sums.shares.iter().map(|share| share * share).sum())
}

/// The same where chance is that everybody draws blindly from the scale: for raters who need not use the categories
/// in any proportion.
pub fn free_marginal(ratings: &Ratings, resampling: Resampling) -> Estimate {
    ratings.estimate(resampling, of_free_marginal)
}

/// The same without its interval.
pub(super) fn free_marginal_value(ratings: &Ratings) -> Option<f64> {
    ratings.value(of_free_marginal).value()
}

fn of_free_marginal(sums: &Sums) -> Result<f64, &'static str> {
    beyond(sums, 1.0 / sums.categories as f64)
}

fn beyond(sums: &Sums, chance: f64) -> Result<f64, &'static str> {
    if !sums.is_shared() {
        return Err(NO_SHARED);
    }
    if 1.0 - chance < 1e-12 {
        return Err(NO_VARIATION);
    }
    Ok((sums.agreement - chance) / (1.0 - chance))
}

/// How many standard errors Fleiss' kappa is from 0 if there were no agreement beyond chance. Units must all have the
/// same number of ratings.
pub fn fleiss_z(ratings: &Ratings) -> Estimate {
    let n = ratings.shared_units();
    let mut sizes = ratings.kinds().map(|(counts, _)| total(counts));
    let raters = sizes.next().unwrap_or(0);
    if raters < 2 || sizes.any(|size| size != raters) {
        return Estimate::undefined(n, "the units do not all have the same number of ratings");
    }
    let used = ratings.used();
    let all: u64 = used.iter().sum();
    let shares: Vec<f64> = used.iter().map(|count| *count as f64 / all as f64).collect();
    let spread: f64 = shares.iter().map(|share| share * (1.0 - share)).sum();
    let skew: f64 = shares.iter().map(|share| share * (1.0 - share) * (1.0 - 2.0 * share)).sum();
    let raters = f64::from(raters);
    let error =
        (2.0 * (spread * spread - skew)).sqrt() / (spread * (n as f64 * raters * (raters - 1.0)).sqrt());
    match ratings.value(of_fleiss).value() {
        Some(kappa) if error > 0.0 => Estimate::known(kappa / error, n),
        _ => Estimate::undefined(n, NO_VARIATION),
    }
}

/// Gwet's AC1: chance is that a rater guesses on the units that are hard to rate. Unlike kappa it stays near the raw
/// agreement where one category prevails. `n` are the units that two or more rated.
pub fn ac1(ratings: &Ratings) -> Estimate {
    let categories = ratings.categories() as f64;
    let n = ratings.shared_units();
    if ratings.categories() < 2 {
        return Estimate::undefined(n, "the scale has one category");
    }
    let chance_of =
        |shares: &[f64]| shares.iter().map(|share| share * (1.0 - share)).sum::<f64>() / (categories - 1.0);
    // AC1 is defined without variation too: chance is 0 then.
    let found = ratings.value(|sums| {
        if !sums.is_shared() {
            return Err(NO_SHARED);
        }
        let chance = chance_of(&sums.shares);
        Ok((sums.agreement - chance) / (1.0 - chance))
    });
    let Some(value) = found.value() else { return found };
    found.within(large_sample(ratings, value, chance_of).and_then(at_most_one))
}

/// Gwet's variance of AC1, from how much each unit departs.
fn large_sample(ratings: &Ratings, value: f64, chance_of: impl Fn(&[f64]) -> f64) -> Option<Interval> {
    let rated: Vec<(&[u32], f64)> = ratings
        .kinds()
        .filter(|(counts, _)| total(counts) > 0)
        .map(|(counts, units)| (counts, units as f64))
        .collect();
    let units: f64 = rated.iter().map(|(_, units)| units).sum();
    if units < 2.0 {
        return None;
    }
    let mut shares = vec![0.0; ratings.categories()];
    for (counts, alike) in &rated {
        for (share, count) in shares.iter_mut().zip(*counts) {
            *share += alike * f64::from(*count) / f64::from(total(counts)) / units;
        }
    }
    let chance = chance_of(&shares);
    let per_shared = units / ratings.shared_units() as f64;
    let mut sum = 0.0;
    for (counts, alike) in &rated {
        let size = f64::from(total(counts));
        let agreeing: f64 = counts.iter().map(|count| f64::from(*count) * (f64::from(*count) - 1.0)).sum();
        let own = if size < 2.0 { 0.0 } else { per_shared * (agreeing / (size * (size - 1.0)) - chance) };
        let own_chance: f64 =
            counts.iter().zip(&shares).map(|(count, share)| f64::from(*count) * (1.0 - share)).sum::<f64>()
                / (size * (shares.len() as f64 - 1.0));
        let departs = (own - 2.0 * (1.0 - value) * (own_chance - chance)) / (1.0 - chance) - value;
        sum += alike * departs * departs;
    }
    let error = (sum / (units * (units - 1.0))).sqrt();
    Interval::new(value - Z * error, value + Z * error, Method::LargeSample)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::alpha::{Metric, alpha_value};
    use super::super::ratings::published::{abstractors, counts, crossed, near, observers, rows, six_raters};
    use super::*;

    fn kappa(ratings: &Ratings) -> Option<f64> {
        fleiss(ratings, Resampling { resamples: 50, seed: 1 }).value()
    }

    #[test]
    fn fourteen_raters() {
        let ratings = counts(&[
            &[0, 0, 0, 0, 14],
            &[0, 2, 6, 4, 2],
            &[0, 0, 3, 5, 6],
            &[0, 3, 9, 2, 0],
            &[2, 2, 8, 1, 1],
            &[7, 7, 0, 0, 0],
            &[3, 2, 6, 3, 0],
            &[2, 5, 3, 2, 2],
            &[6, 5, 2, 1, 0],
            &[0, 2, 2, 3, 7],
        ]);
        near(kappa(&ratings), 0.209_931, 6);
        near(ratings.raw_agreement(Resampling::default()).value(), 0.378, 3);
        let shares: Vec<f64> = ratings.used().iter().map(|count| *count as f64 / 140.0).collect();
        near(Some(shares.iter().map(|share| share * share).sum()), 0.213, 3);
    }

    #[test]
    fn diagnoses_of_thirty_patients() {
        let patients = [
            "444444", "222555", "233335", "555555", "222444", "113333", "333355", "113334", "114444",
            "555555", "144444", "124444", "222333", "144444", "224445", "333335", "111455", "111112",
            "224444", "133555", "555555", "244444", "224555", "114444", "144445", "222224", "111155",
            "224444", "133333", "555555",
        ];
        let mut ratings = Ratings::new(5);
        for patient in patients {
            ratings.add(patient.bytes().map(|digit| usize::from(digit - b'1')));
        }
        near(kappa(&ratings), 0.430_244_5, 7);
        near(fleiss_z(&ratings).value(), 17.651_83, 5);
    }

    #[test]
    fn small_tables() {
        for (rows, fixed, free) in [
            (&[&[7, 1][..], &[3, 5]], 0.161_905, 0.214_286),
            (&[&[6, 1, 0][..], &[0, 7, 0]], 0.708_333, 0.785_714),
        ] {
            let ratings = counts(rows);
            near(kappa(&ratings), fixed, 6);
            near(free_marginal(&ratings, Resampling { resamples: 50, seed: 1 }).value(), free, 6);
        }
    }

    #[test]
    fn gwets_examples() {
        near(kappa(&abstractors()), 0.796_239_7, 7);
        let found = ac1(&abstractors());
        near(found.value(), 0.849_330_55, 8);
        // Published for tables of two raters, where he divides by the units; for many raters, and here, by one less.
        let error = found.interval().map(|interval| (interval.high - interval.low) / 2.0 / Z);
        near(error.map(|error| error * (99.0_f64 / 100.0).sqrt()), 0.043_22, 5);
        near(kappa(&six_raters()), 0.413_926_5, 7);
        near(ac1(&six_raters()).value(), 0.444_800_7, 7);
        // His four raters are Krippendorff's observers.
        near(ac1(&observers()).value(), 0.775_44, 5);
        near(kappa(&observers()), 0.761_17, 5);
    }

    /// Three people's yes or no on each sentence of summaries. Two categories and three raters leave only one table of
    /// coincidences for the sentences, the unanimous share and alpha as they were measured.
    #[test]
    fn people_on_sentences_of_summaries() {
        let table = |rows: [(usize, [usize; 2]); 4]| {
            let rows: Vec<[usize; 2]> =
                rows.iter().flat_map(|(sentences, said)| vec![*said; *sentences]).collect();
            let rows: Vec<&[usize]> = rows.iter().map(|row| &row[..]).collect();
            counts(&rows)
        };
        let news = table([(411, [3, 0]), (100, [2, 1]), (110, [1, 2]), (93, [0, 3])]);
        // Two of three pairs differ wherever three people with two words do not all say the same.
        let unanimous = |table: &Ratings| {
            table.raw_agreement(Resampling::default()).value().map(|raw| (3.0 * raw - 1.0) / 2.0)
        };
        near(unanimous(&news), 0.706, 3);
        near(alpha_value(&news, Metric::Nominal, &[]), 0.5135, 4);
        near(kappa(&news), 0.5133, 4);
        near(ac1(&news).value(), 0.6716, 4);
        let terse = table([(61, [3, 0]), (68, [2, 1]), (50, [1, 2]), (60, [0, 3])]);
        near(unanimous(&terse), 0.506, 3);
        near(alpha_value(&terse, Metric::Nominal, &[]), 0.3421, 4);
        near(ac1(&terse).value(), 0.3423, 4);
    }

    #[test]
    fn r49_where_one_category_prevails_ac1_stands_by_the_raw_agreement() {
        let rare = crossed(&[&[118, 5], &[2, 0]]);
        near(ac1(&rare).value(), 0.9408, 4);
        near(rare.raw_agreement(Resampling::default()).value(), 0.944, 3);
    }

    #[test]
    fn what_cannot_be_said_says_why() {
        let same = rows(2, &["1 1 1", "1 1 1"]);
        assert_eq!(fleiss(&same, Resampling::default()).undefined_because(), Some(NO_VARIATION));
        assert_eq!(fleiss_z(&same).undefined_because(), Some(NO_VARIATION));
        near(ac1(&same).value(), 1.0, 12);
        let apart = rows(2, &["1 *", "* 2"]);
        assert_eq!(ac1(&apart).undefined_because(), Some(NO_SHARED));
        assert_eq!(fleiss(&apart, Resampling::default()).undefined_because(), Some(NO_SHARED));
        assert!(fleiss_z(&observers()).undefined_because().is_some());
        assert!(ac1(&Ratings::new(1)).undefined_because().is_some());
    }

    proptest! {
           #![proptest_config(ProptestConfig::with_cases(48))]
           #[test]
           fn no_value_is_above_one_or_no_number(
               units in proptest::collection::vec(proptest::collection::vec(0_usize..4, 0..5), 0..20),
           ) {
               let mut ratings = Ratings::new(4);
               for unit in &units {
    ratings.add(unit.iter().copied());
    }
               let few = Resampling { resamples: 40, seed: 3 };
               for found in [ac1(&ratings), fleiss(&ratings, few), free_marginal(&ratings, few)] {
                   if let Some(value) = found.value() {
                       prop_assert!(value.is_finite() && value <= 1.0 + 1e-12);
                       prop_assert!(found.interval().is_none_or(|interval| interval.high <= 1.0));
                   }
               }
           }
       }
}
