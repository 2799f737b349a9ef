//! The pictures of `docs/`, made from the demonstration by keys:
//! `cargo test --test terminal pictures -- --ignored`.

use std::path::{Path, PathBuf};
use std::time::Duration;

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
}

#[test]
fn pictures_are_small_and_each_is_shown_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages: String = ["README.md", "docs/review.md"]
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
