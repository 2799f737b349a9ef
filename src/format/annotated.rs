//! What several people said of the same things: one line in, its units with everybody's ratings out, or the reason
//! why not.
//!
//! | line | unit |
//! |---|---|
//! | a record in a form of [`mod@super::native`], each claim with `annotations` | a claim |
//! | the claim form with `annotations`, or with `votes` | the claim |
//! | a pair of [`mod@super::pair`] with `annotations` | the pair |
//! | an item of [`mod@super::golden`] with both answers and `annotations` | each of the answers |
//! | a row of `juror export --what claims` | the claim, with what people said blind, else with their decisions; and what the judge said |
//! | `{"unit","annotator","verdict"}` or `{"unit","annotator","score"}` | what it names |
//!
//! `annotations` are `[{"annotator","verdict"}]`, for pairs `[{"annotator","score"}]`, for two answers `[{"annotator",
//! "baseline_wrong","candidate_wrong"}]`: whether each holds a claim that the documents do not bear out. `votes` are verdicts whose
//! annotators are not named: a list, or an object by annotator.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::golden;
use super::native::{self, json_reason, kind, not_utf8};
use super::pair::{self, Pair};
use crate::domain::annotation::{Rating, Scale};
use crate::domain::comparison::Rivals;
use crate::domain::decision::HumanVerdict;
use crate::domain::finding::{AuditState, JudgeIdentity};
use crate::domain::record::Record;
use crate::domain::verdict::{NoVerdict, Score, Verdict};

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub struct Annotated {
    pub subject: Subject,
    /// The record that its units are of: they hang together, and so do those of other lines of that record.
    pub record: String,
    /// For a record: its claims in their order.
    pub units: Vec<Unit>,
    /// How the evidence was found, where the metadata say so.
    pub retrieval: Option<String>,
}

/// What a judge can be asked about.
#[derive(Debug, Clone, PartialEq)]
pub enum Subject {
    /// With its claims given.
    Record(Box<Record>),
    Pair(Box<Pair>),
    Rivals(Box<Rivals>),
    /// Nothing more: the line has what the judge said.
    Judged(Box<JudgedRow>),
    /// Nothing: the line has ratings alone.
    Ratings,
}

/// What a judge said of a claim that was exported.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedRow {
    /// `faithfulness` or `support`.
    pub instrument: String,
    /// Its settings are not exported.
    pub identity: JudgeIdentity,
    /// Not where it found no claim in the answer, nor where a person made the claim.
    pub was_asked: bool,
    /// `None` where it has no verdict that counts.
    pub rating: Option<Rating>,
    pub confidence: Option<f64>,
}

/// What is rated.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    pub id: String,
    /// The claim in its own words; empty where the line does not have it.
    pub text: String,
    /// At most one of each annotator.
    pub annotations: Vec<(String, Rating)>,
    /// Who judged it blind and had been shown the judge's word on it before: what they say counts for nothing.
    pub dependent: Vec<String>,
    /// Who settled a disagreement, and what it is then.
    pub settled: Option<(String, Rating)>,
    /// The label of a data set that does not say who gave it.
    pub label: Option<Verdict>,
}

#[derive(Deserialize)]
struct AnnotationForm {
    annotator: String,
    verdict: Option<HumanVerdict>,
    score: Option<u8>,
}

/// Reads one line, without its line feed. The error is the reason in words.
pub fn parse(line: &[u8]) -> Result<Annotated, String> {
    let raw = std::str::from_utf8(line).map_err(|error| not_utf8(line, error))?;
    let fields = match serde_json::from_str::<Value>(raw).map_err(|error| json_reason(&error))? {
        Value::Object(fields) => fields,
        other => return Err(format!("a line is a JSON object, found {}", kind(&other))),
    };
    if fields.contains_key("unit") {
        return one_rating(fields);
    }
    if fields.contains_key("decisions") && fields.contains_key("id") {
        return exported(&fields);
    }
    if fields.contains_key("source") && fields.contains_key("claim") {
        let pair = pair::parse(line)?;
        let id = format!("{} × {}", pair.claim_id, pair.source.passage_id);
        let record = pair.answer_id.as_ref().unwrap_or(&pair.claim_id).clone();
        let unit = unit(id, pair.claim.clone(), &fields, Scale::Scores)?;
        let subject = Subject::Pair(Box::new(pair));
        let retrieval = retrieval(&fields, "source_metadata");
        return Ok(Annotated { subject, record, units: vec![unit], retrieval });
    }
    if fields.contains_key("baseline") && fields.contains_key("candidate") {
        return two_answers(line, &fields);
    }
    let record = native::parse(line, String::new())?.record.record;
    let audit_id = record.audit_id.to_string();
    let units = match fields.get("claims").and_then(Value::as_array) {
        Some(claims) => {
            let each = record.given_claims.iter().zip(claims).enumerate();
            each.map(|(at, (given, claim))| {
                let id = given.claim_id.clone().unwrap_or_else(|| (at + 1).to_string());
                let none = Map::new();
                let claim = claim.as_object().unwrap_or(&none);
                unit(format!("{audit_id} {id}"), given.claim_text.clone(), claim, Scale::Verdicts)
                    .map_err(|reason| format!("`claims[{at}]`: {reason}"))
            })
            .collect::<Result<_, _>>()?
        }
        None if record.given_claims.len() == 1 => {
            vec![unit(audit_id.clone(), record.answer.clone(), &fields, Scale::Verdicts)?]
        }
        None => Vec::new(),
    };
    if units.is_empty() {
        return Err("no `claims`: people's verdicts belong to claims that are given".to_owned());
    }
    let retrieval = retrieval(&fields, "metadata");
    Ok(Annotated { subject: Subject::Record(Box::new(record)), record: audit_id, units, retrieval })
}

/// The version of the retrieval that the metadata name; a number is as good as a text.
pub(super) fn retrieval(fields: &Map<String, Value>, metadata: &str) -> Option<String> {
    match fields.get(metadata)?.get("retrieval")? {
        Value::String(version) => Some(version.clone()),
        Value::Number(version) => Some(version.to_string()),
        _ => None,
    }
}

#[derive(Deserialize)]
struct AnswersForm {
    annotator: String,
    baseline_wrong: bool,
    candidate_wrong: bool,
}

/// Two answers are two units.
fn two_answers(line: &[u8], fields: &Map<String, Value>) -> Result<Annotated, String> {
    let entry = golden::parse(line)?;
    let (Some(documents), Some(baseline), Some(candidate)) =
        (entry.documents, entry.baseline, entry.candidate)
    else {
        return Err("an item needs `documents`, `baseline` and `candidate`".to_owned());
    };
    let forms: Vec<AnswersForm> = match fields.get("annotations") {
        None | Some(Value::Null) => Vec::new(),
        Some(list) => serde_json::from_value(list.clone())
            .map_err(|error| format!("`annotations`: {}", json_reason(&error)))?,
    };
    let mut seen = HashSet::new();
    if let Some(twice) = forms.iter().find(|form| !seen.insert(form.annotator.as_str())) {
        return Err(format!(
            "`annotations`: {} stands there twice: one annotator has one say",
            twice.annotator
        ));
    }
    let unit = |side: &str, text: &str, is_wrong: fn(&AnswersForm) -> bool| Unit {
        id: format!("{} {side}", entry.id),
        text: text.to_owned(),
        annotations: forms
            .iter()
            .map(|form| (form.annotator.clone(), Rating::Answer { is_wrong: is_wrong(form) }))
            .collect(),
        dependent: Vec::new(),
        settled: None,
        label: None,
    };
    let units = vec![
        unit("baseline", &baseline, |form| form.baseline_wrong),
        unit("candidate", &candidate, |form| form.candidate_wrong),
    ];
    let rivals = Rivals {
        id: entry.id,
        question: entry.question,
        documents,
        baseline,
        candidate,
        risk_level: entry.risk_level,
    };
    Ok(Annotated {
        record: rivals.id.clone(),
        subject: Subject::Rivals(Box::new(rivals)),
        units,
        retrieval: retrieval(fields, "metadata"),
    })
}

fn one_rating(mut fields: Map<String, Value>) -> Result<Annotated, String> {
    let id = match fields.remove("unit") {
        Some(Value::String(id)) if !id.trim().is_empty() => id,
        Some(Value::Number(id)) => id.to_string(),
        other => return Err(format!("`unit` must be a name, found {}", kind(&other.unwrap_or(Value::Null)))),
    };
    let annotations = vec![annotation(Value::Object(fields))?];
    let record = record_of(&id);
    let unit =
        Unit { id, text: String::new(), annotations, dependent: Vec::new(), settled: None, label: None };
    Ok(Annotated { subject: Subject::Ratings, record, units: vec![unit], retrieval: None })
}

/// Where nothing but the name of a claim tells its record: `rx-1` of `rx-1#2`.
fn record_of(unit: &str) -> String {
    unit.rsplit_once('#').map_or(unit, |(record, _)| record).to_owned()
}

/// A row of a claims export: what people said before they were shown the judge; where nobody judged it blind, the
/// decisions that stand.
fn exported(fields: &Map<String, Value>) -> Result<Annotated, String> {
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let rows = |name: &str| {
        let rows = fields.get(name).and_then(Value::as_array).into_iter().flatten().cloned();
        // Of a score the verdict only follows.
        let alone = rows.map(|mut row| {
            if row.get("score").is_some_and(|score| !score.is_null())
                && let Some(fields) = row.as_object_mut()
            {
                fields.remove("verdict");
            }
            row
        });
        alone.collect::<Vec<Value>>()
    };
    let is_independent = |said: &Value| said.get("independent") == Some(&Value::Bool(true));
    let (independent, others): (Vec<Value>, Vec<Value>) = rows("blind").into_iter().partition(is_independent);
    let name = |said: &Value| said.get("annotator").and_then(Value::as_str).map(str::to_owned);
    let dependent: Vec<String> = others.iter().filter_map(name).collect();
    let annotations = if independent.is_empty() && dependent.is_empty() {
        annotations("decisions", Some(&Value::Array(rows("decisions"))), None)?
    } else {
        annotations("blind", Some(&Value::Array(independent)), None)?
    };
    let settled = adjudicated(fields).map_err(|reason| format!("`human_verdict`: {reason}"))?;
    let unit =
        Unit { id: text("id"), text: text("claim_text"), annotations, dependent, settled, label: None };
    let record = match text("audit_id") {
        none if none.is_empty() => record_of(&unit.id),
        record => record,
    };
    let judge = text("judge");
    if judge.is_empty() {
        return Ok(Annotated { subject: Subject::Ratings, record, units: vec![unit], retrieval: None });
    }
    let instrument = text("instrument");
    let is_judged = text("state") == AuditState::Judged.label();
    let rating = if instrument == SUPPORT {
        let score = fields.get("support").and_then(Value::as_u64).and_then(|score| u8::try_from(score).ok());
        score.and_then(Score::new).map(Rating::Score)
    } else {
        text("verdict").parse::<Verdict>().ok().map(|verdict| Rating::Verdict(verdict.into()))
    };
    let judged = JudgedRow {
        instrument,
        identity: JudgeIdentity {
            judge,
            model: text("model"),
            prompt_version: text("prompt_version"),
            prompt_sha256: text("prompt_sha256"),
            settings: Value::Null,
        },
        was_asked: ![NoVerdict::Added, NoVerdict::NoClaims]
            .into_iter()
            .any(|state| text("state") == AuditState::NoVerdict(state).label()),
        rating: rating.filter(|_| is_judged),
        confidence: fields.get("confidence").and_then(Value::as_f64),
    };
    let subject = Subject::Judged(Box::new(judged));
    Ok(Annotated { subject, record, units: vec![unit], retrieval: None })
}

/// Who settled what people disagreed on, and how.
fn adjudicated(fields: &Map<String, Value>) -> Result<Option<(String, Rating)>, String> {
    let Some(Value::String(adjudicator)) = fields.get("adjudicator") else { return Ok(None) };
    let of = |name: &str| fields.get(name).filter(|value| !value.is_null()).cloned();
    let mut said = Map::from_iter([("annotator".to_owned(), Value::String(adjudicator.clone()))]);
    // Of a score the verdict only follows.
    match (of("human_score"), of("human_verdict")) {
        (Some(score), _) => said.insert("score".to_owned(), score),
        (None, Some(verdict)) => said.insert("verdict".to_owned(), verdict),
        (None, None) => return Ok(None),
    };
    annotation(Value::Object(said)).map(Some)
}

/// The instrument of a claim–source pair.
const SUPPORT: &str = "support";

fn unit(id: String, text: String, fields: &Map<String, Value>, scale: Scale) -> Result<Unit, String> {
    let label = match (scale, fields.get("label")) {
        (Scale::Verdicts, Some(Value::String(label))) => {
            Some(label.parse::<Verdict>().map_err(|e| e.to_string())?)
        }
        _ => None,
    };
    let mut annotations = annotations("annotations", fields.get("annotations"), Some(scale))?;
    if annotations.is_empty() {
        annotations = votes(fields.get("votes"))?;
    }
    Ok(Unit { id, text, annotations, dependent: Vec::new(), settled: None, label })
}

fn annotations(
    name: &str,
    value: Option<&Value>,
    scale: Option<Scale>,
) -> Result<Vec<(String, Rating)>, String> {
    let items = match value {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(other) => return Err(format!("`{name}` must be a list, found {}", kind(other))),
    };
    let mut seen = HashSet::new();
    let each = items.iter().enumerate().map(|(at, item)| {
        let (annotator, rating) =
            annotation(item.clone()).map_err(|reason| format!("`{name}[{at}]`: {reason}"))?;
        if scale.is_some_and(|scale| scale != rating.scale()) {
            let wanted = if scale == Some(Scale::Scores) { "a `score` from 1 to 5" } else { "a `verdict`" };
            return Err(format!("`{name}[{at}]`: here people give {wanted}"));
        }
        if !seen.insert(annotator.clone()) {
            return Err(format!("`{name}`: {annotator} stands there twice: one annotator has one say"));
        }
        Ok((annotator, rating))
    });
    each.collect()
}

fn annotation(value: Value) -> Result<(String, Rating), String> {
    let form: AnnotationForm = serde_json::from_value(value).map_err(|error| json_reason(&error))?;
    if form.annotator.trim().is_empty() {
        return Err("`annotator` is empty".to_owned());
    }
    let rating = match (form.verdict, form.score) {
        (Some(verdict), None) => Rating::Verdict(verdict),
        (None, Some(score)) => Rating::Score(
            Score::new(score).ok_or_else(|| format!("`score` is {score}, and goes from 1 to 5"))?,
        ),
        (Some(_), Some(_)) => return Err("`verdict` and `score` stand together: one of them".to_owned()),
        (None, None) => return Err("neither `verdict` nor `score`".to_owned()),
    };
    Ok((form.annotator, rating))
}

/// Votes without names count for annotators 1, 2, 3 …
fn votes(value: Option<&Value>) -> Result<Vec<(String, Rating)>, String> {
    let verdict = |value: &Value| -> Result<Rating, String> {
        let label =
            value.as_str().ok_or_else(|| format!("`votes`: a vote is a verdict, found {}", kind(value)))?;
        Ok(Rating::Verdict(label.parse::<HumanVerdict>().map_err(|error| format!("`votes`: {error}"))?))
    };
    match value {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(votes)) => {
            votes.iter().enumerate().map(|(at, vote)| Ok(((at + 1).to_string(), verdict(vote)?))).collect()
        }
        Some(Value::Object(votes)) => {
            votes.iter().map(|(annotator, vote)| Ok((annotator.clone(), verdict(vote)?))).collect()
        }
        Some(other) => Err(format!("`votes` must be a list or an object, found {}", kind(other))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str = r#"{"audit_id":"g","generated_answer":"It is 8 g. It helps.","evidence_passages":[{"passage_id":"p","content":"4 g"}],"claims":[{"claim_id":"c1","claim_text":"It is 8 g.","annotations":[{"annotator":"ana","verdict":"CONTRADICTED"},{"annotator":"bo","verdict":"unsupported"}]},{"claim_text":"It helps."}]}"#;

    fn ratings(unit: &Unit) -> Vec<(&str, &'static str)> {
        unit.annotations.iter().map(|(annotator, rating)| (annotator.as_str(), rating.label())).collect()
    }

    #[test]
    fn a_record_with_what_people_said_of_its_claims() {
        let read = parse(RECORD.as_bytes()).unwrap();
        assert_eq!(read.units[0].id, "g c1");
        assert_eq!(ratings(&read.units[0]), [("ana", "CONTRADICTED"), ("bo", "UNSUPPORTED")]);
        assert_eq!((read.units[1].id.as_str(), read.units[1].annotations.len()), ("g 2", 0));
        let Subject::Record(record) = read.subject else { panic!("a record") };
        assert_eq!(record.given_claims.len(), 2);
    }

    #[test]
    fn a_claim_with_votes_and_a_label() {
        let line = r#"{"dataset":"d","id":"7","claim":"It is 8 g.","evidence":[{"passage_id":"p","content":"4 g"}],"label":"CONTRADICTED","votes":["CONTRADICTED","CONTRADICTED","UNSUPPORTED"]}"#;
        let unit = parse(line.as_bytes()).unwrap().units.remove(0);
        assert_eq!((unit.id.as_str(), unit.label), ("d:7", Some(Verdict::Contradicted)));
        assert_eq!(ratings(&unit)[2], ("3", "UNSUPPORTED"));
        let named =
            line.replace(r#"["CONTRADICTED","CONTRADICTED","UNSUPPORTED"]"#, r#"{"ana":"NOT_A_CLAIM"}"#);
        assert_eq!(ratings(&parse(named.as_bytes()).unwrap().units[0]), [("ana", "NOT_A_CLAIM")]);
    }

    #[test]
    fn a_pair_with_scores() {
        let line = r#"{"claim_id":"c","claim":"It is 8 g.","source_id":"s","source":"4 g","annotations":[{"annotator":"ana","score":1},{"annotator":"bo","score":2}]}"#;
        let read = parse(line.as_bytes()).unwrap();
        assert_eq!(read.units[0].id, "c × s");
        assert_eq!(ratings(&read.units[0]), [("ana", "1"), ("bo", "2")]);
        let verdict = line.replace("\"score\":1", "\"verdict\":\"UNSUPPORTED\"");
        assert!(parse(verdict.as_bytes()).unwrap_err().contains("a `score` from 1 to 5"));
    }

    #[test]
    fn two_answers_are_two_units() {
        let line = r#"{"id":"q1","documents":["At most 4 g."],"baseline":"4 g.","candidate":"8 g.","annotations":[{"annotator":"ana","baseline_wrong":false,"candidate_wrong":true}]}"#;
        let read = parse(line.as_bytes()).unwrap();
        assert_eq!(
            read.units.iter().map(|unit| unit.id.as_str()).collect::<Vec<_>>(),
            ["q1 baseline", "q1 candidate"]
        );
        assert_eq!(ratings(&read.units[1]), [("ana", "WRONG")]);
        let twice =
            line.replace("}]}", r#"},{"annotator":"ana","baseline_wrong":false,"candidate_wrong":true}]}"#);
        assert!(parse(twice.as_bytes()).unwrap_err().contains("twice"));
    }

    #[test]
    fn ratings_alone_and_rows_of_an_export() {
        let read = parse(br#"{"unit":"u1","annotator":"ana","score":4}"#).unwrap();
        assert_eq!((read.subject, ratings(&read.units[0])), (Subject::Ratings, vec![("ana", "4")]));
        let row = r#"{"audit_id":"g","id":"g#1","claim_text":"It is 8 g.","decisions":[{"annotator":"ana","review":"CONFIRMED","verdict":"CONTRADICTED","severity":null}]}"#;
        let unit = parse(row.as_bytes()).unwrap().units.remove(0);
        assert_eq!((unit.id.as_str(), ratings(&unit)), ("g#1", vec![("ana", "CONTRADICTED")]));
        let blind = row.replace(
            "\"decisions\"",
            r#""blind":[{"annotator":"bo","verdict":"UNSUPPORTED","independent":true},{"annotator":"cy","verdict":"UNSUPPORTED","independent":false}],"decisions""#,
        );
        let unit = parse(blind.as_bytes()).unwrap().units.remove(0);
        assert_eq!(
            (ratings(&unit), &unit.dependent[..]),
            (vec![("bo", "UNSUPPORTED")], &["cy".to_owned()][..])
        );
        // Where nobody is independent, decisions are no ground either: these people saw more, not less.
        let none = parse(blind.replace("true", "false").as_bytes()).unwrap().units.remove(0);
        assert_eq!((ratings(&none), none.dependent.len()), (vec![], 2));
        let settled = blind.replace(
            "\"id\"",
            r#""adjudicator":"cy","human_verdict":"PARTIALLY_SUPPORTED","human_score":null,"id""#,
        );
        let unit = parse(settled.as_bytes()).unwrap().units.remove(0);
        let (who, what) = unit.settled.unwrap();
        assert_eq!((who.as_str(), what.label()), ("cy", "PARTIALLY_SUPPORTED"));
    }

    #[test]
    fn a_row_of_an_export_has_the_judges_word_and_scores_of_pairs() {
        let row = r#"{"audit_id":"g","id":"g#1","claim_text":"It is 8 g.","instrument":"support","judge":"local","model":"m","prompt_version":"1","prompt_sha256":"ab","state":"JUDGED","verdict":"CONTRADICTED","support":1,"confidence":0.9,"decisions":[{"annotator":"ana","verdict":"UNSUPPORTED","score":2}]}"#;
        let read = parse(row.as_bytes()).unwrap();
        assert_eq!(ratings(&read.units[0]), [("ana", "2")]);
        let Subject::Judged(judged) = read.subject else { panic!("what the judge said") };
        assert_eq!((judged.rating.map(Rating::label), judged.confidence), (Some("1"), Some(0.9)));
        let ungrounded = row
            .replace("\"JUDGED\"", "\"UNGROUNDED\"")
            .replace("support\",\"judge", "faithfulness\",\"judge");
        let Subject::Judged(judged) = parse(ungrounded.as_bytes()).unwrap().subject else { panic!("a row") };
        assert_eq!((judged.rating, judged.instrument.as_str()), (None, "faithfulness"));
    }

    #[test]
    fn what_is_none_says_why() {
        let refused = |line: &str| parse(line.as_bytes()).unwrap_err();
        assert!(refused("[1]").contains("a list"));
        assert!(refused(r#"{"unit":"u","annotator":"a"}"#).contains("neither `verdict` nor `score`"));
        assert!(refused(r#"{"unit":"u","annotator":"a","score":6}"#).contains("from 1 to 5"));
        assert!(refused(r#"{"unit":"","annotator":"a","score":1}"#).contains("a name"));
        assert!(refused(&RECORD.replace("\"bo\"", "\"ana\"")).contains("ana stands there twice"));
        assert!(refused(&RECORD.replace("unsupported", "MAYBE")).contains("`claims[0]`: `annotations[1]`"));
        let bare = r#"{"audit_id":"g","generated_answer":"x","evidence_passages":[]}"#;
        assert!(refused(bare).contains("no `claims`"));
    }
}
