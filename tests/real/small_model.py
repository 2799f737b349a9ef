"""Holds what came of an audit by a small model to what must be true whatever the model says."""

import collections
import json
import os
import sys

judge, folder = sys.argv[1:]


def read(name):
    text = open(os.path.join(folder, name), encoding="utf-8").read()
    return json.loads(text) if text.startswith("[") else [json.loads(line) for line in text.splitlines()]


records, pairs, claims = read("records.jsonl"), read("pairs.jsonl"), read("claims.jsonl")
queue, exchanges, scores = read("queue.json"), read("exchanges.json"), read("scores.json")
assert len(records) == len(pairs) == 10
passages = {(r["audit_id"], p["passage_id"]): p["content"] for r in records for p in r["evidence_passages"]}

# Each claim has a verdict, or the name of a state and a reason in place of one.
NO_VERDICT = {"INSUFFICIENT_EVIDENCE", "NOT_CHECKED", "NO_CLAIMS", "INCOMPLETE", "REFUSED", "EMPTY", "FAILED"}
GROUNDED = {"FULLY_SUPPORTED", "PARTIALLY_SUPPORTED", "CONTRADICTED"}
for claim in claims:
    assert claim["judge"] == judge, claim
    if claim["state"] in NO_VERDICT:
        assert claim["verdict"] is None and claim["rationale"], claim
    else:
        assert claim["state"] in {"JUDGED", "UNGROUNDED"} and claim["verdict"], claim
    # No quote counts that does not stand in the passage, at the place that is given.
    for evidence in claim["evidence"]:
        start, end = evidence["start"], evidence["end"]
        if start is not None:
            content = passages[claim["audit_id"], evidence["passage_id"]]
            assert content[start:end] == evidence["quote"], evidence
    if claim["state"] == "JUDGED" and claim["verdict"] in GROUNDED:
        assert any(evidence["match"] in {"EXACT", "NORMALIZED"} for evidence in claim["evidence"]), claim

# What waits for a person is what was audited, in the same state.
states = {(claim["id"], claim["state"], claim["verdict"]) for claim in claims}
for claim in queue:
    assert (claim["id"], claim["state"], claim["verdict"]) in states, claim
assert {c["id"] for c in claims if c["state"] in NO_VERDICT | {"UNGROUNDED"}} <= {c["id"] for c in queue}

# Each exchange has what came back, word for word, or says why nothing did; and why it is no answer, if it is none.
NOTHING_CAME = {"TIMED_OUT", "BROKEN"}
for exchange in exchanges:
    assert exchange["judge"] == judge, exchange
    assert exchange["ending"] == "VALID" or exchange["detail"], exchange
    if exchange["raw_reply"]:
        json.loads(exchange["raw_reply"])
    else:
        assert exchange["ending"] in NOTHING_CAME, exchange

# No record and no pair without an exchange and without a state.
for record in records:
    name = record["audit_id"]
    assert any(claim["audit_id"] == name for claim in claims), f"nothing came of {name}"
    assert any(exchange["audit_id"] == name for exchange in exchanges), f"nothing was asked about {name}"
heard = {exchange["audit_id"] for exchange in exchanges if exchange["audit_id"] and exchange["raw_reply"]}
assert len(heard) > len(records) / 2, f"replies came about {len(heard)} records only: is this machine busy?"
assert [row["claim_id"] for row in scores] == [pair["claim_id"] for pair in pairs], "one row for each pair"
for row in scores:
    assert (row["score"] in {1, 2, 3, 4, 5}) != bool(row["state"] and row["reason"]), row


def told(names):
    return ", ".join(f"{count} {name}" for name, count in sorted(collections.Counter(names).items()))


print(f"{judge}: {len(records)} records: {told(claim['state'] for claim in claims)}; {len(queue)} claims wait")
print(f"{judge}: {len(pairs)} pairs: {told('score ' + str(row['score']) if row['score'] else row['state'] for row in scores)}")
print(f"{judge}: {len(exchanges)} exchanges: {told(exchange['ending'] for exchange in exchanges)}")
