"""Holds what came of an audit by a small model to what must be true whatever the model says."""

import collections
import json
import sys

judge, *files = sys.argv[1:]


def read(path):
    text = open(path, encoding="utf-8").read()
    return json.loads(text) if text.startswith("[") else [json.loads(line) for line in text.splitlines()]


records, pairs, claims, exchanges, scores = map(read, files)
passages = {(r["audit_id"], p["passage_id"]): p["content"] for r in records for p in r["evidence_passages"]}

NO_VERDICT = {"INSUFFICIENT_EVIDENCE", "NOT_CHECKED", "NO_CLAIMS", "INCOMPLETE", "REFUSED", "EMPTY", "FAILED"}
GROUNDED = {"FULLY_SUPPORTED", "PARTIALLY_SUPPORTED", "CONTRADICTED"}
states = collections.Counter()
for claim in claims:
    states[claim["state"]] += 1
    assert claim["judge"] == judge, claim
    if claim["state"] in NO_VERDICT:
        assert claim["verdict"] is None and claim["rationale"], claim
    else:
        assert claim["state"] in {"JUDGED", "UNGROUNDED"} and claim["verdict"], claim
    for evidence in claim["evidence"]:
        place = evidence["start"], evidence["end"]
        if None not in place:
            content = passages[claim["audit_id"], evidence["passage_id"]]
            assert content[place[0]:place[1]] == evidence["quote"], evidence
    if claim["state"] == "JUDGED" and claim["verdict"] in GROUNDED:
        assert any(evidence["match"] in {"EXACT", "NORMALIZED"} for evidence in claim["evidence"]), claim

endings = collections.Counter(exchange["ending"] for exchange in exchanges)
for record in records:
    name = record["audit_id"]
    assert any(claim["audit_id"] == name for claim in claims), f"nothing came of {name}"
    replies = [e["raw_reply"] for e in exchanges if e["audit_id"] == name and e["status"] == 200]
    assert replies and all(replies), f"no raw reply of {name} is kept"
assert all(exchange["judge"] == judge for exchange in exchanges)

assert [row["claim_id"] for row in scores] == [pair["claim_id"] for pair in pairs], "one row for each pair"
for row in scores:
    assert (row["score"] in {1, 2, 3, 4, 5}) != bool(row["state"] and row["reason"]), row


def told(counter):
    return ", ".join(f"{count} {name}" for name, count in sorted(counter.items()))


print(f"{judge}: {len(records)} records: {told(states)}")
print(f"{judge}: {len(exchanges)} exchanges: {told(endings)}")
print(f"{judge}: {len(pairs)} pairs: {told(collections.Counter(str(row['score'] or row['state']) for row in scores))}")
