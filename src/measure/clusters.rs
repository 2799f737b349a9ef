//! Units that came together hang together, the claims of one answer above all: how much more a share varies for it.

use super::estimate::Estimate;
use super::proportion::wilson_of_clusters;

/// Units counted by class, cluster by cluster.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Clusters {
    classes: usize,
    /// The cluster that is being counted, with its counts.
    open: Option<(u64, Vec<u64>)>,
    counted: u64,
    /// Over all clusters that are counted, for each two classes the sum of the products of their counts.
    products: Vec<u64>,
}

impl Clusters {
    pub fn new(classes: usize) -> Self {
        Self { classes, open: None, counted: 0, products: vec![0; classes * classes] }
    }

    /// Counts a unit of a cluster; the units of one cluster come one after the other.
    pub fn add(&mut self, cluster: u64, class: usize) {
        if self.open.as_ref().is_some_and(|(open, _)| *open != cluster) {
            self.close();
        }
        let (_, counts) = self.open.get_or_insert_with(|| (cluster, vec![0; self.classes]));
        if let Some(count) = counts.get_mut(class) {
            *count += 1;
        }
    }

    fn close(&mut self) {
        let Some((_, counts)) = self.open.take() else { return };
        self.counted += 1;
        let pairs = counts.iter().flat_map(|one| counts.iter().map(move |other| one * other));
        for (sum, product) in self.products.iter_mut().zip(pairs) {
            *sum += product;
        }
    }

    /// Over all clusters, the sum of the products of how many units are of the classes `ones` and `others`.
    fn product(&self, ones: &[usize], others: &[usize]) -> f64 {
        let of = |one: usize, other: usize| self.products.get(one * self.classes + other).copied();
        let each = ones.iter().flat_map(|one| others.iter().map(move |other| of(*one, *other)));
        each.map(|product| product.unwrap_or(0) as f64).sum()
    }

    /// How many clusters have units here.
    pub fn count(&self) -> u64 {
        self.counted + u64::from(self.open.is_some())
    }

    /// How many times more the share of the classes `of` varies here than it would if each unit stood for itself: 1 or
    /// more. `None` where one cluster is all there is, or all units are alike: nobody can tell from that. `counts` are
    /// those of all classes.
    fn effect(&self, counts: &[u64], of: &[usize]) -> Option<f64> {
        let mut closed = self.clone();
        closed.close();
        let units = counts.iter().sum::<u64>() as f64;
        let share = part(counts, of) as f64 / units;
        if closed.counted < 2 || share <= 0.0 || share >= 1.0 {
            return None;
        }
        let all: Vec<usize> = (0..self.classes).collect();
        let clusters = closed.counted as f64;
        let apart = closed.product(of, of) - 2.0 * share * closed.product(of, &all)
            + share * share * closed.product(&all, &all);
        let shown = apart.max(0.0) * clusters / (clusters - 1.0);
        Some((shown / (units * share * (1.0 - share))).max(1.0))
    }

    /// Units of a cluster in the mean: the design effect where those of each are all alike.
    fn size(&self, counts: &[u64]) -> f64 {
        counts.iter().sum::<u64>() as f64 / self.count().max(1) as f64
    }
}

/// How many units are of the classes `of`.
fn part(counts: &[u64], of: &[usize]) -> u64 {
    of.iter().filter_map(|class| counts.get(*class)).sum()
}

/// How many times more the difference of the two windows' shares of the classes `of` varies than it would if each unit
/// stood for itself: the design effect, 1 or more. Of windows with V₁ and V₂ as the variances of their counts the
/// difference has V₁/n₁² + V₂/n₂²; while the shares are the same, that is the binomial variance times each window's own
/// effect, weighed by the share of the other window in all units (Rao and Scott): the smaller window rules.
///
/// Where a window's units are all alike, how far they hang together is taken from the other (by the correlation within
/// clusters), and where neither can tell, or a window is a single cluster, each cluster counts as one unit.
pub fn design_effect(windows: [(&Clusters, &[u64]); 2], of: &[usize]) -> f64 {
    let units = windows.map(|(_, counts)| counts.iter().sum::<u64>() as f64);
    let own = windows.map(|(clusters, counts)| clusters.effect(counts, of));
    let size = windows.map(|(clusters, counts)| clusters.size(counts));
    let all = units[0] + units[1];
    let weighed = |one: usize, other: usize| {
        let borrowed = own[other].filter(|_| size[other] > 1.0 && windows[one].0.count() > 1);
        let correlation = borrowed.map_or(1.0, |effect| ((effect - 1.0) / (size[other] - 1.0)).min(1.0));
        let effect = own[one].unwrap_or(1.0 + (size[one] - 1.0) * correlation);
        effect * units[other] / all
    };
    if units[0] > 0.0 && units[1] > 0.0 { (weighed(0, 1) + weighed(1, 0)).max(1.0) } else { 1.0 }
}

/// The share of the classes `of` among all units, whose numbers by class are `counts`: Wilson's interval with the design
/// effect. Where nobody can tell how far those of one cluster hang together, each cluster counts as one.
pub fn share(clusters: &Clusters, counts: &[u64], of: &[usize]) -> Estimate {
    let effect = clusters.effect(counts, of).unwrap_or_else(|| clusters.size(counts).max(1.0));
    wilson_of_clusters(part(counts, of), counts.iter().sum(), effect)
}

/// The same for a test of all classes: the mean of their design effects, each by the share of the others (Rao and
/// Scott's correction of the first order).
pub fn mean_design_effect(windows: [(&Clusters, &[u64]); 2]) -> f64 {
    let [(_, before), (_, after)] = windows;
    let counts: Vec<u64> = before.iter().zip(after).map(|(one, other)| one + other).collect();
    let (all, used) = (counts.iter().sum::<u64>(), counts.iter().filter(|count| **count > 0).count());
    if all == 0 || used < 2 {
        return 1.0;
    }
    let each = counts.iter().enumerate().filter(|(_, count)| **count > 0);
    let sum: f64 = each
        .map(|(class, count)| (1.0 - *count as f64 / all as f64) * design_effect(windows, &[class]))
        .sum();
    (sum / (used - 1) as f64).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers of so many claims, the first `wrong` of them wrong in every claim; or one claim each.
    fn window(answers: u64, claims: u64, wrong: u64, hang_together: bool) -> (Clusters, Vec<u64>) {
        let (mut clusters, mut counts) = (Clusters::new(2), vec![0; 2]);
        for n in 0..answers * claims {
            let class = usize::from(n / claims < wrong);
            clusters.add(if hang_together { n / claims } else { n }, class);
            counts[class] += 1;
        }
        (clusters, counts)
    }

    fn effect(hang_together: bool) -> [f64; 2] {
        let (before, after) = (window(100, 10, 10, hang_together), window(100, 10, 20, hang_together));
        let windows = [(&before.0, before.1.as_slice()), (&after.0, after.1.as_slice())];
        [design_effect(windows, &[1]), mean_design_effect(windows)]
    }

    #[test]
    fn ten_claims_that_are_all_alike_count_as_one() {
        // k / (k − 1) with 100 answers, times the ten claims of each.
        for effect in effect(true) {
            assert!((effect - 10.0 * 100.0 / 99.0).abs() < 1e-9, "{effect}");
        }
        for effect in effect(false) {
            assert!((effect - 1000.0 / 999.0).abs() < 1e-9, "{effect}");
        }
    }

    #[test]
    fn the_smaller_window_rules() {
        // 10,000 answers of one claim, and 5 of twenty, 2 of them wrong throughout.
        let (before, after) = (window(10_000, 1, 1_000, true), window(5, 20, 2, true));
        let both = [(&before.0, before.1.as_slice()), (&after.0, after.1.as_slice())];
        // The variance of the difference, with that of 5 answers at 2/5 and of 10,000 at 1/10.
        let (large, small) = (0.1 * 0.9 / 9_999.0, 0.4 * 0.6 / 4.0);
        assert!((design_effect(both, &[1]) - 24.8).abs() < 0.05, "{}", design_effect(both, &[1]));
        let weighed = large / (0.1 * 0.9 / 10_000.0) * 100.0 / 10_100.0
            + small / (0.4 * 0.6 / 100.0) * 10_000.0 / 10_100.0;
        assert!((design_effect(both, &[1]) - weighed).abs() < 1e-9);
        assert!((mean_design_effect(both) - weighed).abs() < 1e-9);

        // 1,000 answers that are wrong in all of their ten claims, or in none, do not thin a hundred single claims.
        let (before, after) = (window(1_000, 10, 100, true), window(100, 1, 30, true));
        let both = [(&before.0, before.1.as_slice()), (&after.0, after.1.as_slice())];
        assert!((design_effect(both, &[1]) - 1.1).abs() < 0.01, "{}", design_effect(both, &[1]));
        let turned = [both[1], both[0]];
        assert!((design_effect(turned, &[1]) - design_effect(both, &[1])).abs() < 1e-12);
    }

    #[test]
    fn one_answer_counts_as_one() {
        let (before, after) = (window(10_000, 1, 1_000, true), window(1, 60, 1, true));
        let both = [(&before.0, before.1.as_slice()), (&after.0, after.1.as_slice())];
        assert!(design_effect(both, &[1]) > 59.0);
        let (before, after) = (window(1_000, 10, 100, false), window(1, 60, 1, true));
        let both = [(&before.0, before.1.as_slice()), (&after.0, after.1.as_slice())];
        assert!(design_effect(both, &[1]) > 59.0, "whatever other answers are like");
        let mut mixed = Clusters::new(2);
        (0..60).for_each(|n| mixed.add(0, usize::from(n < 30)));
        let (one, other) = (share(&mixed, &[30, 30], &[1]), wilson_of_clusters(30, 60, 60.0));
        assert_eq!(one, other, "one unit, though its claims differ");
    }

    #[test]
    fn a_window_without_any_is_as_the_other_one() {
        // None of a thousand, then fifty, each in an answer of its own: answers of twenty claims, that do not hang together.
        let before = window(50, 20, 0, true);
        let (mut after, counts) = (Clusters::new(2), [950, 50]);
        (0..1_000).for_each(|n| after.add(n / 20, usize::from(n % 20 == 0)));
        let effect = design_effect([(&before.0, before.1.as_slice()), (&after, &counts)], &[1]);
        assert!((effect - 1.0).abs() < 1e-9, "{effect}");
        // Five answers without a wrong claim say little where answers are wrong as a whole.
        let (before, after) = (window(5, 20, 0, true), window(1_000, 10, 100, true));
        let effect = design_effect([(&before.0, before.1.as_slice()), (&after.0, after.1.as_slice())], &[1]);
        assert!(effect > 19.0, "{effect}");
    }

    #[test]
    fn claims_that_differ_within_their_answer_are_no_more_certain_than_if_they_stood_alone() {
        let mut clusters = Clusters::new(2);
        for n in 0..200 {
            clusters.add(n / 2, usize::from(n % 2 == 0));
        }
        let window = (&clusters, [100, 100].as_slice());
        assert!((design_effect([window, window], &[0]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn nothing_hangs_together_with_nothing() {
        let none = (&Clusters::default(), [].as_slice());
        assert_eq!((design_effect([none, none], &[0]), mean_design_effect([none, none])), (1.0, 1.0));
    }
}
