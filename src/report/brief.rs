//! A kept report as far as people read it: without its cases and its data, which for thousands of items are nearly all
//! of it, and with no more findings than anybody looks through.

use std::fmt;
use std::io::Read;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::{Chart, Fact, Figure, Findings, Found, Gate, Kind, Part, Report, Shows, Table};
use crate::domain::time::Timestamp;

/// Findings of a part that are read; `total` counts the rest.
pub const MOST: usize = 2000;

/// Members of a report that another gate changes.
#[derive(Deserialize)]
struct Later {
    gate: Option<Gate>,
    facts: Vec<Fact>,
}

/// Reads a report that serde wrote as JSON, with its gate and facts as they stand in `later`, where they do. What comes
/// behind its parts is not read.
///
/// # Errors
/// When it is no report.
pub fn read(from: impl Read, later: &str) -> Result<Report, serde_json::Error> {
    let report = head(from)?;
    Ok(match serde_json::from_str(later) {
        Ok(Later { gate, facts }) => Report { gate, facts, ..report },
        Err(_) => report,
    })
}

fn head(from: impl Read) -> Result<Report, serde_json::Error> {
    let mut found = None;
    let mut deserializer = serde_json::Deserializer::from_reader(from);
    let ended = deserializer.deserialize_map(Head { found: &mut found });
    // Whoever stops in the middle has no other way to say so than an error.
    match (found, ended) {
        (Some(report), _) => Ok(report),
        (None, Err(error)) => Err(error),
        (None, Ok(())) => Err(Error::custom("it has no parts")),
    }
}

struct Head<'f> {
    found: &'f mut Option<Report>,
}

impl<'de> Visitor<'de> for Head<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a report")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let missing = |name| A::Error::missing_field(name);
        let (mut kind, mut title, mut made_at, mut program) = (None, None, None::<Timestamp>, None);
        let (mut provisional, mut sentences, mut gate, mut facts) = (None, Vec::new(), None, Vec::new());
        while let Some(field) = map.next_key::<String>()? {
            match &*field {
                "kind" => kind = Some(map.next_value::<Kind>()?),
                "title" => title = Some(map.next_value()?),
                "made_at" => made_at = Some(map.next_value()?),
                "program" => program = Some(map.next_value()?),
                "provisional" => provisional = map.next_value()?,
                "sentences" => sentences = map.next_value()?,
                "gate" => gate = map.next_value()?,
                "facts" => facts = map.next_value()?,
                "parts" => {
                    let parts: Vec<BriefPart> = map.next_value()?;
                    *self.found = Some(Report {
                        kind: kind.ok_or_else(|| missing("kind"))?,
                        name: None,
                        title: title.ok_or_else(|| missing("title"))?,
                        made_at: made_at.ok_or_else(|| missing("made_at"))?,
                        program: program.ok_or_else(|| missing("program"))?,
                        provisional,
                        sentences,
                        gate,
                        facts,
                        parts: parts.into_iter().map(Part::from).collect(),
                        cases: Vec::new(),
                        data: Value::Null,
                    });
                    return Err(A::Error::custom("enough is read"));
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

#[derive(Deserialize)]
struct BriefPart {
    title: String,
    sentences: Vec<String>,
    shows: BriefShows,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum BriefShows {
    Figures(Vec<Figure>),
    Table(Table),
    Chart(Chart),
    Findings(BriefFindings),
}

#[derive(Deserialize)]
struct BriefFindings {
    none: String,
    total: u64,
    #[serde(deserialize_with = "first")]
    list: Vec<Found>,
}

impl From<BriefPart> for Part {
    fn from(part: BriefPart) -> Self {
        let shows = match part.shows {
            BriefShows::Figures(figures) => Shows::Figures(figures),
            BriefShows::Table(table) => Shows::Table(table),
            BriefShows::Chart(chart) => Shows::Chart(chart),
            BriefShows::Findings(BriefFindings { none, total, list }) => {
                Shows::Findings(Findings { none, total, list })
            }
        };
        Self { title: part.title, sentences: part.sentences, shows }
    }
}

/// The first findings of a list.
fn first<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Found>, D::Error> {
    struct First;
    impl<'de> Visitor<'de> for First {
        type Value = Vec<Found>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of findings")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut found = Vec::new();
            while found.len() < MOST {
                match list.next_element()? {
                    Some(one) => found.push(one),
                    None => return Ok(found),
                }
            }
            while list.next_element::<IgnoredAny>()?.is_some() {}
            Ok(found)
        }
    }
    deserializer.deserialize_seq(First)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn report(findings: usize) -> Report {
        let found = |at: usize| Found {
            id: format!("q-{at}"),
            severity: None,
            label: "UNSUPPORTED".into(),
            text: "Norway \"sold\" it.".into(),
            details: Vec::new(),
        };
        Report {
            kind: Kind::Comparison,
            name: None,
            title: "b against a".into(),
            made_at: Timestamp::from_millis(0),
            program: "juror".into(),
            provisional: Some("1 of 2".into()),
            sentences: vec!["It is worse.".into()],
            gate: None,
            facts: vec![Fact::new("judge", "local")],
            parts: vec![Part::new(
                "New",
                Shows::Findings(Findings {
                    none: String::new(),
                    total: findings as u64,
                    list: (0..findings).map(found).collect(),
                }),
            )],
            cases: Vec::new(),
            data: Value::Null,
        }
    }

    #[test]
    fn it_reads_back_all_but_cases_data_and_what_nobody_looks_through() {
        let kept = Report { data: serde_json::json!({"items": [1, 2]}), ..report(3) };
        let json = serde_json::to_string(&kept).unwrap();
        assert_eq!(read(json.as_bytes(), "").unwrap(), report(3));
        let later = Fact::new("calibration", "CALIBRATED");
        let told = serde_json::json!({"gate": null, "facts": [&later]}).to_string();
        assert_eq!(read(json.as_bytes(), &told).unwrap().facts, [later]);
        let many = read(serde_json::to_string(&report(MOST + 7)).unwrap().as_bytes(), "").unwrap();
        let Shows::Findings(findings) = &many.parts[0].shows else { panic!() };
        assert_eq!((findings.list.len(), findings.total, findings.unlisted()), (MOST, MOST as u64 + 7, 7));
    }

    #[test]
    fn what_is_no_report_is_said_to_be_none() {
        for (text, why) in [
            ("", "EOF"),
            ("[]", "a report"),
            ("{}", "no parts"),
            ("{\"parts\":[]}", "`kind`"),
            ("{\"kind\":\"comparison\",\"parts\":[", "EOF"),
        ] {
            let error = read(text.as_bytes(), "").unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    /// Nothing behind the parts is asked for.
    #[test]
    fn what_stands_behind_the_parts_is_not_read() {
        struct Counted<'c>(&'c [u8], &'c Cell<usize>);
        impl Read for Counted<'_> {
            fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
                let n = self.0.read(buf)?;
                self.1.set(self.1.get() + n);
                Ok(n)
            }
        }
        let kept = Report { data: Value::String("x".repeat(1 << 20)), ..report(3) };
        let (json, count) = (serde_json::to_string(&kept).unwrap(), Cell::new(0));
        let reader = std::io::BufReader::with_capacity(4096, Counted(json.as_bytes(), &count));
        assert!(read(reader, "").is_ok());
        assert!(count.get() < 16 * 1024, "{}", count.get());
    }
}
