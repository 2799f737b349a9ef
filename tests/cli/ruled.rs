//! The report of audits where people ruled: their words beside the judge's, disputes told as such, nothing cut.

use crate::world::{World, fits, line};

/// The text of a report with its lines joined, so that words are found wherever they were broken.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

const FORMS: [&str; 3] = ["text", "markdown", "html"];

fn told(world: &World, form: &str) -> String {
    let text = joined(world.run(&["report", "--format", form]).ended(0).out());
    text.replace("</dt><dd>", ": ").replace("&#39;", "'").replace("&quot;", "\"").replace('\\', "")
}

#[test]
fn a_persons_ruling_stands_with_their_own_evidence_and_the_judges_beside_it_by_name() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g.")]);
    let rule = [
        "decide",
        "rx-1#2",
        "--override",
        "CONTRADICTED",
        "--severity",
        "HIGH",
        "--reason",
        "number-wrong",
        "--quote",
        "p1:contradicts:At most 4 g",
        "--by",
        "nora",
    ];
    world.run(&rule).ended(0);
    world.run(&["decide", "rx-1#2", "--note", "BNF 84 says 4 g", "--by", "nora"]).ended(0);
    world.run(&["decide", "rx-1#2", "--escalate", "is it 4?", "--to", "dr-lee", "--by", "nora"]).ended(0);
    for form in FORMS {
        let text = told(&world, form);
        let (_, of_claim) = text.split_once("Wrong claims, the worst first").unwrap();
        for words in [
            ": CONTRADICTED HIGH, DISTORTION, because: a number differs",
            "evidence of nora: contradicts, p1:2-13: At most 4 g",
            "BNF 84 says 4 g",
            "escalated by nora for dr-lee, 20",
            "judge: FULLY_SUPPORTED, confidence 0.90",
            "evidence of the judge: supports, p1:10-25, EXACT: 4 g in 24 hours",
            "why, to the judge: claim says 8 g, evidence says 4 g",
            "no person has decided",
        ] {
            assert!(of_claim.contains(words), "{form}: {words}\n{of_claim}");
        }
        let [decided, note] =
            ["decided by nora, 20", "note of nora, 20"].map(|it| of_claim.find(it).unwrap());
        let judge = of_claim[decided..].find("judge: FULLY_SUPPORTED").unwrap() + decided;
        assert!(decided < note && note < judge, "{form}: people's word comes first");
        assert!(!text.contains("by a person"), "{text}");
    }
    let xml = world.run(&["report", "--format", "junit"]).ended(0);
    assert!(xml.out().contains("evidence of nora: contradicts, p1:2-13: At most 4 g"), "{}", xml.out());
    let json = world.run(&["report", "--json"]).ended(0).json();
    fits("audit_report", &json["data"]);
    let ruled = &json["data"]["ruled"][0];
    assert_eq!((&ruled["id"], &ruled["people"]), (&"rx-1#2".into(), &"decided".into()));
    assert_eq!(ruled["rulings"][0]["evidence"][0]["quote"], "At most 4 g");
    assert_eq!(ruled["judge"]["verdict"], "FULLY_SUPPORTED");
    assert_eq!(ruled["judge"]["evidence"][0]["quote"], "4 g in 24 hours");
    assert_eq!(ruled["notes"][0]["text"], "BNF 84 says 4 g");
}

#[test]
fn what_people_disagree_on_is_told_as_disputed_with_who_ruled_what_and_decides_nothing() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g.")]);
    world
        .run(&["decide", "rx-1#2", "--override", "CONTRADICTED", "--severity", "HIGH", "--by", "nora"])
        .ended(0);
    world
        .run(&["decide", "rx-1#2", "--override", "PARTIALLY_SUPPORTED", "--disagree", "--by", "ben"])
        .ended(0);
    let json = world.run(&["report", "--json"]).ended(0).json();
    fits("report", &json);
    fits("audit_report", &json["data"]);
    let data = &json["data"];
    assert_eq!((&data["in_dispute"], &data["decided_by_people"]), (&1.into(), &0.into()));
    assert_eq!(
        (&data["ruled"][0]["people"], data["ruled"][0]["rulings"].as_array().unwrap().len()),
        (&"disputed".into(), 2)
    );
    assert_eq!(data["ruled"][0]["rulings"][0]["counts"], false);
    for form in FORMS {
        let text = told(&world, form);
        let (before, disputed) = text.split_once("In dispute, the worst first").unwrap();
        for words in ["1 claim is in dispute: people disagree", "People decided 0 of the claims"] {
            assert!(before.contains(words), "{form}: {words}\n{before}");
        }
        let (disputed, wrong) = disputed.split_once("Wrong claims").unwrap();
        for words in [
            "HIGH DISPUTED",
            "ruled by nora, 20",
            ": CONTRADICTED HIGH",
            "ruled by ben, 20",
            ": PARTIALLY_SUPPORTED",
        ] {
            assert!(disputed.contains(words), "{form}: {words}\n{disputed}");
        }
        assert!(!text.contains("decided by nora") && !wrong.contains("rx-1#2"), "{form}: {text}");
    }
    let xml = world.run(&["report", "--format", "junit"]).ended(0);
    assert!(xml.out().contains("<failure message=\"HIGH DISPUTED: It helps.\""), "{}", xml.out());
    // Somebody else settles it: then it counts as they ruled, and all three words stand there.
    world.run(&["decide", "rx-1#2", "--override", "UNSUPPORTED", "--disagree", "--by", "lead"]).ended(0);
    let text = told(&world, "text");
    let (_, wrong) = text.split_once("Wrong claims").unwrap();
    for words in ["settled by lead, 20", "ruled by nora, 20", "ruled by ben, 20"] {
        assert!(wrong.contains(words), "{words}\n{wrong}");
    }
    assert!(!text.contains("DISPUTED"), "{text}");
    assert_eq!(world.run(&["report", "--json"]).ended(0).json()["data"]["ruled"][0]["people"], "settled");
}

#[test]
fn whom_people_overruled_and_what_they_ruled_before_another_audit_is_told() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g.")]);
    world
        .run(&[
            "decide",
            "rx-1#1",
            "--override",
            "FULLY_SUPPORTED",
            "--reason",
            "paraphrase-fine",
            "--by",
            "ben",
        ])
        .ended(0);
    world
        .run(&["decide", "rx-1#2", "--override", "CONTRADICTED", "--severity", "CRITICAL", "--by", "ben"])
        .ended(0);
    world.run(&["decide", "rx-1#3", "--override", "NOT_A_CLAIM", "--by", "ben"]).ended(0);
    for form in FORMS {
        let text = told(&world, form);
        let (_, cleared) = text.split_once("Wrong to the judge, and not to people").unwrap();
        for words in [
            "FULLY_SUPPORTED, because: same meaning, other words",
            "judge: CONTRADICTED CRITICAL, confidence 0.90",
        ] {
            assert!(cleared.contains(words), "{form}: {words}\n{cleared}");
        }
    }
    let json = world.run(&["report", "--json"]).ended(0).json();
    assert_eq!(json["data"]["without_verdict"]["NOT_A_CLAIM"], 1);
    assert_eq!(json["data"]["by_verdict"]["CONTRADICTED"], 1);
    world.audited_again();
    let text = told(&world, "text");
    assert!(
        text.contains("On 1 claim people ruled worse in an earlier audit than the judge does now"),
        "{text}"
    );
    let (_, before) = text.split_once("Ruled worse in an earlier audit").unwrap();
    for words in [
        "CRITICAL FULLY_SUPPORTED rx-1#5",
        "ruled on rx-1#2 of an earlier audit by ben, 20",
        ": CONTRADICTED CRITICAL",
    ] {
        assert!(before.contains(words), "{words}\n{before}");
    }
}

/// Whatever there is no room for, it is neither a dangerous claim nor half of what a person wrote.
#[test]
fn every_dangerous_claim_is_listed_in_every_form_and_no_word_of_people_is_cut() {
    let world = World::new();
    let records: Vec<String> =
        (1..=60).map(|n| line(&format!("rx-{n}"), &format!("Take 8 g, case {n}."))).collect();
    world.audited(&records);
    let note = format!("give it every 24 hours, not 8: {}END", "see the ward's own table. ".repeat(150));
    world.run(&["decide", "rx-1#1", "--note", &note, "--by", "nora"]).ended(0);
    world.run(&["decide", "rx-1#1", "--confirm", "--by", "nora"]).ended(0);
    world.run(&["decide", "rx-1#3", "--override", "CANNOT_JUDGE", "--by", "nora"]).ended(0);
    world.run(&["decide", "rx-1", "--dispose", "BLOCK", "--note", &note, "--by", "nora"]).ended(0);
    for form in FORMS {
        let text = told(&world, form);
        assert_eq!(text.matches("CRITICAL CONTRADICTED").count(), 60, "{form}");
        assert!(!text.contains("more, ") && !text.contains("left away"), "{form}");
        assert!(text.contains("rx-60#1"), "{form}");
    }
    let text = told(&world, "html");
    assert_eq!(text.matches(note.trim()).count(), 2, "once as a note and once as the reason of the block");
    let text = world.run(&["report"]).ended(0);
    assert_eq!(joined(text.out()).matches("table. END").count(), 2, "{}", text.out());
    assert!(text.out().lines().all(|line| line.chars().count() <= 80 && !line.contains('…')));
}

#[test]
fn what_a_person_wrote_on_several_lines_stays_so_in_every_form() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g.")]);
    world.run(&["decide", "rx-1#1", "--confirm", "--by", "nora"]).ended(0);
    let note = "The table says 4 g.\n- for adults";
    world.run(&["decide", "rx-1#1", "--note", note, "--by", "nora"]).ended(0);
    for (form, lines) in [
        ("text", "The table says 4 g.\n      - for adults\n"),
        ("markdown", "The table says 4 g.\\\n    \\- for adults\n"),
        ("html", "The table says 4 g.<br>- for adults<"),
        // A failure, which has its lines in XML.
        ("junit", "The table says 4 g.\n  - for adults\n"),
    ] {
        let run = world.run(&["report", "--format", form]).ended(0);
        assert!(run.out().contains(lines) && !run.out().contains('␊'), "{form}: {}", run.out());
    }
    // And where the claim passes.
    world.run(&["decide", "rx-1#2", "--confirm", "--by", "nora"]).ended(0);
    world.run(&["decide", "rx-1#2", "--note", "Seen.\nIt helps.", "--by", "nora"]).ended(0);
    let run = world.run(&["report", "--format", "junit"]).ended(0);
    let passed = run.out().split("<system-out>FULLY_SUPPORTED").nth(1).unwrap();
    assert!(passed.contains(": Seen.\n  It helps.\n"), "{}", run.out());
}

#[test]
fn what_the_judge_passed_what_is_partly_supported_and_whose_word_was_overruled_is_told_in_every_form() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g."), line("rx-2", "Take 8 g.")]);
    let unrouted =
        world.run(&["queue", "--filter", "is:unrouted", "--json"]).ended(0).json().as_array().unwrap().len();
    let json = world.run(&["report", "--json"]).ended(0).json();
    assert!(unrouted > 0 && json["data"]["unasked"] == unrouted, "{json}");
    assert!(told(&world, "text").contains("`juror queue --filter is:unrouted` lists"), "{json}");
    for (claim, verdict) in [
        ("rx-1#1", "PARTIALLY_SUPPORTED"),
        ("rx-1#2", "CONTRADICTED"),
        ("rx-1#3", "PARTIALLY_SUPPORTED"),
        ("rx-2#1", "FULLY_SUPPORTED"),
        ("rx-2#2", "PARTIALLY_SUPPORTED"),
        ("rx-2#3", "FULLY_SUPPORTED"),
    ] {
        world.run(&["decide", claim, "--override", verdict, "--by", "nora"]).ended(0);
    }
    let dispose = |value: &str, who: &str, why: &str| {
        let say = ["decide", "rx-1", "--dispose", value, "--by", who, "--note", why];
        world.run(&[&say[..], &["--anyway"]].concat()).ended(0);
    };
    world.run(&["decide", "rx-1", "--dispose", "BLOCK", "--by", "omar", "--note", "rates swapped"]).ended(0);
    dispose("RETURN", "nora", "mend the rates");
    let json = world.run(&["report", "--json"]).ended(0).json();
    fits("audit_report", &json["data"]);
    let passed = json["data"]["passed_by_judge"].as_array().unwrap();
    let ids: Vec<&str> = passed.iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["rx-1#2", "rx-2#2"]);
    let overruled = &json["data"]["overruled_dispositions"][0];
    assert_eq!(
        (&overruled["was"]["annotator"], &overruled["was"]["value"]),
        (&"omar".into(), &"BLOCK".into())
    );
    assert_eq!(
        (&overruled["is"]["annotator"], &overruled["is"]["value"]),
        (&"nora".into(), &"RETURN".into())
    );
    for form in FORMS {
        let text = told(&world, form);
        let after =
            |title: &str| text.split_once(title).unwrap_or_else(|| panic!("{form}: {title}\n{text}")).1;
        let passed = after("Passed by the judge, wrong to people");
        assert!(
            passed.contains("Of 2 claims that the judge called fully or partly supported"),
            "{form}: {passed}"
        );
        let partly = after("Only partly supported, as people ruled");
        let partly = partly.split("Wrong claims, the worst first").next().unwrap();
        for id in ["rx-1#3", "rx-2#2"] {
            assert!(partly.contains(id), "{form}: {id}\n{partly}");
        }
        // A narrow table breaks its cells over lines: each word is looked for by itself.
        let held = after("Returned and blocked answers");
        let held = held.split("Dispositions that another person overruled").next().unwrap();
        for words in ["rx-1#2", "rx-1#3"] {
            assert!(held.contains(words), "{form}: {words}\n{held}");
        }
        let overruled = after("Dispositions that another person overruled");
        for words in ["omar", "BLOCK", "swapped", "nora", "RETURN", "mend"] {
            assert!(overruled.contains(words), "{form}: {words}\n{overruled}");
        }
    }
    // Taken back, the first word stands again, and nothing is overruled.
    world.run(&["decide", "--undo", "--by", "nora"]).ended(0);
    let json = world.run(&["report", "--json"]).ended(0).json();
    assert_eq!(json["data"]["overruled_dispositions"], serde_json::json!([]));
    assert_eq!(json["data"]["dispositions"][0]["value"], "BLOCK");
}
