//! What the people who decided a claim say of it together: the one rule of whose decision counts.
//!
//! Screen, queue, export, reports and gates all go by it. Must not know how decisions are kept.

use super::blind::Blind;
use super::decision::{Decided, Ruling};
use super::ids::Annotator;
use super::routing::is_worse;
use super::verdict::{Severity, Verdict};

/// The person's own ruling on a claim, as far as they could see it when they ruled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Own {
    /// Nothing is said of it: as on the command line.
    #[default]
    Unsaid,
    /// None stood on the screen.
    Nothing,
    /// The one that this event recorded.
    Event(i64),
}

/// Other people's rulings that a person has been told of, and acts against all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known<'a> {
    /// Those that these events recorded.
    Events(&'a [i64]),
    /// Whichever stand: the person says so, as on the command line.
    All,
}

impl Default for Known<'_> {
    fn default() -> Self {
        Self::Events(&[])
    }
}

impl Known<'_> {
    /// Whether `events` recorded exactly the rulings that are known: what follows from others is something else, and
    /// has to be told anew.
    pub fn are(self, events: &[i64]) -> bool {
        match self {
            Self::All => true,
            Self::Events(known) => {
                known.len() == events.len() && events.iter().all(|seq| known.contains(seq))
            }
        }
    }
}

/// What the people say of a claim together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Word<'a> {
    /// Nobody has decided it.
    Open,
    /// They agree on the verdict; this is the decision that counts.
    Of(&'a (Annotator, Decided)),
    /// Two people or more disagreed; this is the decision of somebody else, made after that, and settles it.
    Adjudicated(&'a (Annotator, Decided)),
    /// Their verdicts differ, and nobody has settled it: nothing counts as decided.
    Disputed,
}

/// A verdict as gates count it, with its severity.
pub type Graded = (Option<Verdict>, Option<Severity>);

impl<'a> Word<'a> {
    /// From the decisions that stand and the blind verdicts, each oldest first.
    ///
    /// People disagree when the verdicts of their decisions that stand are not all the same. It is settled by the
    /// latest decision of somebody who made it when at least two others had spoken whose verdicts differ, and who did
    /// not judge the claim blind; whoever judged blind has spoken since then. Among decisions that agree, the latest
    /// counts, those of people who did not judge blind before the others: it settles what was said blind where that
    /// differed.
    pub fn of(decisions: &'a [(Annotator, Decided)], blind: &[(Annotator, Blind)]) -> Self {
        let committed =
            |who: &Annotator| blind.iter().find(|(other, _)| other == who).map(|(_, first)| first.seq);
        let spoke = |(who, decided): &(Annotator, Decided)| {
            committed(who).map_or(decided.seq, |first| first.min(decided.seq))
        };
        let is_open = |decision: &&(Annotator, Decided)| committed(&decision.0).is_none();
        let Some(last) = decisions.last() else { return Self::Open };
        if !differ(decisions.iter()) {
            let Some(counts) = decisions.iter().rfind(is_open) else { return Self::Of(last) };
            let before = blind.iter().filter(|(_, first)| first.seq < counts.1.seq);
            let mut said = before.map(|(_, first)| first.ruling.verdict);
            let first = said.next();
            let is_settled = said.any(|other| Some(other) != first);
            return if is_settled { Self::Adjudicated(counts) } else { Self::Of(counts) };
        }
        let settles = |decision: &&(Annotator, Decided)| {
            let others = decisions.iter().filter(|other| other.0 != decision.0);
            is_open(decision) && differ(others.filter(|other| spoke(other) < decision.1.seq))
        };
        decisions.iter().rfind(settles).map_or(Self::Disputed, Self::Adjudicated)
    }

    /// The decision that counts, if one does.
    pub const fn decision(self) -> Option<&'a (Annotator, Decided)> {
        match self {
            Self::Of(decision) | Self::Adjudicated(decision) => Some(decision),
            Self::Open | Self::Disputed => None,
        }
    }

    /// Who settled a disagreement.
    pub const fn adjudicator(self) -> Option<&'a Annotator> {
        match self {
            Self::Adjudicated(decision) => Some(&decision.0),
            _ => None,
        }
    }
}

fn differ<'d>(mut decisions: impl Iterator<Item = &'d (Annotator, Decided)>) -> bool {
    let first = decisions.next().map(|(_, decided)| decided.ruling.verdict);
    decisions.any(|(_, decided)| Some(decided.ruling.verdict) != first)
}

/// While people disagree: the worst of what the judge and they say, which is what gates count, and whether a person
/// says it.
pub fn worst(judge: Graded, decisions: &[(Annotator, Decided)]) -> (Graded, bool) {
    let mut worst = (judge, false);
    for (_, decided) in decisions {
        if is_worse(&decided.ruling, worst.0) {
            worst = ((decided.ruling.verdict.as_verdict(), decided.ruling.severity), true);
        }
    }
    worst
}

/// `ben ruled CONTRADICTED CRITICAL`.
pub fn ruled(who: &str, ruling: &Ruling) -> String {
    let severity = ruling.severity.map_or(String::new(), |severity| format!(" {severity}"));
    format!("{who} ruled {}{severity}", ruling.said())
}

/// What a ruling meets of other people's that stand.
#[derive(Debug, Clone, PartialEq)]
pub struct Opposed {
    /// Who ruled otherwise, and how, oldest first.
    pub others: Vec<(Annotator, Decided)>,
    pub then: Then,
}

/// What follows when it is made all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// The claim is in dispute.
    Disputes,
    /// The disagreement of others is settled by it.
    Settles,
    /// It counts in the place of the others': only the severity differs.
    Counts,
}

impl Opposed {
    /// What of other people's decisions `ruling` of `annotator` would stand against; `None` where nobody's. Against
    /// what was overruled nothing can be said any more, and who settled a disagreement knows it.
    pub fn to(
        ruling: &Ruling,
        annotator: &Annotator,
        decisions: &[(Annotator, Decided)],
        blind: &[(Annotator, Blind)],
    ) -> Option<Self> {
        let word = Word::of(decisions, blind);
        let says_otherwise = |decided: &Decided| {
            let other = &decided.ruling;
            (other.verdict, other.severity, other.score) != (ruling.verdict, ruling.severity, ruling.score)
        };
        let stands = |who: &Annotator| word.adjudicator().is_none_or(|adjudicator| adjudicator == who);
        let others: Vec<(Annotator, Decided)> = decisions
            .iter()
            .filter(|(who, decided)| who != annotator && stands(who) && says_otherwise(decided))
            .cloned()
            .collect();
        let first = decisions.first().filter(|_| !others.is_empty())?;
        let mut then: Vec<(Annotator, Decided)> =
            decisions.iter().filter(|(who, _)| who != annotator).cloned().collect();
        let own = Decided { ruling: ruling.clone(), seq: i64::MAX, ..first.1.clone() };
        then.push((annotator.clone(), own));
        let then = match Word::of(&then, blind) {
            Word::Adjudicated(_) => Then::Settles,
            Word::Disputed => Then::Disputes,
            Word::Of(_) | Word::Open => Then::Counts,
        };
        Some(Self { others, then })
    }

    /// The events that recorded them.
    pub fn events(&self) -> Vec<i64> {
        self.others.iter().map(|(_, decided)| decided.seq).collect()
    }

    pub fn said(&self) -> String {
        let said = |(who, decided): &(Annotator, Decided)| ruled(who.as_str(), &decided.ruling);
        self.others.iter().map(said).collect::<Vec<_>>().join(" and ")
    }
}

impl Then {
    /// With "yours" before it.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Disputes => "puts the claim in dispute, until you agree or a third person settles it",
            Self::Settles => "settles it",
            Self::Counts => "counts from then on",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::decision::{DecisionKind, HumanVerdict};
    use crate::domain::time::Timestamp;
    use HumanVerdict::{Contradicted, FullySupported, Unsupported};

    fn decided(who: &str, seq: i64, verdict: HumanVerdict) -> (Annotator, Decided) {
        let ruling = Ruling::only(verdict);
        let at = Timestamp::from_millis(seq);
        (Annotator::new(who), Decided { kind: DecisionKind::Overridden, ruling, reason: None, seq, at })
    }

    fn committed(who: &str, seq: i64, verdict: HumanVerdict) -> (Annotator, Blind) {
        let (ruling, at) = (Ruling::only(verdict), Timestamp::from_millis(seq));
        (Annotator::new(who), Blind { ruling, seq, at, independent: true, fills: true })
    }

    fn said(decisions: &[(Annotator, Decided)], blind: &[(Annotator, Blind)]) -> String {
        match Word::of(decisions, blind) {
            Word::Open => "open".to_owned(),
            Word::Disputed => "disputed".to_owned(),
            Word::Of((who, _)) => who.to_string(),
            Word::Adjudicated((who, _)) => format!("settled by {who}"),
        }
    }

    #[test]
    fn two_who_differ_are_in_dispute_until_they_agree_or_a_third_settles_it() {
        let (ana, ben) = (decided("ana", 1, Contradicted), decided("ben", 2, FullySupported));
        let carla = decided("carla", 3, Unsupported);
        assert_eq!(said(&[], &[]), "open");
        assert_eq!(said(std::slice::from_ref(&ana), &[]), "ana");
        assert_eq!(said(&[ana.clone(), ben.clone()], &[]), "disputed");
        assert_eq!(said(&[ana.clone(), ben.clone(), carla.clone()], &[]), "settled by carla");
        assert_eq!(said(&[ana.clone(), decided("ben", 4, Contradicted)], &[]), "ben");
        // Who differs from two that agree settles nothing.
        let agree = decided("ben", 2, Contradicted);
        assert_eq!(said(&[ana, agree, carla], &[]), "disputed");
        // Nor does one of the two who changes what they say.
        assert_eq!(said(&[ben, decided("ana", 5, Unsupported)], &[]), "disputed");
    }

    #[test]
    fn whoever_judged_blind_settles_nothing_and_has_spoken_since_then() {
        let blind = [committed("ana", 1, Contradicted), committed("ben", 2, FullySupported)];
        let (ana, ben) = (decided("ana", 4, Contradicted), decided("ben", 5, FullySupported));
        let carla = decided("carla", 3, Unsupported);
        assert_eq!(said(&[ana.clone(), ben.clone()], &blind), "disputed");
        assert_eq!(said(&[carla.clone(), ana.clone(), ben.clone()], &blind), "settled by carla");
        let third = [blind[0].clone(), blind[1].clone(), committed("carla", 3, Unsupported)];
        assert_eq!(said(&[carla, ana, ben], &third), "disputed");
        // What was said blind differed, also where the last words do not.
        let (ana, ben) = (decided("ana", 4, Contradicted), decided("ben", 5, Contradicted));
        assert_eq!(said(&[ana.clone(), ben.clone()], &blind), "ben");
        let carla = decided("carla", 6, Contradicted);
        assert_eq!(said(&[ana, ben, carla], &blind), "settled by carla");
        // Those who saw the judge and others go before those who did not.
        let open = decided("carla", 3, Contradicted);
        assert_eq!(said(&[open, decided("ana", 4, Contradicted)], &blind[..1]), "carla");
    }

    #[test]
    fn a_ruling_meets_those_of_others_that_say_otherwise_and_count() {
        let (ana, ben) = (decided("ana", 1, Contradicted), decided("ben", 2, FullySupported));
        let carla = decided("carla", 3, Unsupported);
        let meets = |who: &str, verdict, decisions: &[(Annotator, Decided)]| {
            let opposed = Opposed::to(&Ruling::only(verdict), &Annotator::new(who), decisions, &[]);
            opposed.map(|opposed| (opposed.said(), opposed.then))
        };
        let one = std::slice::from_ref(&ana);
        assert_eq!(meets("ben", Contradicted, one), None);
        assert_eq!(meets("ana", Unsupported, one), None, "what they change is their own");
        let told = |said: &str, then| Some((said.to_owned(), then));
        assert_eq!(meets("ben", Unsupported, one), told("ana ruled CONTRADICTED", Then::Disputes));
        let two = [ana.clone(), ben.clone()];
        let both = "ana ruled CONTRADICTED and ben ruled FULLY_SUPPORTED";
        assert_eq!(meets("carla", Unsupported, &two), told(both, Then::Settles));
        assert_eq!(meets("ana", FullySupported, &two), None, "they agree then");
        let settled = [ana, ben, carla];
        assert_eq!(meets("carla", FullySupported, &settled), None);
        assert_eq!(meets("dora", FullySupported, &settled), told("carla ruled UNSUPPORTED", Then::Settles));
    }

    #[test]
    fn another_severity_alone_is_no_dispute() {
        let mut ana = decided("ana", 1, Contradicted);
        ana.1.ruling.severity = Some(Severity::Critical);
        let opposed = Opposed::to(&Ruling::only(Contradicted), &Annotator::new("ben"), &[ana], &[]);
        let opposed = opposed.unwrap();
        assert_eq!(
            (opposed.said().as_str(), opposed.then),
            ("ana ruled CONTRADICTED CRITICAL", Then::Counts)
        );
    }
}
