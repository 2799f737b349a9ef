//! `juror prompt`: the prompts in force, byte for byte, and what is wrong with own ones.

use sha2::{Digest, Sha256};

use crate::world::{World, fits};

#[test]
fn the_built_in_prompts_are_listed_and_shown_byte_for_byte() {
    let world = World::new();
    let json = world.run(&["prompt", "list", "--json"]).ended(0).json();
    fits("prompt", &json);
    let rows = json.as_array().unwrap();
    assert_eq!(rows.len(), 5);
    for row in rows {
        let id = row["id"].as_str().unwrap();
        let shown = world.run(&["prompt", "show", id]).ended(0);
        let path = format!("{}/prompts/{id}.md", env!("CARGO_MANIFEST_DIR"));
        assert_eq!(shown.stdout, std::fs::read(path).unwrap());
        let hash: Vec<u8> = (0..64)
            .step_by(2)
            .map(|at| u8::from_str_radix(&row["sha256"].as_str().unwrap()[at..at + 2], 16).unwrap())
            .collect();
        assert_eq!(hash, Sha256::digest(&shown.stdout).to_vec());
        assert_eq!(row["origin"], "built in");
        fits("prompt", &world.run(&["prompt", "show", id, "--json"]).ended(0).json());
    }
    assert!(world.run(&["prompt", "list"]).ended(0).out().starts_with("faithfulness-"));
    let run = world.run(&["prompt", "show", "poem"]).ended(2);
    assert!(run.stderr.contains("use one of faithfulness, comparison"), "{}", run.stderr);
}

#[test]
fn own_prompts_are_checked_and_put_in_force_by_the_judge_s_table() {
    let world = World::new();
    let own =
        world.run(&["prompt", "show", "support"]).ended(0).out().replacen("version: ", "version: mine-", 1);
    world.file("own/support.md", &own);
    let run = world.run(&["prompt", "check", "own"]).ended(0);
    assert_eq!(run.out(), "the prompts of own can be used\n");
    fits("prompt", &world.run(&["prompt", "check", "own", "--json"]).ended(0).json());
    world.file("juror.toml", "[judge.m]\nprovider = 'openai'\nmodel = 'x'\nprompts = 'own'\n");
    let listed = world.run(&["--config", "juror.toml", "--judge", "m", "prompt", "list"]).ended(0);
    assert!(listed.out().contains("support-mine-") && listed.out().contains("built in"), "{}", listed.out());

    world.file("own/support.md", own.replace("{{claim}}", "{{clam}}"));
    let run = world.run(&["prompt", "check", "own"]).ended(2);
    assert!(run.stderr.contains("own/support.md:") && run.stderr.contains("{{clam}}"), "{}", run.stderr);
    let json = world.run(&["prompt", "check", "own", "--json"]).ended(2).json();
    fits("prompt", &json);
    assert!(json["problems"][0]["line"].is_number());
    let run = world.run(&["--config", "juror.toml", "--judge", "m", "prompt", "list"]).ended(2);
    assert!(run.stderr.contains("`juror prompt check own`"), "{}", run.stderr);
    let run = world.run(&["prompt", "check", "nowhere"]).ended(2);
    assert!(run.stderr.contains("nowhere: the folder of prompts cannot be read"), "{}", run.stderr);
}
