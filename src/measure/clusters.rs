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

    /// The variance of the number of units of the classes `of` as the clusters show it, and as units would that have
    /// nothing to do with each other. `counts` are those of all classes.
    fn variances(&self, counts: &[u64], of: &[usize]) -> (f64, f64) {
        let mut closed = self.clone();
        closed.close();
        let units = counts.iter().sum::<u64>() as f64;
        if closed.counted < 2 || units <= 0.0 {
            return (0.0, 0.0);
        }
        let all: Vec<usize> = (0..self.classes).collect();
        let share = of.iter().filter_map(|class| counts.get(*class)).sum::<u64>() as f64 / units;
        let clusters = closed.counted as f64;
        let apart = closed.product(of, of) - 2.0 * share * closed.product(of, &all)
            + share * share * closed.product(&all, &all);
        (apart.max(0.0) * clusters / (clusters - 1.0), units * share * (1.0 - share))
    }
}

/// How many times more the share of the classes `of` varies in both windows together than it would if each unit stood
/// for itself: the design effect, 1 or more.
pub fn design_effect(windows: [(&Clusters, &[u64]); 2], of: &[usize]) -> f64 {
    let [one, other] = windows.map(|(clusters, counts)| clusters.variances(counts, of));
    let (shown, independent) = (one.0 + other.0, one.1 + other.1);
    if independent > 0.0 { (shown / independent).max(1.0) } else { 1.0 }
}

/// The share of the classes `of` among all units, whose numbers by class are `counts`: Wilson's interval with the design
/// effect. Where all are alike nobody can tell how far those of one cluster hang together: each cluster counts as one.
pub fn share(clusters: &Clusters, counts: &[u64], of: &[usize]) -> Estimate {
    let all: u64 = counts.iter().sum();
    let part: u64 = of.iter().filter_map(|class| counts.get(*class)).sum();
    let mut closed = clusters.clone();
    closed.close();
    let effect = if part == 0 || part == all {
        all as f64 / closed.counted.max(1) as f64
    } else {
        design_effect([(clusters, counts), (&Clusters::default(), [].as_slice())], of)
    };
    wilson_of_clusters(part, all, effect.max(1.0))
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
