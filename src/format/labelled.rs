//! Labelled claims and answers, for measuring a judge: one line in, one labelled row out, or the reason why not.
//!
//! A claim line is the claim form of [`mod@super::native`] with `label`, and optionally `binary`, `lang`, and the
//! evidence that a person marked: `spans` [{`passage_id`, `start`, `end`}] or several such lists in `span_sets`. An
//! answer line is the batch form with the places of the claims that a person marked, in `gold_claims` or
//! `gold_spans`. Offsets count characters.

use serde::Deserialize;

use super::native;
use crate::domain::record::Record;
use crate::domain::span::{CharSpan, Span};
use crate::domain::verdict::Verdict;
use crate::measure::evidence::{Places, merged};

/// Data sets whose labels are finer than their source: there it said only whether the claim is supported.
const MADE_FINER: &[&str] = &["summedits"];

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub enum Labelled {
    Claim(LabelledClaim),
    Answer(LabelledAnswer),
}

/// A claim of which is known what the evidence says.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelledClaim {
    /// One given claim and its passages.
    pub record: Record,
    pub label: Verdict,
    /// Whether the label came from the source, or was made from a binary one.
    pub label_is_own: bool,
    pub lang: Option<String>,
    /// The marked evidence; several when each of them suffices, none when none is marked.
    pub marked: Vec<Places>,
}

/// An answer of which is known where its claims stand.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelledAnswer {
    pub record: Record,
    pub marked: Vec<Span>,
}

#[derive(Deserialize)]
struct LabelForm {
    dataset: Option<String>,
    label: Option<Verdict>,
    binary: Option<u8>,
    lang: Option<String>,
    #[serde(default)]
    spans: Vec<PlaceForm>,
    #[serde(default)]
    span_sets: Vec<Vec<PlaceForm>>,
    gold_claims: Option<Vec<CharSpan>>,
    gold_spans: Option<Vec<CharSpan>>,
}

#[derive(Deserialize)]
struct PlaceForm {
    passage_id: String,
    #[serde(flatten)]
    chars: CharSpan,
}

/// Reads one line, without its line feed. The error is the reason in words.
pub fn parse(line: &[u8]) -> Result<Labelled, String> {
    let mut record =
        native::parse(line, String::new()).map_err(|reason| of_export(line).unwrap_or(reason))?.record.record;
    let form: LabelForm =
        serde_json::from_slice(line).map_err(|error| format!("the labels cannot be read: {error}"))?;
    if let Some(places) = form.gold_claims.or(form.gold_spans) {
        record.given_claims.clear();
        let marked = places.iter().map(|chars| {
            Span::from_chars(&record.answer, *chars)
                .ok_or_else(|| format!("the marked claim {} lies outside the answer", shown(*chars)))
        });
        let marked = marked.collect::<Result<_, _>>()?;
        return Ok(Labelled::Answer(LabelledAnswer { record, marked }));
    }
    let Some(label) = form.label else {
        return Err("no label: a claim needs `label`, an answer `gold_claims` or `gold_spans`".to_owned());
    };
    if record.given_claims.len() != 1 {
        return Err("a label belongs to one claim: `claim` and `evidence` are needed".to_owned());
    }
    if form.binary.is_some_and(|binary| (binary == 1) != (label == Verdict::FullySupported)) {
        return Err(format!("`binary` and `label` {label} say different things"));
    }
    let sets = if form.span_sets.is_empty() { vec![form.spans] } else { form.span_sets };
    let marked = sets.iter().filter(|set| !set.is_empty()).map(|set| places(&record, set));
    let marked = marked.collect::<Result<_, _>>()?;
    let label_is_own = !form.dataset.is_some_and(|dataset| MADE_FINER.contains(&dataset.as_str()));
    Ok(Labelled::Claim(LabelledClaim { record, label, label_is_own, lang: form.lang, marked }))
}

/// What to say of a row of a claims export.
fn of_export(line: &[u8]) -> Option<String> {
    let row: serde_json::Value = serde_json::from_slice(line).ok()?;
    let is_one = row.get("decisions").is_some() && row.get("claim_text").is_some();
    is_one.then(|| {
        "a row of a claims export has no evidence to judge by: `juror calibrate` measures the judge on it"
            .to_owned()
    })
}

fn places(record: &Record, set: &[PlaceForm]) -> Result<Places, String> {
    let place = |form: &PlaceForm| {
        let number =
            record.passages.iter().position(|passage| passage.passage_id.as_str() == form.passage_id);
        let number = number.ok_or_else(|| format!("there is no passage `{}` to mark", form.passage_id))?;
        let span =
            record.passages.get(number).and_then(|passage| Span::from_chars(&passage.content, form.chars));
        let span = span.ok_or_else(|| {
            format!("the mark {} lies outside passage `{}`", shown(form.chars), form.passage_id)
        })?;
        Ok((number, span))
    };
    let texts: Vec<&str> = record.passages.iter().map(|passage| passage.content.as_str()).collect();
    Ok(merged(set.iter().map(place).collect::<Result<_, String>>()?, &texts))
}

fn shown(chars: CharSpan) -> String {
    format!("{}–{}", chars.start, chars.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLAIM: &str = r#"{"id":"a","claim":"Ä b.","evidence":[{"passage_id":"p","content":"Ää says so. Else."}],"label":"FULLY_SUPPORTED","binary":1,"lang":"en","spans":[{"passage_id":"p","start":1,"end":11}]}"#;

    fn refused(line: &str) -> String {
        parse(line.as_bytes()).expect_err("no labelled row")
    }

    #[test]
    fn a_row_of_an_export_is_told_where_it_can_be_used() {
        let row = br#"{"audit_id":"g","id":"g#1","claim_text":"x","decisions":[]}"#;
        assert!(parse(row).unwrap_err().contains("`juror calibrate` measures the judge on it"));
    }

    #[test]
    fn a_claim_with_its_label_and_marks() {
        let Ok(Labelled::Claim(claim)) = parse(CLAIM.as_bytes()) else { panic!("a claim") };
        assert_eq!((claim.label, claim.label_is_own), (Verdict::FullySupported, true));
        assert_eq!(claim.lang.as_deref(), Some("en"));
        let (passage, span) = claim.marked[0][0];
        assert_eq!(span.of(&claim.record.passages[passage].content), Some("ä says so."));
        let made = CLAIM.replacen('{', r#"{"dataset":"summedits","#, 1);
        let Ok(Labelled::Claim(made)) = parse(made.as_bytes()) else { panic!("a claim") };
        assert!(!made.label_is_own);
    }

    #[test]
    fn alternative_marks_stand_instead_of_the_one_list() {
        let with = CLAIM.replacen(
            '{',
            r#"{"span_sets":[[{"passage_id":"p","start":0,"end":2}],[{"passage_id":"p","start":3,"end":7},{"passage_id":"p","start":5,"end":9}]],"#,
            1,
        );
        let Ok(Labelled::Claim(claim)) = parse(with.as_bytes()) else { panic!("a claim") };
        assert_eq!(
            claim.marked.iter().map(Vec::len).collect::<Vec<_>>(),
            [1, 1],
            "overlapping marks are one"
        );
    }

    #[test]
    fn an_answer_with_its_claims() {
        let line = r#"{"audit_id":"a","generated_answer":"It is 4 g. Really?","evidence_passages":[],"gold_claims":[{"start":0,"end":10,"label":"UNSUPPORTED"}],"claims":[{"claim":"It"}]}"#;
        let Ok(Labelled::Answer(answer)) = parse(line.as_bytes()) else { panic!("an answer") };
        assert_eq!(answer.marked[0].of(&answer.record.answer), Some("It is 4 g."));
        assert!(answer.record.given_claims.is_empty(), "the judge is to find them");
        assert!(refused(&line.replace(":10,", ":99,")).contains("0–99 lies outside the answer"));
    }

    #[test]
    fn what_is_no_labelled_row_says_why() {
        assert!(refused(&CLAIM.replace(r#""label":"FULLY_SUPPORTED","#, "")).contains("no label"));
        assert!(refused(&CLAIM.replace("FULLY_SUPPORTED", "MAYBE")).contains("MAYBE"));
        assert!(refused(&CLAIM.replace("\"binary\":1", "\"binary\":0")).contains("different things"));
        assert!(refused(&CLAIM.replace("\"end\":11", "\"end\":111")).contains("outside passage `p`"));
        assert!(
            refused(&CLAIM.replace("[{\"passage_id\":\"p\",\"start\"", "[{\"passage_id\":\"q\",\"start\""))
                .contains("no passage `q`")
        );
        assert!(!refused("{}").is_empty() && !refused("not JSON").is_empty() && !refused("[1]").is_empty());
        assert!(parse(b"\xff").is_err());
    }
}
