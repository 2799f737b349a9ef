//! Whether what is said is cited, and whether what is cited bears it out: two published definitions.

use super::bootstrap::Resampling;
use super::estimate::Estimate;
use super::proportion::wilson;

/// How one citation bears out its statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cited {
    /// The cited words alone bear the statement out.
    pub alone: Bearing,
    /// The other citations of the statement still bear it out fully without this one.
    pub rest_suffice: bool,
}

/// How far cited words bear a statement out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bearing {
    Not,
    Partly,
    Fully,
}

/// A statement that is worth verifying, with its citations.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Statement {
    /// All its citations together bear it out fully; never so without one.
    pub is_borne_out: bool,
    /// A citation names what is not there.
    pub cites_nothing: bool,
    pub citations: Vec<Cited>,
}

/// Recall and precision of citations.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct CitationQuality {
    /// Of the statements, those that their citations bear out.
    pub recall: Estimate,
    /// Of the citations, those that do their part.
    pub precision: Estimate,
}

/// By Liu, Zhang and Liang (2023): over all statements and all citations together. A citation counts when it bears its
/// statement out fully, or partly where all together do fully.
pub fn liu<'a>(statements: impl IntoIterator<Item = &'a Statement>) -> CitationQuality {
    let (mut borne_out, mut said, mut good, mut cited) = (0, 0, 0, 0);
    for statement in statements {
        said += 1;
        borne_out += u64::from(statement.is_borne_out);
        for citation in &statement.citations {
            cited += 1;
            good += u64::from(match citation.alone {
                Bearing::Fully => true,
                Bearing::Partly => statement.is_borne_out,
                Bearing::Not => false,
            });
        }
    }
    CitationQuality {
        recall: share(borne_out, said, "there is no statement to verify"),
        precision: share(good, cited, NOTHING_CITED),
    }
}

const NOTHING_CITED: &str = "nothing is cited";

fn share(part: u64, whole: u64, because: &'static str) -> Estimate {
    if whole == 0 { Estimate::undefined(0, because) } else { wilson(part, whole) }
}

/// By ALCE (Gao and others 2023): per answer, then the mean over the answers. A citation counts when the statement is
/// borne out and the citation is not irrelevant: alone it bears nothing out fully, and the rest suffice without it.
/// A statement that cites what is not there is not borne out, whatever else it cites. An answer that cites nothing has
/// precision 0. The intervals are by answer; `n` are the answers.
pub fn alce(answers: &[Vec<Statement>], resampling: Resampling) -> CitationQuality {
    let mut shares: Vec<(f64, f64)> = answers
        .iter()
        .filter(|statements| !statements.is_empty())
        .map(|statements| {
            let borne_out =
                statements.iter().filter(|statement| statement.is_borne_out && !statement.cites_nothing);
            let cited: usize = statements.iter().map(|statement| statement.citations.len()).sum();
            let precise: usize = borne_out.clone().map(relevant).sum();
            let of = |part: usize, whole: usize| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
            (of(borne_out.count(), statements.len()), of(precise, cited))
        })
        .collect();
    shares.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
    let n = shares.len();
    if n == 0 {
        let none = Estimate::undefined(0, "no answer has a statement to verify");
        return CitationQuality { recall: none.clone(), precision: none };
    }
    let mean = |part: fn(&(f64, f64)) -> f64| {
        let interval = resampling
            .replicates(n, |draws| {
                Some(draws.filter_map(|at| shares.get(at)).map(part).sum::<f64>() / n as f64)
            })
            .interval();
        Estimate::known(shares.iter().map(part).sum::<f64>() / n as f64, n as u64).within(interval)
    };
    CitationQuality { recall: mean(|(recall, _)| *recall), precision: mean(|(_, precision)| *precision) }
}

fn relevant(statement: &Statement) -> usize {
    let is_relevant = |citation: &&Cited| citation.alone == Bearing::Fully || !citation.rest_suffice;
    statement.citations.iter().filter(is_relevant).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::ratings::published::near;
    use super::*;

    fn cited(alone: Bearing, rest_suffice: bool) -> Cited {
        Cited { alone, rest_suffice }
    }

    /// One statement that two passages are cited for, of which the first suffices; one that its passage does not bear
    /// out; one without a citation.
    fn worked() -> Vec<Statement> {
        vec![
            Statement {
                is_borne_out: true,
                cites_nothing: false,
                citations: vec![cited(Bearing::Fully, false), cited(Bearing::Not, true)],
            },
            Statement {
                is_borne_out: false,
                cites_nothing: false,
                citations: vec![cited(Bearing::Not, false)],
            },
            Statement { is_borne_out: false, cites_nothing: false, citations: vec![] },
        ]
    }

    #[test]
    fn the_worked_answer() {
        let found = alce(&[worked()], Resampling::default());
        near(found.recall.value().map(|share| share * 100.0), 33.3, 1);
        near(found.precision.value().map(|share| share * 100.0), 33.3, 1);
        assert_eq!((found.recall.n(), found.recall.interval()), (1, None), "one answer has no interval");
    }

    #[test]
    fn the_same_over_all_citations() {
        let found = liu(&worked());
        near(found.recall.value(), 1.0 / 3.0, 12);
        near(found.precision.value(), 1.0 / 3.0, 12);
        assert_eq!((found.recall.n(), found.precision.n()), (3, 3));
        // Two halves of one statement are good citations together, and none alone.
        let halves = |is_borne_out| Statement {
            is_borne_out,
            cites_nothing: false,
            citations: vec![cited(Bearing::Partly, false), cited(Bearing::Partly, false)],
        };
        near(liu(&[halves(true)]).precision.value(), 1.0, 12);
        near(liu(&[halves(false)]).precision.value(), 0.0, 12);
        near(alce(&[vec![halves(true)]], Resampling::default()).precision.value(), 1.0, 12);
    }

    #[test]
    fn the_two_definitions_part_where_answers_differ_in_length() {
        let good = Statement {
            is_borne_out: true,
            cites_nothing: false,
            citations: vec![cited(Bearing::Fully, false)],
        };
        let bare = Statement { is_borne_out: false, cites_nothing: false, citations: vec![] };
        let answers = [vec![good], vec![bare.clone(), bare.clone(), bare]];
        near(alce(&answers, Resampling::default()).recall.value(), 0.5, 12);
        near(liu(answers.iter().flatten()).recall.value(), 0.25, 12);
        near(alce(&answers, Resampling::default()).precision.value(), 0.5, 12);
        near(liu(answers.iter().flatten()).precision.value(), 1.0, 12);
        let reversed: Vec<_> = answers.iter().rev().cloned().collect();
        assert_eq!(alce(&answers, Resampling::default()), alce(&reversed, Resampling::default()));
    }

    #[test]
    fn nothing_said_and_nothing_cited() {
        assert!(liu(&[]).recall.undefined_because().is_some());
        let bare = Statement { is_borne_out: false, cites_nothing: false, citations: vec![] };
        assert_eq!(liu([&bare]).precision.undefined_because(), Some(NOTHING_CITED));
        assert!(alce(&[vec![]], Resampling::default()).recall.undefined_because().is_some());
    }

    #[test]
    fn a_citation_of_nothing_takes_its_statement_away_by_alce() {
        let invented = Statement {
            is_borne_out: true,
            cites_nothing: true,
            citations: vec![cited(Bearing::Fully, false), cited(Bearing::Not, true)],
        };
        let found = alce(&[vec![invented.clone()]], Resampling::default());
        assert_eq!((found.recall.value(), found.precision.value()), (Some(0.0), Some(0.0)));
        near(liu(&[invented]).recall.value(), 1.0, 12);
    }

    /// Without a citation nothing is borne out.
    fn statement() -> impl Strategy<Value = Statement> {
        let bearing = prop_oneof![Just(Bearing::Not), Just(Bearing::Partly), Just(Bearing::Fully)];
        let citation = (bearing, any::<bool>()).prop_map(|(alone, rest_suffice)| cited(alone, rest_suffice));
        (any::<bool>(), any::<bool>(), proptest::collection::vec(citation, 0..4)).prop_map(
            |(is_borne_out, cites_nothing, citations)| Statement {
                is_borne_out: is_borne_out && !citations.is_empty(),
                cites_nothing,
                citations,
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn no_order_matters_and_every_share_is_one(
            answers in proptest::collection::vec(proptest::collection::vec(statement(), 0..4), 0..8),
            turn in 0_usize..8,
        ) {
            let mut turned = answers.clone();
            turned.rotate_left(turn % answers.len().max(1));
            for statements in &mut turned {
                statements.reverse();
            }
            let few = Resampling { resamples: 40, seed: 3 };
            let (by_answer, by_all) = (alce(&answers, few), liu(answers.iter().flatten()));
            prop_assert_eq!(&by_answer, &alce(&turned, few));
            prop_assert_eq!(&by_all, &liu(turned.iter().flatten()));
            let is_said = answers.iter().any(|statements| !statements.is_empty());
            for found in [&by_answer.recall, &by_answer.precision, &by_all.recall, &by_all.precision] {
                match found.value() {
                    Some(value) => prop_assert!((0.0..=1.0).contains(&value), "{value}"),
                    None => prop_assert!(found.undefined_because().is_some()),
                }
                let is_within = |of: super::super::estimate::Interval| of.low >= 0.0 && of.high <= 1.0 && of.low <= of.high;
                prop_assert!(found.interval().is_none_or(is_within), "{found:?}");
            }
            prop_assert_eq!(by_answer.recall.value().is_some(), is_said);
            prop_assert_eq!(by_all.recall.value().is_some(), is_said);
        }
    }
}
