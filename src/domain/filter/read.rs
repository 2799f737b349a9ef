//! From what was typed to a filter, or to the place where it went wrong and what is allowed there.

use std::str::FromStr;
use std::time::Duration;

use super::Filter;
use super::term::{Comparison, Pattern, Review, Term, Test, UNITS};
use crate::domain::decision::{Disposition, HumanVerdict, ReasonCode};
use crate::domain::finding::AuditState;
use crate::domain::record::RiskLevel;
use crate::domain::verdict::{NoVerdict, Severity, Verdict, quoted};

/// Bytes of the longest query.
pub const MAX_QUERY: usize = 4096;
/// Terms of the longest filter.
pub const MAX_TERMS: usize = 32;

/// The fields, as a person is told of them.
const FIELDS: &str = "severity, verdict, judged, state, risk, confidence, age, model, prompt, judge, id, by, flag, to, deferred, \
     draft, overruled, note, reason, answer, bot, is";

/// What is wrong with a query, and what may stand there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at character {at}: {what}")]
pub struct FilterError {
    /// The character at which it went wrong, counted from 1.
    pub at: usize,
    /// What is wrong there and what is allowed, in a sentence.
    pub what: String,
}

impl FromStr for Filter {
    type Err = FilterError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() > MAX_QUERY {
            return Err(FilterError { at: 1, what: format!("a filter has at most {MAX_QUERY} bytes") });
        }
        let mut reader = Reader { text, at: 0 };
        let mut terms = Vec::new();
        while reader.skip_blanks() {
            if terms.len() == MAX_TERMS {
                return Err(reader.wrong(reader.at, format!("a filter has at most {MAX_TERMS} terms")));
            }
            terms.push(reader.term()?);
        }
        Ok(Self { terms })
    }
}

/// Whether `word`, written without quotes, is read as a word that begins so.
pub(super) fn is_bare_word(word: &str) -> bool {
    let odd = |c: char| c.is_whitespace() || matches!(c, '"' | '*' | '\\');
    !word.is_empty() && !word.starts_with('-') && !word.contains(odd) && field(word).is_none()
}

/// The name of a field, its sign, and how many bytes both take.
fn field(text: &str) -> Option<(&str, Comparison, usize)> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let (name, rest) = text.split_at(end);
    let (sign, how) = Comparison::SIGNS.into_iter().find(|(sign, _)| rest.starts_with(sign))?;
    Some((name, how, end + sign.len()))
}

/// Of `is:`, where people disagree.
const DISPUTED: &str = "disputed";

struct Reader<'t> {
    text: &'t str,
    /// In bytes.
    at: usize,
}

/// What stands behind a field's sign.
struct Value<'t> {
    pattern: Pattern,
    /// As it was typed.
    typed: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// To the next term; `false` at the end.
    fn skip_blanks(&mut self) -> bool {
        self.at = self.text.len() - self.rest().trim_start().len();
        !self.rest().is_empty()
    }

    fn wrong(&self, at: usize, what: impl Into<String>) -> FilterError {
        FilterError { at: self.text[..at].chars().count() + 1, what: what.into() }
    }

    fn term(&mut self) -> Result<Term, FilterError> {
        let negated = self.rest().starts_with('-');
        self.at += usize::from(negated);
        if self.rest().chars().next().is_none_or(char::is_whitespace) {
            return Err(
                self.wrong(self.at, "`-` needs what is to be left out right behind it: -word, -note:*")
            );
        }
        if negated && self.rest().starts_with('-') {
            return Err(self.wrong(self.at, "one `-` is enough: put a word that begins with it in quotes"));
        }
        let test = match field(self.rest()) {
            Some((name, how, length)) => self.field(name, how, length)?,
            None => Test::Words(self.words()?),
        };
        Ok(Term { negated, test })
    }

    fn words(&mut self) -> Result<Pattern, FilterError> {
        let is_quoted = self.rest().starts_with('"');
        let value = self.value()?;
        if value.pattern.text.trim().is_empty() {
            return Err(self.wrong(value.at, "there is no word in it"));
        }
        // A word that is typed alone stands for all that begin so.
        let is_prefix = value.pattern.is_prefix || !is_quoted;
        Ok(Pattern { is_prefix, ..value.pattern })
    }

    /// A value up to the next blank, or in quotes; with `*` behind it, what begins so.
    fn value(&mut self) -> Result<Value<'t>, FilterError> {
        let at = self.at;
        let (text, is_quoted) = if self.rest().starts_with('"') {
            (self.quotation()?, true)
        } else {
            let length = self.rest().find(char::is_whitespace).unwrap_or(self.rest().len());
            let typed = &self.rest()[..length];
            if let Some(quote) = typed.find('"') {
                return Err(
                    self.wrong(at + quote, "a quotation mark stands before or behind a text, not in it")
                );
            }
            self.at += length;
            (typed.to_owned(), false)
        };
        let mut pattern = Pattern { text, is_prefix: false };
        if is_quoted {
            if self.rest().starts_with('*') {
                self.at += 1;
                pattern.is_prefix = true;
            }
            if self.rest().chars().next().is_some_and(|c| !c.is_whitespace()) {
                return Err(self.wrong(self.at, "a blank is missing behind the quotation mark"));
            }
        } else if let Some(beginning) = pattern.text.strip_suffix('*') {
            pattern = Pattern::beginning(beginning);
        }
        if !is_quoted && let Some(star) = pattern.text.find('*') {
            return Err(self.wrong(at + star, "`*` stands at the end only: rx-1*"));
        }
        Ok(Value { pattern, typed: &self.text[at..self.at], at })
    }

    fn quotation(&mut self) -> Result<String, FilterError> {
        let begin = self.at;
        let mut text = String::new();
        let mut is_escaped = false;
        for (at, c) in self.rest().char_indices().skip(1) {
            match c {
                '\\' if !is_escaped => is_escaped = true,
                '"' if !is_escaped => {
                    self.at += at + 1;
                    return Ok(text);
                }
                c => {
                    if is_escaped && !matches!(c, '"' | '\\') {
                        text.push('\\');
                    }
                    is_escaped = false;
                    text.push(c);
                }
            }
        }
        Err(self.wrong(begin, "the quotation mark is not closed"))
    }

    fn field(&mut self, name: &str, how: Comparison, length: usize) -> Result<Test, FilterError> {
        let begin = self.at;
        let folded = name.to_ascii_lowercase();
        if !FIELDS.split(", ").any(|known| known == folded) {
            let typed = &self.rest()[..length];
            let bot = if matches!(folded.as_str(), "model_version" | "prompt_version") {
                "; bot: asks for what made the answer"
            } else {
                ""
            };
            return Err(self.wrong(
                begin,
                format!(
                    "there is no field `{name}`{bot}: use one of {FIELDS}, or quotes to find \"{typed}…\""
                ),
            ));
        }
        let is_ordered = matches!(folded.as_str(), "severity" | "risk" | "confidence" | "age");
        if !is_ordered && how != Comparison::Is {
            return Err(
                self.wrong(begin + name.len(), format!("`{folded}` is not compared: write {folded}:…"))
            );
        }
        if folded == "age" && how == Comparison::Is {
            return Err(self.wrong(begin + name.len(), "an age is compared: age<2h, age>=3d"));
        }
        self.at += length;
        let value = self.value()?;
        if value.typed.is_empty() {
            return Err(self.wrong(value.at, format!("`{folded}` needs a value: {}", allowed(&folded))));
        }
        let pattern = &value.pattern;
        let wrong = || {
            let what = match folded.as_str() {
                "severity" => "a severity",
                "verdict" | "judged" => "a verdict",
                "state" => "a state",
                "risk" => "a risk level",
                "confidence" => "a confidence",
                "age" => "an age",
                "reason" => "a reason",
                "answer" => "a disposition",
                _ => "a state of review",
            };
            self.wrong(value.at, format!("`{}` is not {what}: {}", quoted(value.typed), allowed(&folded)))
        };
        let exact = Some(pattern.text.as_str()).filter(|_| !pattern.is_prefix);
        Ok(match folded.as_str() {
            "severity" if exact.is_some_and(|text| text.eq_ignore_ascii_case("none")) => {
                Test::Severity(how, None)
            }
            "severity" => Test::Severity(how, Some(label::<Severity>(exact).ok_or_else(wrong)?)),
            "verdict" => Test::Verdict(label::<HumanVerdict>(exact).ok_or_else(wrong)?),
            "judged" => Test::Judged(label::<Verdict>(exact).ok_or_else(wrong)?),
            "state" => Test::State(state(exact).ok_or_else(wrong)?),
            "risk" => Test::Risk(how, label::<RiskLevel>(exact).ok_or_else(wrong)?),
            "confidence" => Test::Confidence(how, thousandths(exact).ok_or_else(wrong)?),
            "age" => Test::Age(how, age(exact).ok_or_else(wrong)?),
            "reason" if pattern.is_any() => Test::Reason(None),
            "reason" => Test::Reason(Some(label::<ReasonCode>(exact).ok_or_else(wrong)?)),
            "answer" if pattern.is_any() => Test::Answer(None),
            "answer" => Test::Answer(Some(disposition(exact).ok_or_else(wrong)?)),
            "bot" => Test::Bot(value.pattern),
            "is" if exact.is_some_and(|text| text.eq_ignore_ascii_case(DISPUTED)) => Test::Disputed,
            "is" => Test::Is(label::<Review>(exact).ok_or_else(wrong)?),
            "model" => Test::Model(value.pattern),
            "prompt" => Test::Prompt(value.pattern),
            "judge" => Test::Judge(value.pattern),
            "id" => Test::Audit(value.pattern),
            "by" => Test::By(value.pattern),
            "flag" => Test::Flag(value.pattern),
            "to" => Test::To(value.pattern),
            "deferred" => Test::Deferred(value.pattern),
            "draft" => Test::Draft(value.pattern),
            "overruled" => Test::Overruled(value.pattern),
            _ => Test::Note(value.pattern),
        })
    }
}

/// What may stand behind a field.
fn allowed(field: &str) -> String {
    fn labels(labels: impl IntoIterator<Item = &'static str>) -> String {
        let labels: Vec<String> = labels.into_iter().map(str::to_lowercase).collect();
        format!("use one of {}", labels.join(", "))
    }
    match field {
        "severity" => labels(Severity::ALL.iter().map(|one| one.label()).chain(["none"])),
        "verdict" => labels(HumanVerdict::ALL.iter().map(|one| one.label())),
        "judged" => labels(Verdict::ALL.iter().map(|one| one.label())),
        "state" => {
            labels(["judged", "ungrounded"].into_iter().chain(NoVerdict::ALL.iter().map(|one| one.label())))
        }
        "risk" => labels(RiskLevel::ALL.iter().map(|one| one.label())),
        "reason" => labels(["*"].into_iter().chain(ReasonCode::ALL.iter().map(|one| one.label()))),
        "answer" => labels(["*"].into_iter().chain(DISPOSITIONS.map(Disposition::done))),
        "is" => labels(Review::ALL.iter().map(|one| one.label()).chain([DISPUTED])),
        "confidence" => "use a number from 0 to 1, as in confidence<0.7".to_owned(),
        "age" => "use a whole number with s, m, h, d or w, as in age<2h".to_owned(),
        "note" => "use *, a word, or a phrase in quotes".to_owned(),
        _ => format!("use a name, {field}:* for any, or {field}:abc* for all that begin so"),
    }
}

fn label<T: FromStr>(text: Option<&str>) -> Option<T> {
    text?.parse().ok()
}

fn state(text: Option<&str>) -> Option<AuditState> {
    let folded = text?.trim().to_ascii_uppercase().replace(['-', ' '], "_");
    AuditState::from_label(&folded)
}

const DISPOSITIONS: [Disposition; 3] = [Disposition::Release, Disposition::Return, Disposition::Block];

/// `blocked`, or `block` as it is written beside `--dispose`.
fn disposition(text: Option<&str>) -> Option<Disposition> {
    let folded = text?.trim().to_ascii_lowercase();
    let fits = |one: &Disposition| folded == one.done() || folded.eq_ignore_ascii_case(one.label());
    DISPOSITIONS.into_iter().find(fits)
}

fn thousandths(text: Option<&str>) -> Option<u16> {
    let value: f64 = text?.parse().ok()?;
    (0.0..=1.0).contains(&value).then(|| (value * 1000.0).round() as u16)
}

fn age(text: Option<&str>) -> Option<Duration> {
    let text = text?;
    let letter = text.chars().next_back()?;
    let (_, unit) = UNITS.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(&letter))?;
    let number = &text[..text.len() - letter.len_utf8()];
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // A thousand years are enough, and fit in milliseconds.
    let seconds =
        number.parse::<u64>().ok()?.checked_mul(unit).filter(|seconds| *seconds < 31_557_600_000)?;
    Some(Duration::from_secs(seconds))
}
