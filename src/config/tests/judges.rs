//! `[judge.NAME]`: what it may say, and that no key comes out of it.

use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::judge::settings::{Prices, Protocol, Reasoning};

const PLANTED: &str = "sk-planted-0123456789";

/// The judge of these lines, with the keys of that environment.
fn opened(lines: &str, environment: &[(&str, &str)]) -> Result<ModelSettings, ConfigError> {
    let file = format!("judge.default = 'm'\n[judge.m]\n{lines}");
    let variable = |name: &str| {
        environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    };
    let config = resolve(Some(&file), &[], &Flags::default())?;
    config.open_model(&variable).map(|settings| settings.expect("a model"))
}

fn refused(lines: &str) -> String {
    let message = opened(lines, &[]).unwrap_err().to_string();
    assert!(!message.contains(PLANTED) && !message.contains("hunter2"), "{message}");
    message
}

const OPENAI: &str = "provider = 'openai'\nmodel = 'x'\n";
const OLLAMA: &str = "provider = 'openai'\nmodel = 'llama3.2'\nbase_url = 'http://localhost:11434/v1/'\n";

#[test]
fn two_lines_are_a_judge_at_its_provider() {
    for (provider, variable, header, prefix, extra) in [
        ("openai", "OPENAI_API_KEY", "authorization", "Bearer ", None),
        ("anthropic", "ANTHROPIC_API_KEY", "x-api-key", "", Some(("anthropic-version", "2023-06-01"))),
        ("gemini", "GEMINI_API_KEY", "x-goog-api-key", "", None),
    ] {
        let lines = format!("provider = '{provider}'\nmodel = 'x'\n");
        let settings = opened(&lines, &[(variable, PLANTED)]).unwrap();
        assert_eq!(settings.endpoint.protocol.label(), provider);
        assert_eq!(
            (settings.endpoint.key_header.as_str(), settings.endpoint.key_prefix.as_str()),
            (header, prefix)
        );
        let headers: Vec<(&str, &str)> =
            settings.endpoint.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(headers.first().copied(), extra);
        assert_eq!(settings.keys[0].secret.reveal(), PLANTED);
        assert_eq!((settings.temperature, settings.prices), (0.0, None));
        let message = refused(&lines);
        assert!(message.contains(variable) && message.contains("is not set"), "{message}");
    }
}

#[test]
fn a_server_of_ones_own_is_sent_no_key_that_nobody_named() {
    let settings = opened(OLLAMA, &[("OPENAI_API_KEY", PLANTED)]).unwrap();
    assert!(settings.keys.is_empty());
    assert_eq!(settings.endpoint.base_url, "http://localhost:11434/v1");
    assert!(settings.context < 10_000, "a local server seldom has a large context");
}

#[test]
fn everything_can_be_set() {
    let lines = "provider = 'anthropic'\nmodel = 'c'\nbase_url = 'https://proxy.example/v1?api-version=2'\n\
                 keys = [{ account = 'a', key_env = 'A' }, { account = 'b', key_env = 'B' }]\n\
                 auth_header = 'Authorization'\nauth_prefix = 'Bearer '\nversion = '2026-10-21'\n\
                 headers = { X-Team = 'review', CF-Access-Client-Secret = { env = 'C' } }\nconcurrency = 64\ntimeout_s = 30\nrecord_timeout_s = 90\n\
                 attempts = 4\nmax_output = 1000\ncontext = 9000\ntemperature = 0.5\nseed = 7\n\
                 prices = { input = 3, cached = 0.3, output = 15.0 }\nprompts = 'p'\n";
    let settings = opened(lines, &[("A", "ka"), ("B", "kb\n"), ("C", "hunter2hunter2")]).unwrap();
    let (name, secret) = &settings.endpoint.secret_headers[0];
    assert_eq!((name.as_str(), secret.reveal()), ("cf-access-client-secret", "hunter2hunter2"));
    assert!(!format!("{settings:?}").contains("hunter2"));
    let unset = opened(lines, &[("A", "ka"), ("B", "kb")]).unwrap_err().to_string();
    assert!(unset.contains("put the value of the header `cf-access-client-secret` into it"), "{unset}");
    assert_eq!(settings.endpoint.base_url, "https://proxy.example/v1?api-version=2");
    assert_eq!(settings.endpoint.key_header, "authorization");
    let accounts: Vec<&str> = settings.keys.iter().map(|key| key.account.as_str()).collect();
    assert_eq!(accounts, ["a", "b"]);
    assert_eq!(settings.keys[1].secret.reveal(), "kb");
    let header = |name: &str| {
        settings.endpoint.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    };
    assert_eq!((header("anthropic-version"), header("x-team")), (Some("2026-10-21"), Some("review")));
    assert_eq!((settings.concurrency, settings.attempts, settings.seed), (64, 4, Some(7)));
    assert_eq!((settings.timeout.as_secs(), settings.record_timeout.as_secs()), (30, 90));
    assert_eq!(settings.prices, Some(Prices { input: 3.0, cached: Some(0.3), output: 15.0 }));
    let file = format!("[judge.m]\n{lines}");
    let config = resolve(Some(&file), &[], &Flags { judge: Some("m".into()), ..Flags::default() }).unwrap();
    let judge = config.model_judge().unwrap();
    assert_eq!(judge.settings().endpoint.protocol, Protocol::Anthropic);
    assert!(judge.prompts().unwrap().is_absolute(), "beside the settings file");
    let rows = config.rows();
    let (_, value, origin) = rows.iter().find(|(name, ..)| name == "judge.m").unwrap();
    assert_eq!(
        value,
        "anthropic, c at https://proxy.example/v1?api-version=2, key from A, B, header cf-access-client-secret from C"
    );
    assert!(origin.ends_with("config.toml:1"), "{origin}");
}

#[test]
fn a_key_in_the_file_is_refused_and_never_repeated() {
    for line in [
        "key = 'sk-planted-0123456789'",
        "api_key = 'sk-planted-0123456789'",
        "Token = 'sk-planted-0123456789'",
        "'sk-planted-0123456789' = 1",
    ] {
        let message = refused(&format!("{OPENAI}{line}\n"));
        assert!(message.contains("config.toml:5: a key does not belong into this file"), "{message}");
        assert!(message.contains("`key_env`") && message.contains("`key_file`"), "{message}");
    }
    for line in [
        "key_env = 'sk-planted-0123456789'",
        "key_env = ['sk-planted-0123456789']",
        "keys = [{ account = 'a', key_env = 'sk-planted-0123456789' }]",
        "keys = [{ account = 'sk-planted-0123456789', key_env = 'A' }]",
        "keys = [{ account = 'a', key = 'sk-planted-0123456789' }]",
        "keys = ['sk-planted-0123456789']",
        "key_file = 'sk-planted-0123456789'",
        "auth_prefix = 'Bearer sk-planted-0123456789'",
        "auth_header = 'sk-planted-0123456789'",
        "headers = { x = 'sk-planted-0123456789' }",
        "headers = { authorization = 'x' }",
        "headers = { cf-access-client-secret = 'hunter2hunter2' }",
        "headers = { x-password = 'hunter2hunter2' }",
        "headers = { x-subscription-key = 'hunter2hunter2' }",
        "headers = { cookie = 'hunter2hunter2' }",
        "headers = { x = { env = 'sk-planted-0123456789' } }",
        "headers = { authorization = { env = 'A' } }",
        "reasoning = 'sk-planted-0123456789'",
        "version = 'sk-planted-0123456789'",
        "base_url = 'https://ana:sk-planted-0123456789@host/v1'",
        "base_url = 'https://host/v1?key=sk-planted-0123456789'",
        "base_url = 'https://host/good/sk-planted-0123456789/v1'",
        "base_url = 'https://host/good/%73k-planted-0123456789/v1'",
        "seed = 'sk-planted-0123456789'",
        "prices = 'sk-planted-0123456789'",
        "key_env = sk-planted-0123456789",
    ] {
        let message = refused(&format!("{OPENAI}{line}\n"));
        assert!(message.contains("config.toml:5: "), "{line}: {message}");
    }
    let message = refused("provider = 'openai'\nmodel = 'sk-planted-0123456789'\n");
    assert!(message.contains("`judge.m.model` cannot be what stands there"), "{message}");
    for file in [
        "sk-planted-0123456789 = 'x'\n",
        "[judge.sk-planted-0123456789]\nmodel = 'x'\n",
        "judge.default = 'sk-planted-0123456789'\n",
    ] {
        assert!(!error(file).contains(PLANTED), "{}", error(file));
    }
}

#[test]
fn a_wrong_setting_names_its_line_and_what_is_allowed() {
    for (line, expected) in [
        ("attempts = 2", "config.toml:5: `judge.m.attempts` cannot be 2: use a whole number from 3 to 10"),
        ("frob = 1", "config.toml:5: unknown setting `judge.m.frob`: use one of provider, model, base_url"),
        ("timeout_s = 0.5", "`judge.m.timeout_s` cannot be 0.5: use a whole number of seconds"),
        ("prices = { input = 1 }", "`judge.m.prices` cannot be a table: use US dollars for a million tokens"),
        ("prices = { input = 1, output = -2 }", "`judge.m.prices`"),
        ("base_url = 'ftp://x'", "is no http:// or https:// address"),
        ("base_url = 'localhost:11434'", "`base_url` of the judge `m` is no"),
        (
            "base_url = 'http://localhost:1/v1/chat/completions'",
            "goes too far: leave out `/chat/completions`",
        ),
        ("version = '2024'", "`version` is a header of provider \"anthropic\""),
        ("max_output = 200000", "leaves nothing of its `context` (128000)"),
        ("timeout_s = 700", "`record_timeout_s` (600) of the judge `m` is shorter than `timeout_s` (700)"),
        ("key_env = 'A'\nkey_file = 'k'", "config.toml:6: the judge `m` has `key_env` and `key_file`"),
    ] {
        let message = refused(&format!("{OPENAI}{line}\n"));
        assert!(message.contains(expected), "{line}: {message}");
    }
    assert!(
        refused("model = 'x'\n").contains("config.toml:2: the judge `m` has no `provider`: use \"openai\"")
    );
    assert!(error("[judge.local]\nmodel = 'x'\n").contains("the name `local` is taken"));
    assert!(error("[judge.'a b']\nmodel = 'x'\n").contains("a judge is named by"));
    assert!(error("[judge]\nm = 3\n").contains("`judge.m` is no table"));
}

#[test]
fn a_key_does_not_cross_the_network_in_clear_text() {
    let lines = format!("{OPENAI}base_url = 'http://models.example:8000/v1'\n");
    assert!(opened(&lines, &[]).is_ok(), "without a key nothing but texts is in the clear");
    let lines = format!("{lines}key_env = 'A'\n");
    let message = refused(&lines);
    assert!(message.contains("allow_http = true") && message.contains("clear text"), "{message}");
    assert!(opened(&format!("{lines}allow_http = true\n"), &[("A", "k")]).is_ok());
    for near in ["http://127.0.0.1:1/v1", "http://[::1]:1/v1", "http://localhost/v1"] {
        assert!(
            opened(&format!("{OPENAI}base_url = '{near}'\nkey_env = 'A'\n"), &[("A", "k")]).is_ok(),
            "{near}"
        );
    }
    let far = refused(&format!("{OPENAI}base_url = 'http://localhost.example/v1'\nkey_env = 'A'\n"));
    assert!(far.contains("clear text"), "{far}");
}

#[test]
fn a_key_file_must_be_its_owner_s_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys");
    let lines = format!("{OPENAI}key_file = '{}'\n", path.display());
    assert!(refused(&lines).contains("cannot be read"));
    let with = |text: &str, mode: u32| {
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        opened(&lines, &[])
    };
    let message = with(PLANTED, 0o640).unwrap_err().to_string();
    assert!(message.contains(&format!("chmod 600 {}", path.display())), "{message}");
    assert!(message.contains("config.toml:2: "), "{message}");
    assert_eq!(with(PLANTED, 0o600).unwrap().keys[0].secret.reveal(), PLANTED);
    let keys = with("# ours\nfirst k1\n\nsecond k2\n", 0o600).unwrap().keys;
    let pairs: Vec<(&str, &str)> =
        keys.iter().map(|key| (key.account.as_str(), key.secret.reveal())).collect();
    assert_eq!(pairs, [("first", "k1"), ("second", "k2")]);
    for text in ["", "a b sk-planted-0123456789", "sk-planted-0123456789 a", "ké"] {
        let message = with(text, 0o600).unwrap_err().to_string();
        assert!(message.contains("ACCOUNT KEY") && !message.contains(PLANTED), "{message}");
    }
}

#[test]
fn an_unknown_judge_is_answered_with_those_there_are_and_the_lines_that_define_one() {
    let flags = Flags { judge: Some("gpt\u{1b}[31m".into()), ..Flags::default() };
    let file = format!("[judge.ollama]\n{OLLAMA}");
    let message = resolve(Some(&file), &[], &flags).unwrap_err().to_string();
    assert!(
        message.starts_with("flag --judge: there is no judge `gpt␛[31m`: use `local` or `ollama`.\n"),
        "{message}"
    );
    assert!(message.contains("config.toml:\n\n[judge.my-model]\nprovider = \"openai\""), "{message}");
    let flags = Flags { judge: Some("gpt".into()), ..Flags::default() };
    let message = resolve(None, &[], &flags).unwrap_err().to_string();
    let lines = message.split_once("\n\n").unwrap().1;
    assert_eq!(lines.lines().count(), 5, "{lines}");
    let lines = lines.replace("http://localhost:11434/v1", "https://host/v1");
    assert!(resolve(Some(&lines), &[], &flags).is_ok(), "the lines define it: {lines}");
    let environment = [("JUROR_JUDGE", "gpt")];
    let message = resolve(None, &environment, &Flags::default()).unwrap_err().to_string();
    assert!(message.starts_with("environment variable JUROR_JUDGE: there is no judge `gpt`"), "{message}");
}

#[test]
fn the_file_chooses_among_its_judges_by_default() {
    for file in [
        format!("judge.default = 'ollama'\n[judge.ollama]\n{OLLAMA}"),
        format!("[judge]\ndefault = 'ollama'\n[judge.ollama]\n{OLLAMA}"),
    ] {
        let config = resolve(Some(&file), &[], &Flags::default()).unwrap();
        assert_eq!(config.judge.value, "ollama");
        assert!(matches!(config.judge.origin, Origin::File { .. }));
        let flags = Flags { judge: Some("local".into()), ..Flags::default() };
        assert_eq!(resolve(Some(&file), &[], &flags).unwrap().model_judge(), None);
    }
    let both = format!("judge = 'ollama'\n[judge.ollama]\n{OLLAMA}");
    assert!(error(&both).contains("judge.default = \"NAME\""), "{}", error(&both));
    assert_eq!(resolve(Some("judge = 'local'\n"), &[], &Flags::default()).unwrap().judge.value, "local");
}

#[test]
fn no_egress_forbids_every_judge_behind_an_address() {
    let far = "[judge.m]\nprovider = 'gemini'\nmodel = 'g'\n".to_owned();
    for judge in [far, format!("[judge.m]\n{OLLAMA}")] {
        let file = format!("egress = 'none'\n{judge}");
        let config = resolve(Some(&file), &[], &Flags::default()).unwrap();
        assert_eq!(config.judge.value, "local", "to define one is no way out");
        let flags = Flags { judge: Some("m".into()), ..Flags::default() };
        let message = resolve(Some(&file), &[], &flags).unwrap_err().to_string();
        assert!(message.starts_with("flag --judge: the judge `m` is reached over the network"), "{message}");
        assert!(message.contains("egress = \"none\"") && message.contains("judge = \"local\""), "{message}");
    }
}

#[test]
fn threshold_and_constraints_are_settings() {
    let file = "[auditor]\nthreshold = 'exact'\nconstraints = ' ignore sources before 2023 '\n";
    let config = resolve(Some(file), &[], &Flags::default()).unwrap();
    assert_eq!(config.threshold.value, Threshold::Exact);
    assert_eq!(config.constraints.value, "ignore sources before 2023");
    assert!(error("[auditor]\nthreshold = 'loose'\n").contains("use \"semantic\" or \"exact\""));
    assert!(error(&format!("[auditor]\nconstraints = '{}'\n", "x".repeat(4001))).contains("at most 4000"));
}

#[test]
fn how_much_a_model_reasons_can_be_set_where_the_provider_takes_it() {
    let settings = opened(&format!("{OLLAMA}reasoning = 'none'\n"), &[]).unwrap();
    assert_eq!(settings.endpoint.reasoning, Some(Reasoning::None));
    assert_eq!(opened(OLLAMA, &[]).unwrap().endpoint.reasoning, None);
    assert!(refused(&format!("{OLLAMA}reasoning = 'much'\n")).contains("\"minimal\""));
    let message = refused("provider = 'anthropic'\nmodel = 'x'\nreasoning = 'low'\n");
    assert!(message.contains("`reasoning` is for the providers \"openai\" and \"gemini\""), "{message}");
}
