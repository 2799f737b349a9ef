//! What is counted for a claim and the evidence that comes nearest to it: one list, a sentence each.
//!
//! Plain numbers out; what they are worth is fitted (`assets/judge`) and not decided here. Nothing here
//! depends on capitals: a name is known by being rare.

use crate::domain::span::Span;
use crate::text::compare::{Difference, DifferenceKind, Reading, repetition};
use crate::text::lexicon::{LEXICON, Modality, Rule, WordId};
use crate::text::numbers::What;
use crate::text::tokens::{Token, TokenKind};

use super::evidence::Evidence;
use super::exchange;
use super::predicate::Said;
use super::sharing::Sharing;

/// From this rarity on a word names something in particular.
const RARE: f64 = 8.0;
/// In a claim that repeats so much of the window, another word is another fact; elsewhere it is mostly a paraphrase.
const REPEATED: f64 = 0.5;
/// With so much of the claim in the window, and of the window in the claim, two exchanged parts are all that differs.
const WHOLE: f64 = 0.95;
const MOSTLY: f64 = 0.75;
/// From this closeness on a word counts as found.
const FOUND: f64 = 0.5;

macro_rules! features {
    ($($(#[$doc:meta])* $name:ident: $way:ident),+ $(,)?) => {
        /// What was counted for a claim.
        #[derive(Debug, Clone, Default, PartialEq)]
        pub(crate) struct Features { $($(#[$doc])* pub(crate) $name: f64),+ }

        impl Features {
            pub(crate) const NAMES: &[&str] = &[$(stringify!($name)),+];
            /// Whether more of it can only speak for support (1), only against it (-1), or either (0).
            pub(crate) const WAYS: &[i8] = &[$(features!(@ $way)),+];

            pub(crate) fn values(&self) -> [f64; Self::NAMES.len()] {
                [$(self.$name),+]
            }
        }
    };
    (@ for) => { 1 };
    (@ against) => { -1 };
    (@ either) => { 0 };
}

features! {
    /// Share of the claim's weight in the window, 0 to 1.
    coverage: for,
    /// Share of it in the window and the windows that complete it.
    completed: for,
    /// Share of it in any passage.
    anywhere: for,
    /// Share of its content words, each counted alike, in the window.
    plain: for,
    /// Share of the claim's weight in the best single sentence.
    sentence: for,
    /// Share of neighbouring content words that are near each other in the window too.
    pairs: for,
    /// Share of neighbouring words of any kind that are neighbours in the window too.
    bigrams: for,
    /// The same for three words.
    trigrams: for,
    /// The longest row of words in the same order, as a share of the claim's content words.
    in_order: for,
    /// The longest unbroken row of the claim's words that the window has, as a share of the claim.
    unbroken: for,
    /// Share of pairs of shared words that stand in another order.
    inversions: against,
    /// Share of the window's content words that the claim has.
    density: for,
    /// How near to each other the claim's words stand in the window: their number by the stretch they fill.
    nearness: for,
    /// Weighted share of the first half of the claim in the window.
    first_half: for,
    /// Weighted share of the second half.
    second_half: for,
    /// Rarity of the rarest word that the window and its completion lack.
    rarest_missing: against,
    /// Rarity of the rarest word that no passage has.
    rarest_absent: against,
    /// Content words that no passage has and that are not part of a conflict.
    missing: against,
    /// Share of the rare words of the claim in the window.
    rare_found: for,
    /// Numbers and dates that no passage has.
    absent_numbers: against,
    /// Numbers and dates that the window does not have, but another place.
    far_numbers: against,
    /// Those of them of which the window has another one.
    rival_numbers: against,
    /// Share of the claim's numbers and dates that the window bears out; 1 without any.
    numbers_found: for,
    /// Rare words that no passage has.
    absent_names: against,
    /// Words of direction or degree that the window has in no form: rises, fewer.
    absent_directions: against,
    /// Words that exclude (only, all, never, first, superlatives) which the window lacks.
    absent_exclusives: against,
    /// Those of them that leave nobody and nothing out, or in: all, never, only.
    absent_absolutes: against,
    /// Located conflicts, by kind.
    numbers: against,
    dates: against,
    negations: against,
    opposites: against,
    names: against,
    roles: against,
    /// Other words in the same place, where one excludes the other: two names, two of a kind.
    replaced: against,
    /// Conflicts that leave little room: amounts of one unit, exchanged roles where nothing else differs, and what the claim permits and the
    /// evidence forbids.
    firm: against,
    /// Words that no passage has while the window has a word of the other side, or another of the kind.
    missing_opposites: against,
    missing_sisters: against,
    /// Share of the claim's words that repeat the window in rows of three and more.
    repeated: for,
    /// Words put in between, and words replaced, where the claim otherwise repeats the window.
    inserted_in_copy: against,
    replaced_in_copy: against,
    /// What the evidence forbids of much that the claim states, without a place in the claim that says the opposite.
    forbidden: against,
    /// How many words around the best aligned conflict agree.
    context: either,
    /// The claim says it more firmly or widely.
    stronger: against,
    /// All where the evidence says most, some or a share of them.
    overstated: against,
    /// What the claim says of its subject no window says of it, 0 or 1.
    unsaid: against,
    /// The window says it of another, 0 or 1.
    of_another: against,
    /// A window denies something else of the claim's subject, and no window says what the claim says of it, 0 or 1.
    denied: against,
    /// What the claim would gain in neighbours and order if two of its parts were exchanged.
    exchanged: against,
    /// Only the claim negates something, 0 or 1.
    only_claim_negates: against,
    /// Only the window negates something, 0 or 1.
    only_window_negates: either,
    /// Words of the speaker about himself, the hearer, or nothing: I, you, yeah.
    chatter: against,
    /// The claim asks, 0 or 1.
    asks: against,
    /// The claim is not in the language of the word lists, 0 or 1.
    is_foreign: either,
    /// Logarithm of the number of the claim's content words.
    length: either,
    /// Logarithm of the number of sentences of all passages.
    evidence_length: either,
    /// Logarithm of the number of the window's words.
    window_length: either,
}

impl Features {
    /// Whether something is located on both sides that cannot both be true.
    pub(crate) fn has_conflict(&self) -> bool {
        // Names, roles and neighbours are read off word order, which other languages use otherwise.
        let by_order = if self.is_foreign > 0.0 {
            0.0
        } else {
            self.names + self.roles + if self.repeated > REPEATED { self.replaced } else { 0.0 }
        };
        self.numbers + self.dates + self.negations + self.opposites + by_order > 0.0
    }
}

/// A claim beside a window: what is compared.
pub(super) struct Pair<'a> {
    pub(super) claim: &'a Reading<'a>,
    pub(super) window: &'a Reading<'a>,
    /// How well the window has each token of the claim.
    pub(super) cover: &'a [f64],
    /// The same for the window with the windows that complete it.
    pub(super) completed: &'a [f64],
    /// The same for the best single sentence.
    pub(super) sentence: f64,
    pub(super) differences: &'a [Difference],
    /// Of whom a window says what the claim says.
    pub(super) said: Said,
    /// Whether a window denies something of the claim's subject.
    pub(super) is_denied: bool,
    pub(super) is_english: bool,
}

/// How rare a word is, from 1 (in most sentences) to 9.5 (not among the common words at all).
pub(super) fn rarity(token: &Token) -> f64 {
    if token.kind == TokenKind::Number {
        return 8.0;
    }
    LEXICON.thesaurus.rarity(token.word)
}

/// How much a word of a claim counts.
pub(super) fn weight(token: &Token) -> f64 {
    (rarity(token) / 6.0).clamp(0.5, 1.6)
}

pub(super) fn flag(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}

fn count(n: usize) -> f64 {
    (n as f64).min(5.0)
}

pub(super) fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { 0.0 }
}

/// Weighted share of the claim's content words in what `cover` says.
pub(super) fn covered(claim: &Reading<'_>, cover: &[f64]) -> f64 {
    let content = || claim.tokens().iter().zip(cover).filter(|(token, _)| !token.stop);
    let total: f64 = content().map(|(token, _)| weight(token)).sum();
    share(content().map(|(token, have)| weight(token) * have).sum(), total)
}

/// Counts.
pub(super) fn features(pair: &Pair<'_>, evidence: &Evidence<'_>) -> Features {
    let (claim, window) = (pair.claim, pair.window);
    let content: Vec<(usize, &Token)> =
        claim.tokens().iter().enumerate().filter(|(_, token)| !token.stop).collect();
    let of = |cover: &[f64], at: usize| cover.get(at).copied().unwrap_or(0.0);
    let part = |some: &[(usize, &Token)], cover: &[f64]| {
        let total: f64 = some.iter().map(|(_, token)| weight(token)).sum();
        share(some.iter().map(|(at, token)| weight(token) * of(cover, *at)).sum(), total)
    };
    let in_conflict = |token: &Token| {
        pair.differences
            .iter()
            .any(|d| d.is_conflict() && d.claim.is_some_and(|span| span.overlaps(token.span)))
    };
    let is_amount = |kind| matches!(kind, DifferenceKind::Number | DifferenceKind::Date);
    // An amount that stands in another place is of something else than the one in the window. To look for it through
    // the evidence is dear: once for each.
    let amounts_at = pair.differences.iter().filter(|d| is_amount(d.kind)).filter_map(|d| d.claim);
    let far: Vec<Span> =
        amounts_at.filter(|span| !window.gives(claim, *span) && evidence.gives(claim, *span)).collect();
    let is_far = |difference: &Difference| {
        is_amount(difference.kind) && difference.claim.is_some_and(|span| far.contains(&span))
    };
    let conflicts = |kind: DifferenceKind| {
        let of_kind = pair.differences.iter().filter(|d| d.is_conflict() && d.kind == kind);
        count(of_kind.filter(|d| !is_far(d)).count())
    };
    let excluding = pair.differences.iter().filter(|d| d.kind == DifferenceKind::Word);
    let excluding = count(excluding.filter(|d| is_excluding(d, claim, window)).count());
    let lacks = |at: usize| of(pair.completed, at) < FOUND;
    let absent = |at: usize, token: &Token| lacks(at) && !evidence.contains(token.stem);
    let rarest = |wanted: &dyn Fn(usize, &Token) -> bool| {
        content
            .iter()
            .filter(|(at, token)| wanted(*at, token))
            .map(|(_, token)| rarity(token))
            .fold(0.0, f64::max)
    };
    let rare: Vec<(usize, &Token)> =
        content.iter().copied().filter(|(_, token)| rarity(token) >= RARE).collect();
    let unshared: Vec<WordId> = window
        .tokens()
        .iter()
        .filter(|token| !token.stop && !claim.contains(token.stem))
        .map(|token| token.word)
        .collect();
    let counterparts = |are: &dyn Fn(WordId, WordId) -> bool| {
        content
            .iter()
            .filter(|(at, token)| absent(*at, token) && unshared.iter().any(|other| are(token.word, *other)))
            .count()
    };
    let amounts = claim.numbers().len() + claim.dates().len();
    let disputed = pair.differences.iter().filter(|d| is_amount(d.kind)).count();
    let middle = content.len().div_ceil(2);
    let (repeated, inserted) = repetition(claim, window);
    let order = Sharing::of(claim, window);
    let anywhere: Vec<f64> = claim
        .tokens()
        .iter()
        .enumerate()
        .map(|(at, token)| if evidence.contains(token.stem) { 1.0 } else { of(pair.completed, at) })
        .collect();
    Features {
        coverage: part(&content, pair.cover),
        completed: part(&content, pair.completed),
        anywhere: part(&content, &anywhere),
        plain: share(content.iter().map(|(at, _)| of(pair.cover, *at)).sum(), content.len() as f64),
        sentence: pair.sentence,
        pairs: order.pairs,
        bigrams: order.bigrams,
        trigrams: order.trigrams,
        in_order: order.in_order,
        unbroken: order.unbroken,
        inversions: order.inversions,
        density: order.density,
        nearness: order.nearness,
        first_half: part(&content[..middle], pair.cover),
        second_half: if content.len() > 1 {
            part(&content[middle..], pair.cover)
        } else {
            part(&content, pair.cover)
        },
        rarest_missing: rarest(&|at, _| lacks(at)),
        rarest_absent: rarest(&absent),
        missing: count(
            content.iter().filter(|(at, token)| absent(*at, token) && !in_conflict(token)).count(),
        ),
        rare_found: if rare.is_empty() { 1.0 } else { part(&rare, pair.cover) },
        absent_numbers: count(
            pair.differences
                .iter()
                .filter(|d| d.evidence.is_none() && is_amount(d.kind) && !is_far(d))
                .count(),
        ),
        far_numbers: count(pair.differences.iter().filter(|d| is_far(d)).count()),
        rival_numbers: count(pair.differences.iter().filter(|d| d.is_conflict() && is_far(d)).count()),
        numbers_found: if amounts == 0 { 1.0 } else { 1.0 - share(disputed as f64, amounts as f64) },
        absent_names: count(
            rare.iter().filter(|(at, token)| token.kind == TokenKind::Word && absent(*at, token)).count(),
        ),
        absent_directions: count(
            content
                .iter()
                .filter(|(at, token)| LEXICON.thesaurus.has_opposite(token.word) && lacks(*at))
                .count(),
        ),
        absent_exclusives: count(lacked(claim, window, excludes)),
        absent_absolutes: count(lacked(claim, window, |word| ABSOLUTES.contains(&word))),
        numbers: conflicts(DifferenceKind::Number),
        dates: conflicts(DifferenceKind::Date),
        negations: conflicts(DifferenceKind::Negation),
        opposites: conflicts(DifferenceKind::Opposite),
        names: conflicts(DifferenceKind::Name),
        roles: conflicts(DifferenceKind::Role),
        replaced: excluding,
        stronger: count(pair.differences.iter().filter(|d| !d.kind.contradicts()).count()),
        overstated: count(
            pair.differences
                .iter()
                .filter(|d| d.kind == DifferenceKind::Quantifier && d.evidence.is_some())
                .count(),
        ),
        unsaid: flag(pair.said != Said::OfTheSubject),
        of_another: flag(pair.said == Said::OfAnother),
        denied: flag(pair.said != Said::OfTheSubject && pair.is_denied && !claim.negates() && !rules(claim)),
        exchanged: exchange::gain(claim, window).min(5.0),
        only_claim_negates: flag(claim.negates() && !window.negates()),
        only_window_negates: flag(!claim.negates() && window.negates()),
        chatter: count(claim.tokens().iter().filter(|token| CHATTER.contains(&&*token.folded)).count()),
        asks: flag(claim.text().trim_end().ends_with(['?', '？', '؟'])),
        is_foreign: flag(!pair.is_english),
        length: (content.len() as f64 + 1.0).ln(),
        evidence_length: (evidence.len() as f64 + 1.0).ln(),
        window_length: (window.tokens().len() as f64 + 1.0).ln(),
        missing_opposites: count(counterparts(&|a, b| LEXICON.thesaurus.are_loosely_opposite(a, b))),
        missing_sisters: count(counterparts(&|a, b| LEXICON.thesaurus.are_sisters(a, b))),
        firm: count(pair.differences.iter().filter(|difference| is_firm(difference, claim, window)).count())
            + flag(
                conflicts(DifferenceKind::Role) > 0.0
                    && covered(claim, pair.cover) >= WHOLE
                    && order.density >= MOSTLY,
            ),
        forbidden: count(
            pair.differences
                .iter()
                .filter(|d| d.kind == DifferenceKind::Negation && d.claim.is_none())
                .count(),
        ),
        repeated,
        inserted_in_copy: repeated * count(inserted),
        replaced_in_copy: repeated * conflicts(DifferenceKind::Word),
        context: pair
            .differences
            .iter()
            .filter(|d| d.is_conflict())
            .map(|d| f64::from(d.context))
            .fold(0.0, f64::max),
    }
}

/// Whether the claim tells what somebody may or must do: a rule that forbids something else denies nothing of it.
fn rules(claim: &Reading<'_>) -> bool {
    let class = |word: &str| LEXICON.modality.get(word).copied();
    claim.tokens().iter().any(|token| {
        &*token.folded == "may" || class(&token.folded).is_some_and(|class| class != Modality::Hedge)
    })
}

/// Whether one of two words in the same place excludes the other. A word that is only another one mostly says the
/// same: get, wear.
fn is_excluding(difference: &Difference, claim: &Reading<'_>, window: &Reading<'_>) -> bool {
    let word = |text: &Reading<'_>, span: Option<Span>| {
        text.tokens().iter().find(|token| Some(token.span) == span).map(|token| (token.word, token.kind))
    };
    let lists = &LEXICON.thesaurus;
    match (word(claim, difference.claim), word(window, difference.evidence)) {
        (Some((_, TokenKind::Bigram)), Some(_)) => true,
        (Some((mine, _)), Some((theirs, _))) => {
            lists.are_sisters(mine, theirs)
                || lists.are_loosely_opposite(mine, theirs)
                || (lists.is_name(mine) && lists.is_name(theirs))
        }
        _ => false,
    }
}

fn is_firm(difference: &Difference, claim: &Reading<'_>, window: &Reading<'_>) -> bool {
    let Some(span) = difference.claim.filter(|_| difference.is_conflict()) else { return false };
    match difference.kind {
        DifferenceKind::Number => {
            difference.context > 0
                && claim
                    .numbers()
                    .iter()
                    .any(|number| number.span == span && matches!(number.what, What::Unit(_)))
        }
        DifferenceKind::Negation => {
            let word = span.of(claim.text()).unwrap_or("").to_lowercase();
            LEXICON.modality.get(&word) == Some(&Modality::Permission)
                || matches!(LEXICON.rules.get(&word), Some(Rule::Permit | Rule::Forbid))
                || (difference.context > 0
                    && difference.evidence.is_some_and(|place| window.forbids(place, claim)))
        }
        _ => false,
    }
}

const CHATTER: &[&str] = &[
    "i", "i'm", "i've", "i'd", "i'll", "im", "me", "my", "mine", "myself", "we", "our", "us", "you", "your",
    "yours", "yeah", "yes", "wow", "oh", "hi", "hello", "hey", "thanks", "cool", "lol", "haha", "ok", "okay",
    "sure", "hmm", "ah", "well", "bye", "nice", "awesome",
];

/// Words that leave nobody and nothing out, or in.
const ABSOLUTES: &[&str] = &[
    "only",
    "solely",
    "exclusively",
    "all",
    "every",
    "always",
    "never",
    "none",
    "entirely",
    "completely",
    "everyone",
    "nobody",
];
/// Further words that exclude.
const EXCLUSIVES: &[&str] =
    &["first", "last", "best", "worst", "most", "least", "both", "each", "any", "sole", "unique"];
/// Words in -est that are no superlatives.
const NO_SUPERLATIVES: &[&str] = &[
    "interest", "request", "forest", "protest", "honest", "invest", "harvest", "suggest", "digest",
    "contest", "arrest",
];

fn excludes(word: &str) -> bool {
    ABSOLUTES.contains(&word)
        || EXCLUSIVES.contains(&word)
        || (word.len() > 5 && word.ends_with("est") && !NO_SUPERLATIVES.contains(&word))
}

/// How many such words the claim has and the window lacks.
fn lacked(claim: &Reading<'_>, window: &Reading<'_>, is_such: impl Fn(&str) -> bool) -> usize {
    claim
        .tokens()
        .iter()
        .filter(|token| is_such(&token.folded))
        .filter(|token| !window.tokens().iter().any(|other| other.folded == token.folded))
        .count()
}
