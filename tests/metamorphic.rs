//! Verdicts do not flip under changes that mean nothing, and flip under those that make a claim false.
//!
//! Run over written facts and, where the labelled data lies beside the repository (or `JUROR_DATA` names it), over
//! supported claims that people wrote. The rates are printed (`cargo test --test metamorphic -- --nocapture`);
//! `JUROR_METAMORPHIC_FAILURES` names a file to list the pairs that fail.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test that prints what it measured")]

#[path = "metamorphic/changes.rs"]
mod changes;
#[path = "metamorphic/facts.rs"]
mod facts;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use juror::domain::ids::{AuditId, PassageId};
use juror::domain::record::{GivenClaim, Passage, Record};
use juror::domain::verdict::Verdict;
use juror::format::labelled::{Labelled, parse};
use juror::judge::FaithfulnessSettings;
use juror::judge::local::LocalJudge;

use changes::{Case, changed_by_rule, harmless};
use facts::{Fact, written};

/// The verdict and why; `None` without one.
fn verdict(case: &Case) -> (Option<Verdict>, String) {
    let passages = case.passages.iter().enumerate().map(|(at, text)| Passage {
        passage_id: PassageId::new(format!("p{at}")),
        content: text.clone(),
        metadata: serde_json::Map::new(),
    });
    let record = Record {
        audit_id: AuditId::new("m"),
        answer: case.claim.clone(),
        passages: passages.collect(),
        question: None,
        risk_level: None,
        given_claims: vec![GivenClaim { claim_id: None, claim_text: case.claim.clone() }],
        metadata: serde_json::Map::new(),
    };
    let reply = LocalJudge::new().judge_record(&record, &FaithfulnessSettings::default());
    let judged = reply.findings[0].outcome.judged();
    (judged.map(|judged| judged.verdict), judged.map(|judged| judged.rationale.clone()).unwrap_or_default())
}

#[derive(Default)]
struct Count {
    pairs: u32,
    good: u32,
    contradicted: u32,
}

impl Count {
    fn rate(&self) -> f64 {
        if self.pairs == 0 { 1.0 } else { f64::from(self.good) / f64::from(self.pairs) }
    }
}

/// What became of the pairs, by the kind of change.
#[derive(Default)]
struct Rates {
    harmless: BTreeMap<&'static str, Count>,
    harmful: BTreeMap<&'static str, Count>,
    bases: u32,
    supported: u32,
    failures: String,
}

impl Rates {
    /// Looks at all facts, at one in `every` also under the changes that mean nothing.
    fn of(facts: &[Fact], every: usize) -> Self {
        let mut rates = Self::default();
        for (at, fact) in facts.iter().enumerate() {
            rates.look(fact, at % every == 0);
        }
        rates
    }

    fn look(&mut self, fact: &Fact, harmlessly: bool) {
        let base = Case::of(fact);
        let (said, why) = verdict(&base);
        self.bases += 1;
        self.supported += u32::from(said == Some(Verdict::FullySupported));
        if harmlessly {
            self.stays(&base, said);
        }
        if said != Some(Verdict::FullySupported) {
            let _ = writeln!(self.failures, "BASE {said:?} | {} | {:?} | {why}", base.claim, base.passages);
            return;
        }
        for (kind, claim) in
            [("numbers", &fact.renumbered), ("negation", &fact.negated), ("roles", &fact.swapped)]
        {
            let Some(claim) = claim else { continue };
            let changed = Case { claim: claim.clone(), ..base.clone() };
            let (now, why) = verdict(&changed);
            let count = self.harmful.entry(kind).or_default();
            count.pairs += 1;
            count.good += u32::from(now != Some(Verdict::FullySupported));
            count.contradicted += u32::from(now == Some(Verdict::Contradicted));
            if now == Some(Verdict::FullySupported) {
                let _ = writeln!(self.failures, "{kind} | {claim} | {:?} | {why}", base.passages);
            }
            // The false claim must stay what it is, too.
            if kind == "numbers" && harmlessly {
                self.stays(&changed, now);
            }
        }
    }

    fn stays(&mut self, base: &Case, said: Option<Verdict>) {
        for (kind, changed) in harmless(base) {
            let (now, why) = verdict(&changed);
            let count = self.harmless.entry(kind).or_default();
            count.pairs += 1;
            count.good += u32::from(now == said);
            count.contradicted += u32::from(now == Some(Verdict::Contradicted));
            if now != said {
                let _ = writeln!(
                    self.failures,
                    "{kind} | {said:?} became {now:?} | {} | {:?} | {why}",
                    base.claim, base.passages
                );
            }
        }
    }

    fn invariance(&self) -> f64 {
        let (pairs, good) = self.harmless.values().fold((0, 0), |(p, g), c| (p + c.pairs, g + c.good));
        f64::from(good) / f64::from(pairs)
    }

    fn pairs(&self) -> u32 {
        self.harmless.values().chain(self.harmful.values()).map(|count| count.pairs).sum()
    }

    fn sensitivity(&self, kind: &str) -> f64 {
        self.harmful.get(kind).map_or(1.0, Count::rate)
    }

    fn print(&self, name: &str) {
        println!(
            "\n{name}: {} claims, {} of them found supported, {} pairs\ninvariance {:.4}",
            self.bases,
            self.supported,
            self.pairs(),
            self.invariance()
        );
        for (kind, count) in &self.harmless {
            println!("  {kind:<32} {:.4} of {}", count.rate(), count.pairs);
        }
        println!("sensitivity: no longer supported (and contradicted)");
        for (kind, count) in &self.harmful {
            let contradicted = f64::from(count.contradicted) / f64::from(count.pairs);
            println!("  {kind:<32} {:.4} ({contradicted:.4}) of {}", count.rate(), count.pairs);
        }
        if let Some(path) = std::env::var_os("JUROR_METAMORPHIC_FAILURES") {
            let mut path = PathBuf::from(path);
            path.set_extension(format!("{}.txt", name.replace(' ', "-")));
            std::fs::write(path, &self.failures).unwrap();
        }
    }
}

#[test]
fn written_facts_keep_their_verdict_and_lose_it_when_made_false() {
    let rates = Rates::of(&written(), 1);
    rates.print("written facts");
    assert!(rates.pairs() >= 500);
    assert!(f64::from(rates.supported) >= 0.9 * f64::from(rates.bases), "most facts are found supported");
    assert!(rates.invariance() >= 0.99, "invariance");
    assert!(rates.sensitivity("numbers") >= 0.85, "numbers");
    assert!(rates.sensitivity("negation") >= 0.7, "negation");
    assert!(rates.sensitivity("roles") >= 0.7, "roles");
}

/// Files of labelled English claims, and how many supported ones of each are taken.
const FILES: &[(&str, usize)] = &[
    ("train/fever_pairs.train.jsonl.gz", 150),
    ("train/scifact.train.jsonl.gz", 60),
    ("dev/fm2.dev.jsonl.gz", 60),
    ("dev/factcheckgpt.dev.jsonl.gz", 60),
    ("dev/q2_wow.dev.jsonl.gz", 30),
    ("dev/contractnli.dev.jsonl.gz", 5),
];

fn data() -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let beside = [root.join("../shared/data"), root.join("../../shared/data")];
    std::env::var_os("JUROR_DATA").map(PathBuf::from).into_iter().chain(beside).find(|folder| folder.is_dir())
}

/// Supported claims that people wrote, spread over the file, with the changes that a rule can make.
fn found(file: &std::path::Path, wanted: usize) -> Vec<Fact> {
    let lines = BufReader::new(flate2::read::MultiGzDecoder::new(std::fs::File::open(file).unwrap())).lines();
    let facts = lines.filter_map(|line| {
        let Ok(Labelled::Claim(claim)) = parse(line.unwrap().as_bytes()) else { return None };
        let is_short = claim.record.answer.len() < 300;
        (claim.label == Verdict::FullySupported && is_short).then(|| {
            let passages = claim.record.passages.iter().map(|passage| passage.content.clone()).collect();
            changed_by_rule(&claim.record.answer, passages)
        })
    });
    let mut changeable: Vec<Fact> = facts
        .filter(|fact| fact.negated.is_some() || fact.renumbered.is_some() || fact.swapped.is_some())
        .collect();
    let step = (changeable.len() / wanted).max(1);
    let mut at = 0;
    changeable.retain(|_| {
        at += 1;
        at % step == 0
    });
    changeable.truncate(wanted);
    changeable
}

#[test]
fn claims_that_people_wrote_keep_their_verdict_and_lose_it_when_made_false() {
    let Some(data) = data() else {
        println!("skipped: no labelled data beside the repository and no JUROR_DATA");
        return;
    };
    let facts: Vec<Fact> = FILES.iter().flat_map(|(file, wanted)| found(&data.join(file), *wanted)).collect();
    let rates = Rates::of(&facts, 3);
    rates.print("claims that people wrote");
    assert!(rates.pairs() >= 500);
    assert!(rates.invariance() >= 0.98, "invariance");
    assert!(rates.sensitivity("numbers") >= 0.85, "numbers");
    assert!(rates.sensitivity("negation") >= 0.7, "negation");
    assert!(rates.sensitivity("roles") >= 0.2, "roles");
}
