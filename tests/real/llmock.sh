#!/usr/bin/env bash
# llmock, a server that fails on demand and judges how its clients take it: it must find no fault in juror, strictly.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

venv llmock llmock
build
port=$(free_port)
url=http://127.0.0.1:$port
start "$url/_llmock/verdict" "$venv/bin/llmock" serve --port "$port" --report

judge() {
  printf '[judge.%s]\nprovider = "%s"\nbase_url = "%s"\nmodel = "%s"\nkey_env = "MOCK_KEY"\n' "$1" "$2" "$3" "$4"
  printf 'concurrency = 1\ntimeout_s = 10\nrecord_timeout_s = 60\nattempts = 4\n\n'
}
{ judge chat openai "$url/v1" gpt-4o; judge messages anthropic "$url/anthropic/v1" claude-sonnet-4; } >"$JUROR_CONFIG"
export MOCK_KEY=sk-of-this-test

# tell PATH BODY: to llmock itself.
tell() {
  python3 - "$url/_llmock/$1" "$2" <<'END'
import sys, urllib.request

request = urllib.request.Request(sys.argv[1], sys.argv[2].encode(), {"content-type": "application/json"})
urllib.request.urlopen(request, timeout=10).read()
END
}

# Each line is what one record meets; what follows a failure is a reply that fits the schema.
meetings() {
  cat <<'END'
{"type":"fail","status":429,"retry_after":1,"times":2}
{"type":"fail","status":500,"times":1}
{"type":"fail","status":503,"retry_after":1,"times":1}
{"type":"fail","status":529,"times":1}
{"type":"reply","text":"{\"claims\":[{\"claim_id\":","times":1}
{"type":"reply","text":"Certainly! Here is the JSON: {\"verdict\":\"fine\"}","times":1}
{"type":"reply","text":"","times":1}
END
}

for judge in chat messages; do
  export JUROR_DB=$work/$judge.db
  number=0
  tell reset '{}'
  while read -r meeting; do
    number=$((number + 1))
    tell scenario "{\"behaviors\":[$meeting]}"
    printf '{"audit_id":"m%s","generated_answer":"Answer %s is short.","evidence_passages":[{"passage_id":"p","content":"Passage %s."}]}\n' \
      "$number" "$number" "$number" >"$work/record.jsonl"
    run 0 import "$work/record.jsonl"
    run "0 3 4" audit --judge "$judge"
  done < <(meetings)
  # A key that is not accepted: nothing is asked again, and the record waits.
  tell scenario '{"behaviors":[{"type":"fail","status":401,"times":1}]}'
  printf '{"audit_id":"denied","generated_answer":"Nobody may know.","evidence_passages":[{"passage_id":"p","content":"x y z."}]}\n' >"$work/record.jsonl"
  run 0 import "$work/record.jsonl"
  run "2 4" audit --judge "$judge"
  printf '%s: ' "$judge"
  "$venv/bin/llmock" report --url "$url" --strict || fail "$judge: llmock found a fault"
  run 0 exchanges --json
  python3 - "$work/out" <<'END'
import collections, json, sys

endings = collections.Counter(exchange["ending"] for exchange in json.load(open(sys.argv[1])))
print("  exchanges:", ", ".join(f"{count} {ending}" for ending, count in sorted(endings.items())))
for expected in ("LIMITED", "FAULTY", "DENIED"):
    assert endings[expected], f"no exchange ended {expected}"
END
done
