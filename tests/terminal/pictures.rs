//! The pictures of `docs/`, made from the demonstration by keys:
//! `cargo test --test terminal pictures -- --ignored`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use super::pty::{Bench, Link, Pty};
use super::svg;

/// A picture must load at once, also over a phone.
const MOST_BYTES: u64 = 60_000;
const WIDE: (u16, u16) = (124, 34);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/pictures")
}

/// A camera before the demonstration.
struct Studio {
    screen: Pty,
}

impl Studio {
    fn open(bench: &Bench, size: (u16, u16), theme: &str, arguments: &[&str]) -> Self {
        let environment = [("JUROR_THEME", theme), ("JUROR_ANNOTATOR", "ana"), ("LANG", "C.UTF-8")];
        let arguments = [&["review"][..], arguments].concat();
        let program = env!("CARGO_BIN_EXE_juror");
        let studio = Self { screen: bench.open(Link::Local, size, program, &arguments, &environment) };
        studio.screen.until("In queue");
        studio.rest();
        studio
    }

    fn rest(&self) {
        self.screen.settle(Duration::from_millis(400));
    }

    fn press(&mut self, keys: &str) -> &mut Self {
        self.screen.send(keys);
        self.rest();
        self
    }

    /// Goes down the queue until the claim of `id` is in hand.
    fn go_to(&mut self, id: &str) -> &mut Self {
        for _ in 0..200 {
            if self.screen.screen().contains(&format!("─ {id} · ")) {
                self.rest();
                return self;
            }
            self.screen.send("j");
            self.screen.settle(Duration::from_millis(60));
        }
        panic!("{id} is not in the queue:\n{}", self.screen.screen());
    }

    fn take(&mut self, name: &str, title: &str) -> &mut Self {
        let picture = self.screen.with_screen(|screen| svg::draw(screen, title));
        std::fs::create_dir_all(folder()).unwrap();
        std::fs::write(folder().join(format!("{name}.svg")), picture).unwrap();
        self
    }
}

/// A medicine, what is most of it in a day, and what it is not given with.
const MEDICINES: [(&str, &str, &str); 8] = [
    ("Paracetamol", "4 g", "severe liver disease"),
    ("Ibuprofen", "2.4 g", "an active peptic ulcer"),
    ("Naproxen", "1.25 g", "severe heart failure"),
    ("Metformin", "3 g", "severe renal failure"),
    ("Codeine", "240 mg", "breathing that is slowed"),
    ("Diclofenac", "150 mg", "ischaemic heart disease"),
    ("Aspirin", "4 g", "haemophilia"),
    ("Tramadol", "400 mg", "uncontrolled epilepsy"),
];

fn dose(name: &str, most: &str) -> String {
    format!("The maximum dose of {name} for adults is {most} in any 24 hours.")
}

fn caution(name: &str, with: &str) -> String {
    format!("{name} is not given with {with}.")
}

fn lines(all: impl Iterator<Item = Value>) -> String {
    all.map(|line| line.to_string() + "\n").collect()
}

/// What two versions of a program say of the medicines: the newer one gets two doses and a caution wrong.
fn two_versions() -> String {
    let about = |(n, (name, most, with)): (usize, &(&str, &str, &str))| {
        let document = format!("{} {}", dose(name, most), caution(name, with));
        let item = move |what: &str, risk: &str, baseline: String, candidate: String| {
            let id = format!("{}-{what}", name.to_lowercase());
            json!({"id": id, "risk_level": risk, "documents": [document], "baseline": baseline, "candidate": candidate})
        };
        let other = if n < 2 { "8 g" } else { most };
        let given =
            caution(name, with).replace("is not given", if n == 4 { "is given" } else { "is not given" });
        [
            item("dose", "HIGH", dose(name, most), dose(name, other)),
            item("caution", "MEDIUM", caution(name, with), given),
        ]
    };
    lines(MEDICINES.iter().enumerate().flat_map(about))
}

/// Their claims with what two ways of retrieval found for them: the newer one often finds the leaflet of another.
fn pairs() -> String {
    let about = |(n, (name, most, with)): (usize, &(&str, &str, &str))| {
        let (other, _, _) = MEDICINES[(n + 3) % MEDICINES.len()];
        let leaflet =
            if n % 2 == 0 { format!("What {other} is, and what it is used for.") } else { dose(name, most) };
        let pair = move |source_id: &str, source: String, retrieval: &str, model: &str| {
            json!({"claim_id": format!("{}#1", name.to_lowercase()), "claim": dose(name, most), "source_id": source_id,
                "source": source, "retrieval": retrieval, "model_version": model})
        };
        [
            pair(
                "Formulary, chapter 4",
                format!("{} {}", caution(name, with), dose(name, most)),
                "bm25-v2",
                "carebot-7.3",
            ),
            pair("Patient leaflets", leaflet, "dense-1", "carebot-7.4"),
        ]
    };
    lines(MEDICINES.iter().enumerate().flat_map(about))
}

/// The screens beside the queue, with a comparison, scores of pairs and some decisions in the store.
fn beside_the_queue(bench: &Bench) {
    std::fs::write(bench.path("medicines.jsonl"), two_versions()).expect("the file is written");
    let compared = bench.try_run(&["compare", "medicines.jsonl", "--quiet"]);
    assert_eq!(compared.status.code(), Some(1), "{compared:?}");
    std::fs::write(bench.path("pairs.jsonl"), pairs()).expect("the file is written");
    bench.run(&["score", "pairs.jsonl", "--queue"]);
    for who in ["ana", "ben"] {
        bench.run(&["decide", "rx-1042#3", "--confirm", "--by", who]);
    }
    let mut studio = Studio::open(bench, WIDE, "dark", &[]);
    studio.press("gv").screen.until("cmp-1");
    studio
        .take("compare", "The Compare screen: rates of both versions with their intervals, the gate, and what is newly wrong")
        .press("gp")
        .screen
        .until("Patient leaflets");
    studio
        .take("support", "The Support screen: sources, ways of retrieval and models, the weakest first, and the lowest scores")
        .press("gb")
        .screen
        .until("What judges said");
    studio.take("dashboard", "The Dashboard: verdicts over time, what waits, who decided, how audits get on");
    studio.press("\x1b");
    studio.screen.send("q");
    studio.screen.end();
}

#[test]
#[ignore = "makes the pictures of the documents"]
fn the_pictures_are_taken() {
    let bench = Bench::with_the_demo(1);
    let mut studio = Studio::open(&bench, WIDE, "dark", &[]);
    studio
        .press("?\x1b")
        .go_to("rx-1042#3")
        .take("review", "The review screen: the queue on the left, on the right a claim in its answer and the evidence against it")
        .press("=")
        .take("differences", "Claim and evidence side by side, with the numbers that differ")
        .press("=")
        .press("e")
        .take("spans", "Evidence is chosen by keys: words, sentences, for and against")
        .press("\x1b")
        .press("3")
        .press("r")
        .take("reason", "The question for a reason: one letter")
        .press("n")
        .press("o")
        .take("override", "The menu for verdict, severity and type")
        .press("\x1b")
        .press(":note")
        .take("palette", "The palette of commands: what was typed, its key, and what is not possible now")
        .press("\x1b")
        .press("H")
        .press("h")
        .take("story", "All that happened to a claim")
        .press("\x1b")
        .press("\\severity>=high verdict:contradicted -id:rx-*\r")
        .take("filter", "Only what fits a filter, with its count")
        .press("\x1b");
    studio.screen.send("q");
    studio.screen.end();
    let mut studio = Studio::open(&bench, (80, 24), "dark", &[]);
    studio.press("gg").press("j").take("small", "The same screen in 80 columns");
    studio.screen.send("q");
    studio.screen.end();
    let mut studio = Studio::open(&bench, (100, 26), "mono", &[]);
    studio.press("j").take("mono", "The same screen without any colour");
    studio.screen.send("q");
    studio.screen.end();
    beside_the_queue(&bench);
}

#[test]
fn pictures_are_small_and_each_is_shown_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages: String = ["README.md", "docs/review.md", "docs/ci.md"]
        .iter()
        .map(|page| std::fs::read_to_string(root.join(page)).unwrap())
        .collect();
    let mut count = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let size = std::fs::metadata(&path).unwrap().len();
        assert!(size < MOST_BYTES, "{name} has {size} bytes");
        assert!(pages.contains(&format!("pictures/{name}")), "nobody shows {name}");
        count += 1;
    }
    assert!(count >= 5, "{count} pictures");
}
