//! Whether what came out lately is still like what came out before: one measure of one group, in two windows.

use serde::Serialize;

use super::clusters::{Clusters, design_effect, mean_design_effect, share};
use super::drift::{ChiSquare, SHIFT, Stability, WATCH, chi_square, stability};
use super::estimate::Estimate;

/// Counts of the same classes in both windows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Windows {
    pub before: Vec<u64>,
    pub after: Vec<u64>,
    /// Which of them came together, before and after.
    #[serde(skip)]
    clusters: [Clusters; 2],
}

impl Windows {
    pub fn new(classes: usize) -> Self {
        let clusters = [Clusters::new(classes), Clusters::new(classes)];
        Self { before: vec![0; classes], after: vec![0; classes], clusters }
    }

    /// Counts a unit. Those of one cluster come one after the other, in one window.
    pub fn add(&mut self, is_later: bool, cluster: u64, class: usize) {
        let [before, after] = &mut self.clusters;
        let (counts, clusters) = if is_later { (&mut self.after, after) } else { (&mut self.before, before) };
        if let Some(count) = counts.get_mut(class) {
            *count += 1;
            clusters.add(cluster, class);
        }
    }

    /// Units of each window.
    pub fn units(&self) -> [u64; 2] {
        [&self.before, &self.after].map(|counts| counts.iter().sum())
    }

    /// Clusters of each window that have such units.
    pub fn clusters(&self) -> [u64; 2] {
        let [before, after] = &self.clusters;
        [before.count(), after.count()]
    }

    /// The later window of these beside the earlier one of `all`, which counts the same classes: for what has no earlier
    /// one of its own.
    #[must_use]
    pub fn held_to(&self, all: &Self) -> Self {
        let ([before, _], [_, after]) = (&all.clusters, &self.clusters);
        Self {
            before: all.before.clone(),
            after: self.after.clone(),
            clusters: [before.clone(), after.clone()],
        }
    }
}

/// How one measure moved.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Shift {
    pub stability: Stability,
    pub chi_square: ChiSquare,
    /// The share of the bad classes before and after.
    pub bad_before: Estimate,
    pub bad_after: Estimate,
    /// Whether that is the same, apart from chance.
    pub bad_test: ChiSquare,
    /// How many times more the classes of both windows, and the share of the bad ones, differ by chance than if each unit
    /// stood for itself: the tests allow for it, the intervals for that of their own window.
    pub design_effect: f64,
    pub bad_design_effect: f64,
    /// How the classes that are not bad moved among themselves.
    #[serde(skip)]
    good: (Stability, ChiSquare),
    /// Of each bad class of which there is more: whether that is the same, apart from chance.
    #[serde(skip)]
    more: Vec<ChiSquare>,
}

/// What is made of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Alarm {
    /// Nothing that chance would not bring.
    Stable,
    /// Another distribution, with less of what is bad by the same judge, more of no bad class, and the rest as it was.
    Better,
    /// A stability index above 0.1.
    Watch,
    /// Another distribution: an index above 0.25, and no chance.
    Shift,
    /// More of what is bad than may be, and no chance.
    Fall,
}

impl Alarm {
    pub const fn label(self) -> &'static str {
        match self {
            Self::Stable => "stable",
            Self::Better => "better",
            Self::Watch => "watch",
            Self::Shift => "SHIFT",
            Self::Fall => "FALL",
        }
    }

    /// Whether somebody is to be told.
    pub const fn rings(self) -> bool {
        matches!(self, Self::Shift | Self::Fall)
    }
}

/// From when on a difference rings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// How much the share of the bad classes may rise: 0.05 are 5 percentage points.
    pub max_rise: f64,
    /// A difference that is more probable than this by chance rings for nothing. It is to be divided by the number of
    /// groups that are looked at.
    pub level: f64,
}

/// Below this a difference speaks against calling something better, however many groups are looked at: what keeps an
/// alarm from ringing is to be doubted easily.
const DOUBT: f64 = 0.05;

impl Shift {
    /// `bad` are the numbers of the bad classes.
    pub fn of(windows: &Windows, bad: &[usize]) -> Self {
        let two = |counts: &[u64]| -> [u64; 2] {
            let of_bad = bad.iter().filter_map(|class| counts.get(*class)).sum();
            [counts.iter().sum::<u64>() - of_bad, of_bad]
        };
        let (before, after) = (two(&windows.before), two(&windows.after));
        let [earlier, later] = &windows.clusters;
        let both = [(earlier, windows.before.as_slice()), (later, windows.after.as_slice())];
        let (all_design_effect, bad_design_effect) = (mean_design_effect(both), design_effect(both, bad));
        let good = |counts: &[u64]| -> Vec<u64> {
            let good = counts.iter().enumerate().filter(|(class, _)| !bad.contains(class));
            good.map(|(_, count)| *count).collect()
        };
        let goods = (good(&windows.before), good(&windows.after));
        let more = bad.iter().filter_map(|class| {
            let of = |counts: &[u64]| -> Option<[u64; 2]> {
                let count = *counts.get(*class)?;
                Some([counts.iter().sum::<u64>() - count, count])
            };
            let ([rest, count], [rest_after, count_after]) = (of(&windows.before)?, of(&windows.after)?);
            // Of each the share of its own window.
            let is_more = u128::from(count_after) * u128::from(rest + count)
                > u128::from(count) * u128::from(rest_after + count_after);
            let test = || {
                chi_square(&[rest, count], &[rest_after, count_after]).over(design_effect(both, &[*class]))
            };
            is_more.then(test)
        });
        let share = |(clusters, counts): (&Clusters, &[u64])| match counts.iter().sum::<u64>() {
            0 => Estimate::undefined(0, "the window is empty"),
            _ => share(clusters, counts, bad),
        };
        Self {
            stability: stability(&windows.before, &windows.after),
            chi_square: chi_square(&windows.before, &windows.after).over(all_design_effect),
            bad_before: share(both[0]),
            bad_after: share(both[1]),
            bad_test: chi_square(&before, &after).over(bad_design_effect),
            good: (stability(&goods.0, &goods.1), chi_square(&goods.0, &goods.1).over(all_design_effect)),
            more: more.collect(),
            design_effect: all_design_effect,
            bad_design_effect,
        }
    }

    /// Plus means more of what is bad.
    pub fn rise(&self) -> Option<f64> {
        Some(self.bad_after.value()? - self.bad_before.value()?)
    }

    /// `may_be_better`: whether less of what is bad is less of it, and not another judge's word.
    pub fn alarm(&self, bounds: Bounds, may_be_better: bool) -> Alarm {
        let is_below = |test: &ChiSquare, level: f64| test.p.is_some_and(|p| p < level);
        let is_no_chance = |test: &ChiSquare| is_below(test, bounds.level);
        let index = self.stability.psi.value().unwrap_or(0.0);
        if self.rise().is_some_and(|rise| rise > bounds.max_rise) && is_no_chance(&self.bad_test) {
            return Alarm::Fall;
        }
        let is_less = self.rise().is_some_and(|rise| rise < 0.0) && is_no_chance(&self.bad_test);
        if may_be_better && index > WATCH && is_less {
            let (stability, test) = &self.good;
            let is_other = stability.psi.value().unwrap_or(0.0) > SHIFT && is_below(test, DOUBT);
            if !is_other && !self.more.iter().any(|test| is_below(test, DOUBT)) {
                return Alarm::Better;
            }
        }
        if index > SHIFT && is_no_chance(&self.chi_square) {
            return Alarm::Shift;
        }
        if index > WATCH { Alarm::Watch } else { Alarm::Stable }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::proportion::wilson;
    use super::*;

    const BOUNDS: Bounds = Bounds { max_rise: 0.05, level: 0.01 };

    /// Each unit an answer of its own.
    fn windows<const N: usize>(before: [u64; N], after: [u64; N]) -> Windows {
        let (mut windows, mut answers) = (Windows::new(N), 0_u64..);
        for (is_later, counts) in [(false, before), (true, after)] {
            for (class, count) in counts.into_iter().enumerate() {
                let alone = answers.by_ref().take(count as usize);
                alone.for_each(|answer| windows.add(is_later, answer, class));
            }
        }
        windows
    }

    fn alarm(before: [u64; 3], after: [u64; 3]) -> Alarm {
        Shift::of(&windows(before, after), &[2]).alarm(BOUNDS, true)
    }

    #[test]
    fn a_fall_a_shift_and_what_chance_brings() {
        assert_eq!(alarm([800, 100, 100], [800, 100, 100]), Alarm::Stable);
        assert_eq!(alarm([800, 100, 100], [700, 100, 200]), Alarm::Fall);
        assert_eq!(alarm([800, 100, 100], [200, 100, 700]), Alarm::Fall, "worse is told before other");
        assert_eq!(alarm([800, 100, 100], [400, 500, 100]), Alarm::Shift);
        assert_eq!(alarm([800, 100, 100], [680, 230, 90]), Alarm::Watch);
        assert_eq!(alarm([8, 1, 1], [5, 1, 4]), Alarm::Watch, "ten units tell nothing");
        assert_eq!(alarm([0, 0, 0], [5, 1, 4]), Alarm::Stable, "nothing to compare with");
        assert_eq!(alarm([700, 100, 200], [850, 100, 50]), Alarm::Better, "better is no fall");
        assert_eq!(alarm([700, 100, 200], [880, 120, 0]), Alarm::Better, "nor a shift");
        assert_eq!(alarm([700, 100, 200], [300, 690, 10]), Alarm::Shift, "the rest is not what it was");
        assert_eq!(alarm([7, 1, 12], [19, 1, 0]), Alarm::Better, "few, but plain");
    }

    #[test]
    fn less_of_what_is_bad_is_not_better_where_the_worst_of_it_grew() {
        let of = |before: [u64; 3], after: [u64; 3]| {
            Shift::of(&windows(before, after), &[1, 2]).alarm(BOUNDS, true)
        };
        assert_eq!(of([600, 390, 10], [900, 20, 80]), Alarm::Shift);
        assert_eq!(of([600, 390, 10], [900, 90, 10]), Alarm::Better);
        // Of each thousand ten and then twenty-eight: p is 0.003, and many groups divide the level.
        let shift = Shift::of(&windows([800, 190, 10], [962, 10, 28]), &[1, 2]);
        assert_eq!(shift.alarm(Bounds { level: 0.01 / 12.0, ..BOUNDS }, true), Alarm::Shift);
    }

    #[test]
    fn the_worst_of_it_grew_by_its_own_answers() {
        // HIGH came in answers of ten claims that are alike, CRITICAL one by one.
        let mut windows = Windows::new(3);
        let mut answers = 0..;
        for (is_later, high, critical) in [(false, 19, 10), (true, 1, 28)] {
            let single = [0].repeat(1_000 - high * 10 - critical).into_iter().chain([2].repeat(critical));
            for (class, answer) in single.zip(answers.by_ref()) {
                windows.add(is_later, answer, class);
            }
            for answer in answers.by_ref().take(high) {
                (0..10).for_each(|_| windows.add(is_later, answer, 1));
            }
        }
        assert_eq!(Shift::of(&windows, &[1, 2]).alarm(BOUNDS, true), Alarm::Shift);
    }

    #[test]
    fn less_that_is_found_by_another_judge_is_a_shift() {
        let shift = Shift::of(&windows([800, 200], [990, 10]), &[1]);
        assert_eq!([true, false].map(|same| shift.alarm(BOUNDS, same)), [Alarm::Better, Alarm::Shift]);
    }

    #[test]
    fn the_smaller_window_rules() {
        let alarm = |before: [u64; 3], after: [u64; 3]| {
            let (mut windows, mut answers) = (Windows::new(2), 0_u64..);
            for (is_later, [count, claims, wrong]) in [(false, before), (true, after)] {
                for (n, answer) in (0..count).zip(answers.by_ref()) {
                    (0..claims).for_each(|_| windows.add(is_later, answer, usize::from(n < wrong)));
                }
            }
            let shift = Shift::of(&windows, &[1]);
            (shift.alarm(BOUNDS, true), shift.bad_test.p.unwrap())
        };
        // 2 of 5 answers, each of twenty claims, after 1 of ten.
        let (few, p) = alarm([10_000, 1, 1_000], [5, 20, 2]);
        assert!(few == Alarm::Watch && (0.04..0.06).contains(&p), "{few:?} {p}");
        // A hundred answers of one claim, after a thousand of ten that are alike.
        let (many, p) = alarm([1_000, 10, 100], [100, 1, 30]);
        assert!(many == Alarm::Fall && p < 1e-8, "{many:?} {p}");
        // One bad answer of sixty claims.
        let (one, p) = alarm([1_000, 1, 100], [1, 60, 1]);
        assert!(one != Alarm::Fall && p > 0.001, "{one:?} {p}");
    }

    #[test]
    fn the_interval_of_a_window_is_its_own() {
        let mut windows = Windows::new(2);
        for n in 0..2_000_u64 {
            windows.add(false, n, usize::from(n % 10 == 0));
            windows.add(true, 10_000 + n / 20, usize::from(n / 20 % 10 == 0));
        }
        let shift = Shift::of(&windows, &[1]);
        let wide = |estimate: &Estimate| estimate.interval().map_or(0.0, |it| it.high - it.low);
        assert!((wide(&shift.bad_before) - wide(&wilson(200, 2_000))).abs() < 1e-4);
        assert!((wide(&shift.bad_after) - wide(&wilson(10, 100))).abs() < 1e-3);
    }

    #[test]
    fn answers_that_are_wrong_in_all_their_claims_are_few() {
        let alarm = |claims: u64| {
            let mut windows = Windows::new(2);
            for n in 0..400 {
                let (is_later, answer) = (n >= 200, n % 200 / claims);
                let each = if is_later { 4 } else { 10 };
                windows.add(is_later, n / claims, usize::from(answer % each == 0));
            }
            let shift = Shift::of(&windows, &[1]);
            (shift.alarm(BOUNDS, true), shift.bad_after.interval().map_or(0.0, |it| it.high - it.low))
        };
        let (alone, narrow) = alarm(1);
        let (together, wide) = alarm(10);
        assert_eq!((alone, together), (Alarm::Fall, Alarm::Watch), "5 of 20 answers against 2 of 20");
        assert!(wide > 2.0 * narrow, "{wide} {narrow}");
    }

    #[test]
    fn what_is_new_is_held_to_all_that_was_before_with_its_answers() {
        let (mut all, mut new) = (Windows::new(2), Windows::new(2));
        for n in 0..200 {
            all.add(false, n / 10, usize::from(n < 20));
            new.add(true, n / 10, usize::from(n < 80));
        }
        let held = new.held_to(&all);
        assert_eq!((&held.before, &held.after), (&vec![180, 20], &vec![120, 80]));
        let mut same = Windows::new(2);
        for (is_later, wrong) in [(false, 20), (true, 80)] {
            (0..200).for_each(|n| same.add(is_later, n / 10, usize::from(n < wrong)));
        }
        assert_eq!(Shift::of(&held, &[1]), Shift::of(&same, &[1]));
    }

    proptest! {
        #[test]
        fn the_order_of_the_answers_does_not_matter(
            (answers, other) in prop::collection::vec((any::<bool>(), prop::collection::vec(0..3_usize, 1..6)), 0..40)
                .prop_flat_map(|answers| (Just(answers.clone()), Just(answers).prop_shuffle())),
        ) {
            let shift = |answers: &[(bool, Vec<usize>)]| {
                let mut windows = Windows::new(3);
                for ((is_later, classes), answer) in answers.iter().zip(0..) {
                    for class in classes {
                        windows.add(*is_later, answer, *class);
                    }
                }
                Shift::of(&windows, &[2])
            };
            prop_assert_eq!(shift(&answers), shift(&other));
        }
    }

    #[test]
    fn windows_count_by_class() {
        let mut windows = Windows::new(2);
        windows.add(true, 1, 1);
        windows.add(false, 2, 0);
        windows.add(false, 3, 9);
        assert_eq!((&windows.before, &windows.after), (&vec![1, 0], &vec![0, 1]));
        assert_eq!((windows.units(), windows.clusters()), ([1, 1], [1, 1]));
        assert_eq!(Shift::of(&windows, &[1]).rise(), Some(1.0));
    }
}
