//! Days put together to a row of days or weeks, for what is shown over time.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::tally::Tally;

/// So many days are shown one by one; what spreads over more is put together by weeks.
pub const MOST_DAYS: usize = 14;
/// So many weeks are shown at most.
pub const MOST_WEEKS: usize = 12;

/// A day, or a week from Monday on, with what judges said in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// Its first day, UTC.
    pub first: Date,
    pub is_week: bool,
    pub tally: Tally,
}

/// The latest days in a row without a gap, or weeks where they spread over more than [`MOST_DAYS`]; a day or week in
/// which nothing was said has a tally of zeros. Ends with the last one in which something was said.
pub fn periods(days: &BTreeMap<Date, Tally>) -> Vec<Period> {
    let Some((&last, _)) = days.last_key_value() else { return Vec::new() };
    let earliest = monday(last).saturating_sub(jiff::Span::new().weeks(MOST_WEEKS as i64 - 1));
    let Some((&first, _)) = days.range(earliest..).next() else { return Vec::new() };
    let is_week = (0..MOST_DAYS as i64).all(|n| first.saturating_add(jiff::Span::new().days(n)) < last);
    let step = jiff::Span::new().days(if is_week { 7 } else { 1 });
    let mut periods = Vec::new();
    let mut at = if is_week { monday(first) } else { first };
    while at <= last && periods.len() < MOST_DAYS.max(MOST_WEEKS) {
        let next = at.saturating_add(step);
        let mut tally = Tally::default();
        for (_, of_day) in days.range(at..next) {
            tally.add(of_day);
        }
        periods.push(Period { first: at, is_week, tally });
        at = next;
    }
    periods
}

fn monday(day: Date) -> Date {
    day.saturating_sub(jiff::Span::new().days(i64::from(day.weekday().to_monday_zero_offset())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::verdict::Verdict;

    fn days(of: &[(&str, u64)]) -> BTreeMap<Date, Tally> {
        of.iter()
            .map(|(day, claims)| {
                let mut tally = Tally::default();
                tally.add_claims(Some(Verdict::FullySupported), None, *claims);
                (day.parse().unwrap(), tally)
            })
            .collect()
    }

    fn told(of: &[(&str, u64)]) -> Vec<(String, u64)> {
        periods(&days(of)).iter().map(|it| (it.first.to_string(), it.tally.claims)).collect()
    }

    #[test]
    fn a_fortnight_is_shown_by_days_without_a_gap() {
        let found = told(&[("2026-11-17", 3), ("2026-11-19", 1)]);
        assert_eq!(
            found,
            [("2026-11-17".to_owned(), 3), ("2026-11-18".to_owned(), 0), ("2026-11-19".to_owned(), 1)]
        );
        let most = told(&[("2026-11-17", 3), ("2026-11-30", 1)]);
        assert_eq!((most.len(), most[13].clone()), (MOST_DAYS, ("2026-11-30".to_owned(), 1)));
        assert!(periods(&BTreeMap::new()).is_empty());
    }

    #[test]
    fn more_is_shown_by_weeks_from_monday_on_the_latest_twelve() {
        // 2026-11-30 is a Monday.
        let found = told(&[("2026-11-16", 1), ("2026-11-22", 2), ("2026-11-29", 4), ("2026-11-30", 8)]);
        let expected = [("2026-11-16", 3), ("2026-11-23", 4), ("2026-11-30", 8)];
        assert_eq!(found, expected.map(|(day, claims)| (day.to_owned(), claims)));
        let long = told(&[("2025-01-01", 100), ("2026-09-14", 1), ("2026-11-30", 8)]);
        assert_eq!((long.len(), long[0].clone()), (MOST_WEEKS, ("2026-09-14".to_owned(), 1)));
        let older = told(&[("2026-09-13", 100), ("2026-11-30", 8)]);
        assert_eq!(older, [("2026-11-30".to_owned(), 8)], "what is older is not shown");
    }
}
