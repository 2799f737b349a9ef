//! Shares the rows of a panel among its parts: the parts say what they want, a list of steps says in
//! which order wishes come true.

/// One step: part `part` grows to `rows` rows, as far as there is room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    pub part: usize,
    pub rows: u16,
}

/// Rows for each of `parts` parts; together at most `height`.
pub(super) fn share(parts: usize, height: u16, steps: &[Step]) -> Vec<u16> {
    let mut given = vec![0_u16; parts];
    let mut left = height;
    for step in steps {
        if let Some(rows) = given.get_mut(step.part) {
            let more = step.rows.saturating_sub(*rows).min(left);
            *rows += more;
            left -= more;
        }
    }
    given
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_wishes_come_true_first() {
        let steps = [(0, 2), (1, 3), (0, 9), (2, 4)].map(|(part, rows)| Step { part, rows });
        assert_eq!(share(3, 4, &steps), [2, 2, 0]);
        assert_eq!(share(3, 14, &steps), [9, 3, 2]);
        assert_eq!(share(3, 99, &steps), [9, 3, 4]);
    }

    proptest! {
        #[test]
        fn never_more_than_there_is(height in 0_u16..60, steps in proptest::collection::vec((0_usize..6, 0_u16..40), 0..20)) {
            let steps: Vec<Step> = steps.into_iter().map(|(part, rows)| Step { part, rows }).collect();
            prop_assert!(share(5, height, &steps).iter().sum::<u16>() <= height);
        }
    }
}
