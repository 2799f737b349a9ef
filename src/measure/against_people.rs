//! A judge against the consensus of people, item by item; and against what it was before.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::alpha::{Metric, alpha};
use super::bootstrap::{Draws, Resampling};
use super::calibration::{brier, expected_error};
use super::chance::ac1;
use super::classes::Confusion;
use super::estimate::{Estimate, Interval, Method};
use super::groups::{Groups, by_group};
use super::kappa::{PairTable, Weights};
use super::mcnemar::{McNemar, mcnemar};
use super::proportion::wilson;
use super::ratings::Ratings;
use crate::domain::annotation::Scale;

/// One item on which people agree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// What people call it.
    pub unit: String,
    /// Of its words: another item may come to bear its name.
    #[serde(default)]
    pub text_sha256: String,
    /// The number of the category that most people chose.
    pub people: usize,
    /// That of the judge; `None` where it has no verdict.
    pub judge: Option<usize>,
    /// The probability, as the judge states it, that its verdict is right.
    pub confidence: Option<f64>,
    /// The number of its record: the claims of one hang together.
    #[serde(skip)]
    pub group: usize,
}

/// How well one category is told apart from the others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Class {
    pub precision: Estimate,
    pub recall: Estimate,
}

/// All figures. But for coverage they are of the items with a verdict of the judge; `n` are those. Where records have
/// several items, intervals are by record.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgainstPeople {
    /// Records that the items are of.
    pub groups: u64,
    /// The share of the items that the judge has a verdict on.
    pub coverage: Estimate,
    /// Rows: people; columns: the judge.
    #[serde(flatten)]
    pub table: PairTable,
    pub raw: Estimate,
    pub kappa: Estimate,
    pub kappa_linear: Estimate,
    pub kappa_quadratic: Estimate,
    pub alpha: Estimate,
    pub alpha_ordinal: Estimate,
    pub alpha_interval: Estimate,
    pub ac1: Estimate,
    /// In the order of the scale.
    pub classes: Vec<Class>,
    /// Expected calibration error of the stated confidence.
    pub calibration_error: Estimate,
    pub brier: Estimate,
}

/// How many categories of the scale a judge can say: it never says that it cannot judge, or that something is no claim.
pub fn sayable(scale: Scale) -> usize {
    match scale.ordered() {
        0 => scale.categories(),
        ordered => ordered,
    }
}

/// The coefficient that a judge is held to: plain kappa for verdicts, with quadratic weights for scores, where it
/// matters how far off one is.
pub const fn weights(scale: Scale) -> Weights {
    match scale {
        Scale::Scores => Weights::Quadratic,
        Scale::Verdicts | Scale::Answers => Weights::Plain,
    }
}

impl AgainstPeople {
    pub fn of(items: &[Item], scale: Scale, resampling: Resampling) -> Self {
        let table = table(items, sayable(scale));
        let mut ratings = Ratings::new(sayable(scale));
        for (people, row) in table.counts.iter().enumerate() {
            for (judge, count) in row.iter().enumerate() {
                ratings.add_alike([people, judge], *count);
            }
        }
        let in_order = |figure: &dyn Fn() -> Estimate| {
            if scale.ordered() == 0 {
                Estimate::undefined(table.units(), "the categories stand in no order")
            } else {
                figure()
            }
        };
        let by_order = |metric| in_order(&|| alpha(&ratings, metric, &scale.values(), resampling));
        let answered = items.iter().filter(|item| item.judge.is_some()).count() as u64;
        let (calibration_error, brier) = stated(items, resampling);
        let figures = Self {
            groups: items.len() as u64,
            coverage: match items.len() as u64 {
                0 => Estimate::undefined(0, "there is no item"),
                all => wilson(answered, all),
            },
            raw: table.raw_agreement(),
            kappa: table.kappa(Weights::Plain),
            kappa_linear: in_order(&|| table.kappa(Weights::Linear)),
            kappa_quadratic: in_order(&|| table.kappa(Weights::Quadratic)),
            alpha: alpha(&ratings, Metric::Nominal, &[], resampling),
            alpha_ordinal: by_order(Metric::Ordinal),
            alpha_interval: by_order(Metric::Interval),
            ac1: ac1(&ratings),
            classes: (0..sayable(scale)).map(|category| class(&table, category)).collect(),
            calibration_error,
            brier,
            table,
        };
        match Groups::of(items) {
            Some(groups) => by_group(figures, &groups, scale, resampling),
            None => figures,
        }
    }

    /// The coefficient that the judge is held to.
    pub fn held_to(&self, scale: Scale) -> &Estimate {
        match weights(scale) {
            Weights::Plain => &self.kappa,
            Weights::Linear => &self.kappa_linear,
            Weights::Quadratic => &self.kappa_quadratic,
        }
    }
}

fn table(items: &[Item], categories: usize) -> PairTable {
    let mut table = PairTable::new(categories);
    for item in items {
        if let Some(judge) = item.judge {
            table.add(item.people, judge);
        }
    }
    table
}

fn class(table: &PairTable, category: usize) -> Class {
    let mut counts = Confusion::default();
    for (people, row) in table.counts.iter().enumerate() {
        for (judge, count) in row.iter().enumerate() {
            counts = counts.plus(Confusion::many(people == category, judge == category, *count));
        }
    }
    let share = |part: u64, whole: u64, because: &'static str| {
        if whole == 0 { Estimate::undefined(0, because) } else { wilson(part, whole) }
    };
    Class {
        precision: share(counts.hits, counts.hits + counts.false_alarms, "the judge never says it"),
        recall: share(counts.hits, counts.hits + counts.misses, "people never say it"),
    }
}

/// Error of the stated confidence and Brier score, with intervals by item.
fn stated(items: &[Item], resampling: Resampling) -> (Estimate, Estimate) {
    let mut rows: Vec<(f64, bool)> =
        items.iter().filter_map(|item| Some((item.confidence?, item.judge? == item.people))).collect();
    rows.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    let n = rows.len() as u64;
    let drawn = |draws: Draws| -> Vec<(f64, bool)> { draws.filter_map(|at| rows.get(at).copied()).collect() };
    let [of_error, of_brier] = resampling.replicates_of(rows.len(), |draws| {
        let rows = drawn(draws);
        [expected_error(&rows).value, brier(&rows).value]
    });
    (
        Estimate::of(expected_error(&rows), n).within(of_error.interval()),
        Estimate::of(brier(&rows), n).within(of_brier.interval()),
    )
}

/// The fewest records on which a change can be told from chance: were it the same on each of them, it would still have
/// p = 0.06 on one less.
pub const LEAST_RECORDS: u64 = 6;

/// A judge now against a judge before, on the items that both have a verdict on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// Records that these items are of.
    pub records: u64,
    /// Items of now that bear a name of before with other words, or on which people's consensus is another: they are
    /// not compared.
    pub others: u64,
    /// Now less before, of the coefficient that judges are held to; minus means worse. `n` are the common items.
    pub kappa: Estimate,
    /// The share that agrees with people, likewise.
    pub raw: Estimate,
    /// `only_first`: records of which the judge before got more items right; `only_second`: the judge now.
    pub test: McNemar,
    /// The same of how far from people the judge is: `only_first` are records on which it was nearer before.
    pub distance: McNemar,
    /// The same of items on which it has a verdict: `only_first` are records on which the judge before had more.
    pub coverage: McNemar,
}

impl Change {
    /// Whether the judge certainly agrees less with people than before: not even the upper end of an interval is 0, and
    /// an exact test on the items themselves says so too, because few items that changed make any interval too short.
    /// One that certainly says less is worse as well: what it leaves out may be what it got wrong.
    pub fn is_worse(&self) -> bool {
        let fell = |change: &Estimate, test: &McNemar| {
            change.interval().is_some_and(|interval| interval.high < 0.0) && is_less(test)
        };
        fell(&self.raw, &self.test) || fell(&self.kappa, &self.distance) || is_less(&self.coverage)
    }
}

fn is_less(test: &McNemar) -> bool {
    test.only_first > test.only_second && test.p < 0.05
}

/// Of one record's items that both have a verdict on: what people say, what the judge said, and what it says now.
type Common = Vec<(usize, usize, usize)>;

/// Compares the same items, those of the same name and words; what only one side has, or on which people's consensus is
/// another, is left out.
pub fn change(before: &[Item], now: &[Item], scale: Scale, resampling: Resampling) -> Change {
    let earlier: HashMap<&str, &Item> = before.iter().map(|item| (item.unit.as_str(), item)).collect();
    let mut others = 0;
    // Of each record what both said, and on how many more of its items than before the judge has a verdict.
    let mut records: HashMap<usize, (Common, i64)> = HashMap::new();
    for item in now {
        let Some(was) = earlier.get(item.unit.as_str()) else { continue };
        if (was.people, &was.text_sha256) != (item.people, &item.text_sha256) {
            others += 1;
            continue;
        }
        let (common, gained) = records.entry(item.group).or_default();
        *gained += i64::from(item.judge.is_some()) - i64::from(was.judge.is_some());
        common.extend(was.judge.zip(item.judge).map(|(was, is)| (item.people, was, is)));
    }
    let gained: Vec<i64> = records.values().map(|(_, gained)| *gained).collect();
    let mut common: Vec<Common> =
        records.into_values().map(|(common, _)| common).filter(|common| !common.is_empty()).collect();
    for record in &mut common {
        record.sort_unstable();
    }
    common.sort_unstable();
    let n = common.iter().map(Vec::len).sum::<usize>() as u64;
    let difference = |units: &mut dyn Iterator<Item = &(usize, usize, usize)>| {
        let (mut earlier, mut later) = (PairTable::new(sayable(scale)), PairTable::new(sayable(scale)));
        for (people, before, now) in units {
            earlier.add(*people, *before);
            later.add(*people, *now);
        }
        let raw = later.share_agreed().zip(earlier.share_agreed()).map(|(now, before)| now - before);
        let kappa = |table: &PairTable| table.kappa_value(weights(scale));
        [kappa(&later).zip(kappa(&earlier)).map(|(now, before)| now - before), raw]
    };
    let [kappa, raw] = difference(&mut common.iter().flatten());
    let [of_kappa, of_raw] = resampling
        .replicates_of(common.len(), |draws| difference(&mut draws.filter_map(|at| common.get(at)).flatten()))
        .map(|replicates| replicates.interval());
    let estimate = |value: Option<f64>, interval: Option<Interval>| match value {
        Some(value) => Estimate::known(value, n).within(interval.filter(|of| of.method == Method::Bootstrap)),
        None if n == 0 => Estimate::undefined(0, "no item has a verdict of both"),
        None => Estimate::undefined(n, "one side has no variation"),
    };
    let right = |people: usize, judge: usize| i64::from(people == judge);
    // Categories that are not scores are as far from each other as from any.
    let apart = |people: usize, judge: usize| match scale {
        Scale::Scores => people.abs_diff(judge) as i64,
        _ => i64::from(people != judge),
    };
    let each = |of: &dyn Fn(usize, usize, usize) -> i64| -> Vec<i64> {
        let of_record = |record: &Common| record.iter().map(|(people, was, is)| of(*people, *was, *is)).sum();
        common.iter().map(of_record).collect()
    };
    let nearer = |people, was, is| (apart(people, was) - apart(people, is)).signum();
    Change {
        records: common.len() as u64,
        others,
        distance: fell_and_rose(&each(&nearer)),
        coverage: fell_and_rose(&gained),
        kappa: estimate(kappa, of_kappa),
        raw: estimate(raw, of_raw),
        test: fell_and_rose(&each(&|people, was, is| right(people, is) - right(people, was))),
    }
}

/// The exact test on the records in which it became less, against those in which it became more: of records with one
/// item that of [`mcnemar`].
fn fell_and_rose(changes: &[i64]) -> McNemar {
    let count = |is: fn(&i64) -> bool| changes.iter().copied().filter(is).count() as u64;
    mcnemar(count(|change| *change < 0), count(|change| *change > 0))
}

#[cfg(test)]
mod tests {
    use super::super::ratings::published::near;
    use super::*;

    const FEW: Resampling = Resampling { resamples: 200, seed: 1 };

    fn item(unit: usize, people: usize, judge: Option<usize>) -> Item {
        let text_sha256 = format!("words {unit}");
        Item {
            unit: unit.to_string(),
            text_sha256,
            people,
            judge,
            confidence: judge.map(|_| 0.9),
            group: unit,
        }
    }

    /// The table [[20, 5], [10, 15]], kappa 0.4, and five items without a verdict.
    fn items() -> Vec<Item> {
        let cells = [(0, Some(0), 20), (0, Some(1), 5), (1, Some(0), 10), (1, Some(1), 15), (1, None, 5)];
        let each = cells.iter().flat_map(|(people, judge, count)| vec![(*people, *judge); *count]);
        each.enumerate().map(|(unit, (people, judge))| item(unit, people, judge)).collect()
    }

    #[test]
    fn a_worked_example() {
        let found = AgainstPeople::of(&items(), Scale::Answers, FEW);
        near(found.kappa.value(), 0.4, 9);
        near(found.coverage.value(), 50.0 / 55.0, 9);
        near(found.raw.value(), 0.7, 9);
        near(found.classes[1].precision.value(), 0.75, 9);
        near(found.classes[1].recall.value(), 0.6, 9);
        near(found.calibration_error.value(), 0.2, 9);
        near(found.brier.value(), 0.7 * 0.01 + 0.3 * 0.81, 9);
        assert!(found.brier.interval().is_some() && found.kappa_linear.value().is_none());
        assert_eq!(found.held_to(Scale::Answers).n(), 50);
    }

    #[test]
    fn scores_are_held_to_quadratic_weights() {
        let items: Vec<Item> = (0..20).map(|unit| item(unit, unit % 5, Some((unit % 5).min(3)))).collect();
        let found = AgainstPeople::of(&items, Scale::Scores, FEW);
        assert_eq!(found.held_to(Scale::Scores), &found.kappa_quadratic);
        assert!(found.kappa_quadratic.value() > found.kappa.value());
        assert_eq!(found.classes[4].precision.undefined_because(), Some("the judge never says it"));
    }

    #[test]
    fn order_changes_nothing() {
        let mut turned = items();
        turned.reverse();
        let (one, other) = (
            AgainstPeople::of(&items(), Scale::Answers, FEW),
            AgainstPeople::of(&turned, Scale::Answers, FEW),
        );
        assert_eq!(one, other);
        assert_eq!(
            change(&items(), &turned, Scale::Answers, FEW),
            change(&turned, &items(), Scale::Answers, FEW)
        );
    }

    #[test]
    fn a_judge_that_got_worse_is_found_and_the_same_one_is_not() {
        let good: Vec<Item> = (0..100).map(|unit| item(unit, unit % 4, Some(unit % 4))).collect();
        let worse: Vec<Item> = good
            .iter()
            .enumerate()
            .map(
                |(unit, one)| {
                    if unit < 20 { item(unit, one.people, Some((one.people + 1) % 4)) } else { one.clone() }
                },
            )
            .collect();
        let fell = change(&good, &worse, Scale::Verdicts, FEW);
        assert!(fell.is_worse() && fell.kappa.value() < Some(-0.2), "{fell:?}");
        assert_eq!((fell.test.only_first, fell.test.only_second), (20, 0));
        assert!(!change(&worse, &good, Scale::Verdicts, FEW).is_worse());
        let same = change(&good, &good, Scale::Verdicts, FEW);
        near(same.kappa.value(), 0.0, 12);
        assert!(!same.is_worse());
        // Two items of a hundred may be chance.
        let hardly: Vec<Item> = good
            .iter()
            .enumerate()
            .map(
                |(unit, one)| {
                    if unit < 1 { item(unit, one.people, Some((one.people + 1) % 4)) } else { one.clone() }
                },
            )
            .collect();
        assert!(!change(&good, &hardly, Scale::Verdicts, FEW).is_worse());
    }

    #[test]
    fn four_or_five_items_are_not_certain_and_six_are() {
        let good: Vec<Item> = (0..60).map(|unit| item(unit, unit % 4, Some(unit % 4))).collect();
        let with_wrong = |many: usize| -> Vec<Item> {
            let judge = |unit: usize| if unit < many { (unit + 1) % 4 } else { unit % 4 };
            (0..60).map(|unit| item(unit, unit % 4, Some(judge(unit)))).collect()
        };
        for few in [4, 5] {
            let change = change(&good, &with_wrong(few), Scale::Verdicts, Resampling::default());
            assert!(change.raw.interval().is_some_and(|of| of.high < 0.0), "the interval alone would say so");
            assert!(!change.is_worse(), "{few}: p is {}", change.test.p);
        }
        assert!(change(&good, &with_wrong(6), Scale::Verdicts, Resampling::default()).is_worse());
    }

    #[test]
    fn a_judge_that_says_less_is_worse_and_scores_that_drift_away_are_too() {
        let good: Vec<Item> = (0..60).map(|unit| item(unit, unit % 4, Some(unit % 4))).collect();
        let silent: Vec<Item> =
            (0..60).map(|unit| item(unit, unit % 4, (unit >= 10).then_some(unit % 4))).collect();
        let change = change(&good, &silent, Scale::Verdicts, FEW);
        assert_eq!((change.coverage.only_first, change.coverage.only_second), (10, 0));
        assert!(change.is_worse());
        let scores = |off: usize| -> Vec<Item> {
            let judge = |unit: usize| if unit < 20 { (unit % 5).abs_diff(off) } else { unit % 5 };
            (0..60).map(|unit| item(unit, unit % 5, Some(judge(unit)))).collect()
        };
        let away = super::change(&scores(1), &scores(4), Scale::Scores, FEW);
        assert!(away.distance.only_first > away.distance.only_second, "{away:?}");
    }

    #[test]
    fn claims_of_one_record_that_all_turn_are_one_change() {
        let of = |wrong: usize| -> Vec<Item> {
            let judge = |unit: usize| if unit < wrong { (unit % 4 + 1) % 4 } else { unit % 4 };
            (0..120)
                .map(|unit| Item { group: unit / 10, ..item(unit, unit % 4, Some(judge(unit))) })
                .collect()
        };
        let change = change(&of(0), &of(30), Scale::Verdicts, FEW);
        assert_eq!((change.raw.n(), change.test.only_first, change.test.only_second), (120, 3, 0));
        assert!(!change.is_worse(), "three records of twelve may be chance: {change:?}");
        assert!(super::change(&of(0), &of(80), Scale::Verdicts, FEW).is_worse());
    }

    #[test]
    fn an_item_of_the_same_name_with_other_words_is_another_one() {
        let other = |item: Item| Item { text_sha256: "other words".to_owned(), ..item };
        let renamed: Vec<Item> = items().into_iter().map(other).collect();
        let found = change(&renamed, &items(), Scale::Answers, FEW);
        assert_eq!((found.others, found.records, found.raw.n()), (55, 0, 0));
        let found = change(&items(), &items(), Scale::Answers, FEW);
        assert_eq!((found.others, found.records, found.raw.n()), (0, 50, 50));
    }

    #[test]
    fn so_few_records_can_never_be_told_from_chance() {
        let all_worse = |records| fell_and_rose(&vec![-1; records as usize]);
        assert!(!is_less(&all_worse(LEAST_RECORDS - 1)) && is_less(&all_worse(LEAST_RECORDS)));
    }

    #[test]
    fn without_common_items_there_is_no_change_to_tell() {
        let found = change(&[], &items(), Scale::Answers, FEW);
        assert_eq!(found.kappa.undefined_because(), Some("no item has a verdict of both"));
        assert!(AgainstPeople::of(&[], Scale::Verdicts, FEW).coverage.undefined_because().is_some());
    }
}
