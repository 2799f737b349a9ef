//! Lines in: every way in, and what is said of lines that stay out.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;

use crate::world::{World, fits, line};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn lines(range: std::ops::Range<usize>) -> String {
    range.map(|n| line(&format!("r-{n}"), "Take 8 g.") + "\n").collect()
}

#[test]
fn good_lines_go_in_and_bad_ones_are_reported_with_file_line_and_reason() {
    let world = World::new();
    world
        .file("a.jsonl", format!("{}\n\nnot json\n{}\n{{\"audit_id\":3}}\n", line("a", "x"), line("b", "y")));
    let run = world.run(&["import", "a.jsonl", "--json"]).ended(2);
    let json = run.json();
    fits("import", &json);
    assert_eq!((&json["imported"], &json["rejected"]), (&2.into(), &2.into()));
    assert_eq!(json["errors"][0]["file"], "a.jsonl");
    assert_eq!((&json["errors"][0]["line"], &json["errors"][1]["line"]), (&3.into(), &5.into()));
    assert!(json["errors"][0]["reason"].as_str().unwrap().contains("begins `not json`"));
    let run = world.run(&["import", "a.jsonl"]).ended(2);
    assert!(run.stderr.contains("juror: a.jsonl:3: this is not JSON Lines: "), "{}", run.stderr);
    assert_eq!(run.out(), "0 imported, 2 unchanged, 2 rejected\n");
}

#[test]
fn errors_are_told_in_the_order_of_their_lines() {
    let world = World::new();
    let lines = [&line("a", "x"), "bad", &line("a", "y"), "{}", &line("a", "z"), "worse"].join("\n");
    world.file("a.jsonl", lines);
    let json = world.run(&["import", "a.jsonl", "--json"]).ended(2).json();
    let told: Vec<_> = json["errors"].as_array().unwrap().iter().map(|error| error["line"].clone()).collect();
    assert_eq!(told, [2, 3, 4, 5, 6]);
}

#[test]
fn r18_the_same_record_again_is_a_no_op_and_other_content_names_both_sources() {
    let world = World::new();
    world.file("a.jsonl", line("rx-1", "one"));
    world.file("b.jsonl", format!("{}\n{}", line("rx-0", "zero"), line("rx-1", "two")));
    world.run(&["import", "a.jsonl"]).ended(0);
    assert_eq!(world.run(&["import", "a.jsonl", "--json"]).ended(0).json()["unchanged"], 1);
    let run = world.run(&["import", "b.jsonl"]).ended(2);
    assert!(
        run.stderr
            .contains("b.jsonl:2: the audit_id `rx-1` is taken by other content, which came from a.jsonl:1")
    );
    assert_eq!(
        world.exported_records(),
        format!("{}\n{}\n", line("rx-1", "one"), line("rx-0", "zero")).as_bytes()
    );
}

#[test]
fn files_folders_gzip_and_standard_input_are_read() {
    let world = World::new();
    world.file("in/b.ndjson", lines(0..2));
    world.file("in/a.jsonl", lines(2..4));
    world.file("in/c.JSON.gz", [gzip(lines(4..5).as_bytes()), gzip(lines(5..7).as_bytes())].concat());
    world.file("in/readme.txt", "not a record");
    world.file("in/deeper/d.jsonl", lines(7..8));
    world.file("packed", gzip(lines(8..9).as_bytes()));
    let json = world.run(&["import", "in", "packed", "--json"]).ended(0).json();
    assert_eq!(json["imported"], 8, "two members of gzip, by its first bytes, and no subfolder");
    let json =
        world.run_with_input(&["import", "-", "--json"], lines(9..12).trim_end().as_bytes()).ended(0).json();
    assert_eq!(json["imported"], 3, "the last line needs no line feed");
    let json =
        world.run_with_input(&["import", "-", "--json"], &gzip(lines(12..13).as_bytes())).ended(0).json();
    assert_eq!(json["imported"], 1);
    let exported = String::from_utf8(world.exported_records()).unwrap();
    assert!(exported.starts_with(&lines(2..4)), "a folder is read in order of name");
}

#[test]
fn cut_gzip_says_so_and_what_stood_before_the_cut_goes_in() {
    let world = World::new();
    let packed = gzip(lines(0..20_000).as_bytes());
    world.file("cut.jsonl.gz", &packed[..packed.len() / 2]);
    let json = world.run(&["import", "cut.jsonl.gz", "--json"]).ended(2).json();
    fits("import", &json);
    let imported = json["imported"].as_u64().unwrap();
    assert!(imported > 1000 && imported < 20_000, "{imported}");
    assert_eq!(json["rejected"], 0, "half a line is no line");
    assert_eq!(json["errors"][0]["line"], imported);
    assert!(json["errors"][0]["reason"].as_str().unwrap().contains("the gzip data is cut off"), "{json}");
}

#[test]
fn what_cannot_be_read_line_by_line_is_one_error_and_not_thousands() {
    let world = World::new();
    world.file("list.json", format!("[\n{},\n{}\n]\n", line("a", "x"), line("b", "x")));
    world.file("pretty.json", "{\n \"audit_id\": 1\n}\n");
    world.file("later.json", "\n\n{\"audit_id\": 1,\n \"generated_answer\": 2\n}\n");
    world.file("table.csv", "\u{feff}id,\"Answer\"\n1,Take 8 g\n2,Take 4 g\n");
    world.file("utf16.jsonl", [0xff, 0xfe, b'{', 0, b'\n', 0]);
    for (file, hint) in [
        ("list.json", "jq -c '.[]'"),
        ("pretty.json", "jq -c ."),
        ("later.json", "jq -c ."),
        ("table.csv", "CSV"),
        ("utf16.jsonl", "iconv"),
    ] {
        let json = world.run(&["import", file, "--json"]).ended(2).json();
        fits("import", &json);
        assert_eq!(json["errors"].as_array().unwrap().len(), 1, "{json}");
        assert!(json["errors"][0]["reason"].as_str().unwrap().contains(hint), "{json}");
    }
}

#[test]
fn a_byte_order_mark_at_the_start_belongs_to_the_file_and_a_trailing_cr_to_the_line() {
    let world = World::new();
    world.file("dos.jsonl", format!("\u{feff}{}\r\n{}\r\n", line("a", "x"), line("b", "x")));
    world.run(&["import", "dos.jsonl"]).ended(0);
    let expected = format!("{}\r\n{}\r\n", line("a", "x"), line("b", "x"));
    assert_eq!(world.exported_records(), expected.as_bytes());
}

#[test]
fn strict_imports_nothing_when_a_line_is_bad_and_all_when_none_is() {
    let world = World::new();
    world.file("bad.jsonl", format!("{}{{}}\n", lines(0..3)));
    let json = world.run(&["import", "--strict", "bad.jsonl", "--json"]).ended(2).json();
    fits("import", &json);
    assert_eq!((&json["imported"], &json["rejected"]), (&0.into(), &1.into()));
    assert!(!world.db().exists(), "not even a store was made");
    world.file("twice.jsonl", format!("{}{}\n", lines(0..3), line("r-1", "other")));
    let run = world.run(&["import", "--strict", "twice.jsonl"]).ended(2);
    assert!(run.stderr.contains("twice.jsonl:4: the audit_id `r-1` is taken"), "{}", run.stderr);
    let piped = world.run_with_input(&["import", "--strict", "-", "--json"], lines(0..3).as_bytes()).ended(0);
    assert_eq!(piped.json()["imported"], 3, "a pipe is read twice by way of a copy");
    let other = world.run_with_input(
        &["import", "--strict", "-", "--json"],
        (lines(3..5) + &line("r-1", "other")).as_bytes(),
    );
    assert_eq!(other.ended(2).json()["imported"], 0, "what is in the store counts too");
}

#[test]
fn strict_counts_what_the_store_has_already() {
    let world = World::new();
    world.file("first.jsonl", lines(0..3));
    world.run(&["import", "--strict", "first.jsonl"]).ended(0);
    let before = world.exported_records();
    world.file("taken.jsonl", format!("{}{}\n{}", lines(3..5), line("r-1", "other"), lines(5..6)));
    let json = world.run(&["import", "--strict", "taken.jsonl", "--json"]).ended(2).json();
    fits("import", &json);
    assert_eq!((&json["imported"], &json["rejected"]), (&0.into(), &1.into()));
    assert_eq!(json["errors"][0]["line"], 3);
    let reason = json["errors"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("first.jsonl:2"), "it names both: {reason}");
    assert_eq!(world.exported_records(), before, "nothing of the file went in");
    world.file("again.jsonl", format!("{}{}", lines(0..3), lines(3..5)));
    let json = world.run(&["import", "--strict", "again.jsonl", "--json"]).ended(0).json();
    assert_eq!((&json["imported"], &json["unchanged"], &json["rejected"]), (&2.into(), &3.into(), &0.into()));
    assert!(world.exported_records().starts_with(&before));
    world.run(&["verify"]).ended(0);
}

#[test]
fn odd_evidence_goes_in_with_a_warning() {
    let world = World::new();
    world.file(
        "odd.jsonl",
        r#"{"audit_id":"a","generated_answer":"x","evidence_passages":[{"passage_id":"p","content":" "}]}"#,
    );
    let json = world.run(&["import", "odd.jsonl", "--json"]).ended(0).json();
    fits("import", &json);
    assert_eq!(json["warnings"][0]["reason"], "passage `p` is empty");
    let run = world.run(&["import", "odd.jsonl", "--quiet"]).ended(0);
    assert_eq!(run.stderr, "");
}

#[test]
fn making_a_store_is_said_once() {
    let world = World::new();
    world.file("a.jsonl", lines(0..1));
    let run = world.run(&["import", "a.jsonl", "--db", "typo/x.db"]).ended(0);
    assert_eq!(run.stderr, "juror: created the store typo/x.db\n");
    assert_eq!(world.run(&["import", "a.jsonl", "--db", "typo/x.db"]).ended(0).stderr, "");
}

#[test]
fn a_missing_file_and_an_empty_folder_are_named_and_nothing_is_made() {
    let world = World::new();
    std::fs::create_dir(world.path("empty")).unwrap();
    world.file("good.jsonl", lines(0..1));
    let run = world.run(&["import", "good.jsonl", "nowhere.jsonl"]).ended(2);
    assert_eq!(run.stderr, "juror: nowhere.jsonl: there is no such file\n");
    let run = world.run(&["import", "empty"]).ended(2);
    assert!(run.stderr.contains("*.jsonl"), "{}", run.stderr);
    assert!(!world.db().exists());
}

#[test]
fn every_shared_sample_goes_in_and_comes_out_byte_for_byte() {
    let shared = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    let files: Vec<_> = ["demo", "robustness"]
        .iter()
        .filter_map(|folder| std::fs::read_dir(shared.join(folder)).ok())
        .flat_map(|folder| folder.map(|entry| entry.unwrap().path()))
        .collect();
    if files.is_empty() {
        eprintln!("skipped: no samples in {}", shared.display());
        return;
    }
    for file in files {
        let world = World::new();
        let mut expected = Vec::new();
        let packed = std::fs::File::open(&file).unwrap();
        std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(packed), &mut expected).unwrap();
        let json = world.run(&["import", "--json", file.to_str().unwrap()]).ended(0).json();
        fits("import", &json);
        assert!(world.exported_records() == expected, "{} came out changed", file.display());
    }
}

#[test]
fn r43_what_export_writes_import_reads_as_the_same() {
    let (first, second) = (World::new(), World::new());
    first.file("in.jsonl", lines(0..50) + &line("uni-💊", "né\u{301} \u{202e}x"));
    first.run(&["import", "in.jsonl"]).ended(0);
    let exported = first.exported_records();
    second.run_with_input(&["import", "-"], &exported).ended(0);
    assert_eq!(second.exported_records(), exported);
    assert_eq!(first.run_with_input(&["import", "-", "--json"], &exported).ended(0).json()["unchanged"], 51);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]
    #[test]
    fn accepted_lines_come_out_byte_for_byte(
        answers in proptest::collection::vec("[^\0]{0,30}", 1..20),
        ends in proptest::collection::vec(prop_oneof!["\n", "\r\n", " \n", "\n\n"], 20),
    ) {
        let world = World::new();
        let mut input = String::new();
        let mut expected = String::new();
        for (n, (answer, end)) in answers.iter().zip(&ends).enumerate() {
            let line = line(&format!("r-{n}"), answer);
            input.push_str(&line);
            input.push_str(end);
            expected.push_str(&line);
            expected.push_str(end.strip_suffix("\n\n").map_or(end.as_str(), |_| "\n"));
        }
        world.run_with_input(&["import", "-"], input.as_bytes()).ended(0);
        prop_assert_eq!(String::from_utf8(world.exported_records()).unwrap(), expected);
    }
}
