//! How well a score puts one class before the other.

use super::Figure;

/// The area under the receiver operating characteristic: how probable it is that a row of the class has the higher
/// score than another one, a tie counting half. `rows` are scores with whether the row is of the class.
pub fn auroc(rows: &[(f64, bool)]) -> Figure {
    let meant = rows.iter().filter(|(_, meant)| *meant).count() as f64;
    let others = rows.len() as f64 - meant;
    if rows.is_empty() {
        return Figure::undefined("there is no row");
    }
    if meant == 0.0 || others == 0.0 {
        return Figure::undefined("all rows are of one class");
    }
    // The sum of the ranks of the class, ties sharing their mean rank (Mann and Whitney's U).
    let mut ranks = 0.0;
    let mut below = 0;
    for level in levels(rows) {
        let mean_rank = below as f64 + f64::midpoint(1.0, level.len() as f64);
        ranks += mean_rank * level.iter().filter(|(_, meant)| *meant).count() as f64;
        below += level.len();
    }
    Figure::of((ranks - meant * (meant + 1.0) / 2.0) / (meant * others))
}

/// The highest balanced accuracy that any threshold on the score reaches on these very rows: rows with a score of at
/// least the threshold count as of the class.
pub fn best_balanced_accuracy(rows: &[(f64, bool)]) -> Figure {
    let meant = rows.iter().filter(|(_, meant)| *meant).count() as f64;
    let others = rows.len() as f64 - meant;
    if meant == 0.0 || others == 0.0 {
        return Figure::undefined("all rows are of one class");
    }
    // Below every score all rows are of the class: 0.5.
    let (mut best, mut lost, mut left_alone) = (0.5_f64, 0.0, 0.0);
    for level in levels(rows) {
        let of_class = level.iter().filter(|(_, meant)| *meant).count() as f64;
        lost += of_class;
        left_alone += level.len() as f64 - of_class;
        best = best.max(f64::midpoint((meant - lost) / meant, left_alone / others));
    }
    Figure::of(best)
}

/// The rows in ascending order, those of the same score together.
fn levels(rows: &[(f64, bool)]) -> Vec<Vec<(f64, bool)>> {
    let mut sorted = rows.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    sorted.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()).map(<[(f64, bool)]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_worked_example_with_a_tie() {
        // Pairs (of the class, other): 0.9 beats 0.4 and 0.7; 0.7 beats 0.4 and ties with 0.7: 3.5 of 4.
        let rows = [(0.9, true), (0.7, true), (0.7, false), (0.4, false)];
        assert_eq!(auroc(&rows), Figure::of(0.875));
        assert_eq!(best_balanced_accuracy(&rows), Figure::of(0.75));
    }

    #[test]
    fn the_ends_of_the_scale() {
        assert_eq!(auroc(&[(1.0, true), (0.0, false)]), Figure::of(1.0));
        assert_eq!(auroc(&[(0.0, true), (1.0, false)]), Figure::of(0.0));
        assert_eq!(auroc(&[(0.5, true), (0.5, false)]), Figure::of(0.5));
        assert_eq!(best_balanced_accuracy(&[(0.0, true), (1.0, false)]), Figure::of(0.5));
        assert!(auroc(&[(0.5, true)]).undefined_because.is_some());
        assert!(auroc(&[]).undefined_because.is_some());
        assert!(best_balanced_accuracy(&[]).undefined_because.is_some());
    }

    proptest! {
        #[test]
        fn the_area_is_what_counting_pairs_gives(rows in proptest::collection::vec((0_u8..5, any::<bool>()), 2..40)) {
            let rows: Vec<(f64, bool)> = rows.iter().map(|(score, meant)| (f64::from(*score), *meant)).collect();
            let (mut won, mut pairs) = (0.0, 0.0);
            for (score, _) in rows.iter().filter(|(_, meant)| *meant) {
                for (other, _) in rows.iter().filter(|(_, meant)| !meant) {
                    pairs += 1.0;
                    won += if score > other { 1.0 } else if score < other { 0.0 } else { 0.5 };
                }
            }
            match auroc(&rows).value {
                Some(area) => prop_assert!((area - won / pairs).abs() < 1e-9),
                None => prop_assert!(pairs == 0.0),
            }
        }
    }
}
