//! Every setting with its value and where it came from, for people and programs. No key is among them, not even
//! one that somebody put where none belongs.

use serde_json::Value;

use super::keys::looks_like_a_key;
use super::{
    ADVANCE, ANNOTATOR, BELL, BLIND, CONCURRENCY, CONSTRAINTS, Config, DB, EGRESS, GRANULARITY, HOOK,
    HOOK_ON, HOOK_PAUSE, JUDGE, KEYS, Key, LOW_CONFIDENCE, LOW_SUPPORT, MIN_VISIBLE, MOUSE, NOTIFY, OVERLAP,
    Origin, SPOT_CHECK, SPOT_CHECK_NEW, Setting, THEME, THRESHOLD,
};

/// One setting.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// As it is written in the file, `section.key`.
    pub name: &'static str,
    pub value: Value,
    pub origin: Origin,
    /// The variable of the environment that sets it.
    pub variable: &'static str,
    /// What may stand there, to end the sentence "use …".
    pub allowed: &'static str,
}

impl Row {
    fn new<T>(key: &Key, setting: &Setting<T>, value: impl FnOnce(&T) -> Value) -> Self {
        Self {
            name: key.name,
            value: without_keys(value(&setting.value)),
            origin: setting.origin.clone(),
            variable: key.variable,
            allowed: key.allowed,
        }
    }

    /// The value in a line for people.
    pub fn shown(&self) -> String {
        match &self.value {
            Value::String(text) => text.clone(),
            Value::Array(words) => words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
            other => other.to_string(),
        }
    }
}

impl Config {
    /// Every setting but the judges, in the order of the documentation.
    pub fn settings(&self) -> Vec<Row> {
        vec![
            Row::new(&DB, &self.db, |path| path.display().to_string().into()),
            Row::new(&ANNOTATOR, &self.annotator, |name| name.as_str().into()),
            Row::new(&JUDGE, &self.judge, |name| name.as_str().into()),
            Row::new(&THEME, &self.theme, |theme| theme.label().into()),
            Row::new(&EGRESS, &self.egress, |egress| egress.label().into()),
            Row::new(&MIN_VISIBLE, &self.min_visible, |time| {
                u64::try_from(time.as_millis()).unwrap_or(u64::MAX).into()
            }),
            Row::new(&ADVANCE, &self.advance, |advance| advance.label().into()),
            Row::new(&BLIND, &self.blind, |blind| (*blind).into()),
            Row::new(&OVERLAP, &self.overlap, |people| (*people).into()),
            Row::new(&BELL, &self.bell, |ring| (*ring).into()),
            Row::new(&MOUSE, &self.mouse, |mouse| (*mouse).into()),
            Row::new(&NOTIFY, &self.notify, |notify| (*notify).into()),
            Row::new(&HOOK, &self.hook, |argv| argv.clone().into()),
            Row::new(&HOOK_ON, &self.hook_on, |on| on.label().into()),
            Row::new(&HOOK_PAUSE, &self.hook_pause, |pause| pause.as_secs().into()),
            Row::new(&CONCURRENCY, &self.concurrency, |number| (*number).into()),
            Row::new(&GRANULARITY, &self.granularity, |granularity| granularity.label().into()),
            Row::new(&THRESHOLD, &self.threshold, |threshold| threshold.label().into()),
            Row::new(&CONSTRAINTS, &self.constraints, |text| text.as_str().into()),
            Row::new(&LOW_CONFIDENCE, &self.low_confidence, |share| (*share).into()),
            Row::new(&LOW_SUPPORT, &self.low_support, |score| (*score).into()),
            Row::new(&SPOT_CHECK, &self.spot_check, |share| (*share).into()),
            Row::new(&SPOT_CHECK_NEW, &self.spot_check_new, |share| (*share).into()),
        ]
    }

    /// Those of `names`, variables of the environment, that look like juror's and are not.
    pub fn mistyped<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
        let is_known = |name: &str| {
            let mut judges = self.judges.iter().chain(&self.embeddings);
            name == "JUROR_CONFIG"
                || name == "JUROR_LOG"
                || KEYS.iter().any(|key| key.variable == name)
                || judges.any(|one| one.keys_in_words().contains(name))
        };
        names.into_iter().filter(|name| name.starts_with("JUROR_") && !is_known(name)).collect()
    }

    /// Every setting as name, value and origin, for people; the judges and a person's own keys last.
    pub fn rows(&self) -> Vec<(String, String, String)> {
        let settings =
            self.settings().into_iter().map(|row| (row.name.to_owned(), row.shown(), row.origin.to_string()));
        let judges = self
            .judges
            .iter()
            .map(|judge| (format!("judge.{}", judge.name()), judge.in_words(), judge.origin.to_string()));
        let keys = self.keys.iter().map(|own| {
            (format!("keys.{}.{}", own.place, own.command), own.keys.join(", "), own.origin.to_string())
        });
        let embeddings = self
            .embeddings
            .iter()
            .map(|server| ("embeddings".to_owned(), server.in_words(), server.origin.to_string()));
        settings.chain(judges).chain(embeddings).chain(keys).collect()
    }
}

/// `value` with a dash of dots for each word that is more likely a key than anything else. A path stays whole.
fn without_keys(value: Value) -> Value {
    match value {
        Value::String(text) if !text.starts_with('/') => masked(&text).into(),
        Value::Array(words) => words.into_iter().map(without_keys).collect(),
        other => other,
    }
}

fn masked(text: &str) -> String {
    let is_joint = |c: char| {
        c.is_whitespace() || matches!(c, '=' | ':' | ',' | ';' | '"' | '\'' | '/' | '@' | '?' | '&')
    };
    let words = text.split_inclusive(is_joint).map(|part| {
        let word = part.trim_end_matches(is_joint);
        if looks_like_a_key(word) { format!("…{}", &part[word.len()..]) } else { part.to_owned() }
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_not_shown_wherever_it_was_put() {
        let hook = vec![
            "curl",
            "-H",
            "Authorization: Bearer sk-planted-0123456789",
            "https://x/?token=sk-planted-0123456789&a=1",
        ];
        let shown = without_keys(Value::from(hook)).to_string();
        assert_eq!(shown, r#"["curl","-H","Authorization: Bearer …","https://x/?token=…&a=1"]"#);
        assert_eq!(without_keys("ignore sources before 2023".into()), "ignore sources before 2023");
    }
}
