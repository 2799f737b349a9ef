#!/usr/bin/env bash
# litellm's proxy in front, with replies and errors of its own. It takes 582 MB, so this is run by hand.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

venv litellm "litellm[proxy]"
build
port=$(free_port)
reply='{"claims":[{"claim_id":"c1","sentence":1,"answer_quote":"The ward has ten beds","claim_text":"The ward has ten beds.","evidence_citation":[{"passage_id":"p","quote":"ten beds","role":"supports"}],"rationale":"The passage says so.","verdict":"FULLY_SUPPORTED","severity":null,"hallucination_type":null,"confidence":0.9}],"no_claim":[]}'
model() {
  printf '  - model_name: %s\n    litellm_params:\n      model: openai/gpt-4o\n      api_key: none\n      mock_response: %s\n' "$1" "$2"
}
{
  printf 'model_list:\n'
  model good "'$reply'"
  model limited '"litellm.RateLimitError"'
  model broken '"litellm.InternalServerError"'
  model long '"litellm.ContextWindowExceededError"'
  printf 'litellm_settings:\n  num_retries: 0\nrouter_settings:\n  num_retries: 0\ngeneral_settings:\n  master_key: sk-of-this-test\n'
} >"$work/litellm.yaml"
export LITELLM_LOCAL_MODEL_COST_MAP=True
start "http://127.0.0.1:$port/health/liveliness" "$venv/bin/litellm" --config "$work/litellm.yaml" --host 127.0.0.1 --port "$port" --telemetry False

judge() {
  printf '[judge.%s]\nprovider = "%s"\nbase_url = "http://127.0.0.1:%s/v1"\nmodel = "%s"\nkey_env = "%s"\n' "$1" "$2" "$port" "$3" "$4"
  printf '%s\nconcurrency = 2\ntimeout_s = 20\nrecord_timeout_s = 40\nattempts = 3\n\n' "${5:-}"
}
{
  for name in good limited broken long; do judge "$name" openai "$name" PROXY_KEY; done
  judge stranger openai good WRONG_KEY
  judge messages anthropic good PROXY_KEY
} >"$JUROR_CONFIG"
export PROXY_KEY=sk-of-this-test WRONG_KEY=sk-of-somebody-else

printf '{"audit_id":"beds","generated_answer":"The ward has ten beds.","evidence_passages":[{"passage_id":"p","content":"There are ten beds in the ward."}]}\n' >"$work/record.jsonl"
# expect JUDGE CODES STATE ENDING: what comes of the record, and how at least one exchange ended.
expect() {
  export JUROR_DB=$work/$1.db
  run 0 import "$work/record.jsonl"
  run "$2" audit --judge "$1"
  run 0 export --what claims -o "$work/claims.jsonl"
  run 0 exchanges --json
  python3 - "$1" "$3" "$4" "$work/claims.jsonl" "$work/out" <<'END'
import json, sys

judge, state, ending, claims, exchanges = sys.argv[1:]
states = [json.loads(line)["state"] for line in open(claims)] or ["WAITING"]
endings = [exchange["ending"] for exchange in json.load(open(exchanges))]
print(f"{judge}: {states} after {endings}")
assert states == [state], f"expected {state}"
assert ending in endings, f"expected an exchange that ended {ending}"
END
}
expect good 0 JUDGED VALID
expect messages 0 JUDGED VALID
expect limited 4 FAILED LIMITED
expect broken 4 FAILED FAULTY
expect long 4 FAILED TOO_LONG
expect stranger "2 4" WAITING DENIED
