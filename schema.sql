-- juror's store: one SQLite file. This page is the whole current schema, for people who query the
-- file by SQL and for inspectors. A test proves that the migrations reach exactly what stands here.
--
-- READ whatever you like: `sqlite3 -readonly FILE`, start with the view audit_result.
-- WRITE only into `inbox` (see the end of this page). Everything else is guarded or derived.
--
-- Conventions
--   *_at       UTC, RFC 3339 with milliseconds: 2026-11-29T19:39:41.123Z (sorts as text)
--   *_ms       milliseconds since 1970-01-01T00:00:00Z
--   *_sha256   lower-case hex
--   offsets    count Unicode scalar values (a Python string index), end exclusive;
--              the columns named *_byte are the same places counted in UTF-8 bytes
--   EVIDENCE   tables that triggers guard against UPDATE, DELETE and INSERT OR REPLACE, and of which
--              `juror verify` checks every column: against the raw line, and against a hash
--   DERIVED    tables of which `juror verify` recomputes every column from the evidence (queue.why is
--              under its run's hash)
--              Tables with neither word are working state, which proves nothing. Of `work`, state, turn
--              and current run are recomputed.
-- A hash shows a change by whoever does not know of it; whoever does can write a new one. What people
-- decided upon is also named by the chain of events, whose last hash can be kept elsewhere.
--
-- The file: application_id is 1786081903 (the letters `juro`), user_version the number of migrations
-- applied, journal mode WAL.

-- Facts about the file itself: `created_at`, and `secret` (random; draws the spot-check lots, and a key
-- derived from it makes the fences around audited text in prompts, which nobody who writes an answer can
-- foresee), how many lines for newcomers a person is through with (`hints of NAME`), and up to which claim the hook
-- was told of arrivals (`told`). No table of this file holds a provider's key.
CREATE TABLE meta (
  name  TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta (name, value) VALUES ('secret', lower(hex(randomblob(32))));
INSERT INTO meta (name, value) VALUES ('created_at', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));

-- ---- what came in ---------------------------------------------------------------------------

-- EVIDENCE. One generated answer. `raw` is the line as it came, byte for byte.
CREATE TABLE record (
  id              INTEGER PRIMARY KEY,
  audit_id        TEXT NOT NULL UNIQUE,
  risk_level      TEXT CHECK (risk_level IN ('LOW', 'MEDIUM', 'HIGH', 'CRITICAL')),
  source          TEXT NOT NULL,              -- file and line, as people name it
  imported_at     TEXT NOT NULL,
  raw_sha256      TEXT NOT NULL,
  answer_sha256   TEXT NOT NULL,
  passages_sha256 TEXT NOT NULL,              -- of the lines `passage_id TAB content_sha256 LF`, in order
  sha256          TEXT NOT NULL,              -- the seal of this row and its passages, see src/store/seals.rs
  question        TEXT,
  given_claims    TEXT NOT NULL,              -- JSON [{claim_id, claim_text}]; [] when the judge finds them
  metadata        TEXT NOT NULL,              -- JSON object
  answer          TEXT NOT NULL,
  raw             TEXT NOT NULL
) STRICT;

-- EVIDENCE. The passages of a record in their order.
CREATE TABLE passage (
  id             INTEGER PRIMARY KEY,
  record_id      INTEGER NOT NULL REFERENCES record (id),
  n              INTEGER NOT NULL,            -- 1, 2, 3 … within the record
  passage_id     TEXT NOT NULL,
  content_sha256 TEXT NOT NULL,
  metadata       TEXT NOT NULL,               -- JSON object
  content        TEXT NOT NULL,
  UNIQUE (record_id, n)
) STRICT;

-- ---- what the judges said -------------------------------------------------------------------

-- EVIDENCE. Who judged, with what.
CREATE TABLE judge (
  id             INTEGER PRIMARY KEY,
  judge          TEXT NOT NULL,
  model          TEXT NOT NULL,
  prompt_version TEXT NOT NULL,
  prompt_sha256  TEXT NOT NULL,
  settings       TEXT NOT NULL,               -- JSON
  UNIQUE (judge, model, prompt_version, prompt_sha256, settings)
) STRICT;

-- EVIDENCE. One audit of one record. Auditing again adds a run; work.run_id names the current one.
CREATE TABLE run (
  id          INTEGER PRIMARY KEY,
  record_id   INTEGER NOT NULL REFERENCES record (id),
  n           INTEGER NOT NULL,               -- 1, 2, 3 … within the record
  judge_id    INTEGER NOT NULL REFERENCES judge (id),
  instrument  TEXT NOT NULL,                  -- faithfulness; support: a claim–source pair with its score
  started_at  TEXT NOT NULL,
  finished_at TEXT NOT NULL,
  sha256      TEXT NOT NULL,                  -- the seal of run and judge, claims, queue.why, no_claim and exchanges
  UNIQUE (record_id, n)
) STRICT;
CREATE INDEX run_judge ON run (judge_id);
CREATE INDEX record_evidence ON record (passages_sha256);

-- EVIDENCE. One claim of an answer. People call it AUDIT_ID#n; n goes on over all runs of a record.
CREATE TABLE claim (
  id                INTEGER PRIMARY KEY,
  record_id         INTEGER NOT NULL REFERENCES record (id),
  run_id            INTEGER NOT NULL REFERENCES run (id),
  n                 INTEGER NOT NULL,
  given_id          TEXT,                     -- the caller's own id, where the claim came with the record
  answer_start      INTEGER,                  -- where it stands in the answer; NULL when it does not
  answer_end        INTEGER,
  answer_start_byte INTEGER,
  answer_end_byte   INTEGER,
  claim_text        TEXT NOT NULL,
  UNIQUE (record_id, n)
) STRICT;

-- EVIDENCE. What the judge said of a claim.
--   state    JUDGED: a verdict with a grounded citation.
--            UNGROUNDED: `verdict` is the judge's label, but no quote stands in the evidence; no rate counts it.
--            All others: there is no verdict, `rationale` says why.
--   sha256   the seal of the claim, the judge, and everything in this row and its citations: what a
--            person sees. An event names it as it was on the screen, and is refused when it is another one.
CREATE TABLE verdict (
  claim_id           INTEGER PRIMARY KEY REFERENCES claim (id),
  state              TEXT NOT NULL CHECK (state IN ('JUDGED', 'UNGROUNDED', 'INSUFFICIENT_EVIDENCE', 'NOT_CHECKED',
                       'NO_CLAIMS', 'INCOMPLETE', 'REFUSED', 'EMPTY', 'FAILED', 'ADDED')),
  verdict            TEXT CHECK (verdict IN ('FULLY_SUPPORTED', 'PARTIALLY_SUPPORTED', 'UNSUPPORTED', 'CONTRADICTED')),
  severity           TEXT CHECK (severity IN ('LOW', 'MEDIUM', 'HIGH', 'CRITICAL')),
  hallucination_type TEXT CHECK (hallucination_type IN ('FABRICATION', 'DISTORTION', 'OMISSION_AS_FACT', 'CITATION_ERROR')),
  confidence         REAL CHECK (confidence BETWEEN 0 AND 1),  -- probability that `verdict` is right
  support            INTEGER CHECK (support BETWEEN 1 AND 5),
  rationale          TEXT NOT NULL,
  sha256             TEXT NOT NULL,
  CHECK ((state IN ('JUDGED', 'UNGROUNDED')) = (verdict IS NOT NULL))
) STRICT;

-- EVIDENCE. The spans that a verdict cites. Offsets are NULL exactly when match is NOT_FOUND.
--   role     supports, contradicts; or closest: what came nearest to an unsupported claim, no evidence
CREATE TABLE citation (
  claim_id   INTEGER NOT NULL REFERENCES claim (id),
  n          INTEGER NOT NULL,
  passage_id TEXT NOT NULL,
  role       TEXT NOT NULL CHECK (role IN ('supports', 'contradicts', 'closest')),
  match      TEXT NOT NULL CHECK (match IN ('EXACT', 'NORMALIZED', 'FUZZY', 'NOT_FOUND')),
  start      INTEGER,
  "end"      INTEGER,
  start_byte INTEGER,
  end_byte   INTEGER,
  quote      TEXT NOT NULL,
  PRIMARY KEY (claim_id, n)
) STRICT, WITHOUT ROWID;

-- EVIDENCE. Sentences of the answer that hold nothing to check.
CREATE TABLE no_claim (
  run_id            INTEGER NOT NULL REFERENCES run (id),
  n                 INTEGER NOT NULL,
  answer_start      INTEGER NOT NULL,
  answer_end        INTEGER NOT NULL,
  answer_start_byte INTEGER NOT NULL,
  answer_end_byte   INTEGER NOT NULL,
  reason            TEXT NOT NULL,
  PRIMARY KEY (run_id, n)
) STRICT, WITHOUT ROWID;

-- ---- what was asked of models ---------------------------------------------------------------

-- EVIDENCE. One request to a model and what came of it, kept before anything is made of the reply; also
-- of audits that never came to an end. A judge that asks no model leaves none.
--   ending   VALID: an answer. All others are none: the question is asked again, or has no verdict.
--   *_tokens, cost_micros   NULL is unknown, not 0: sum() passes over it, so count what is unknown too. A
--            reply that was found again, not paid again, has no row of its own.
-- What each model cost, and how many of its requests have no known cost:
--   SELECT model_asked, count(*), sum(cost_micros) / 1e6 AS usd, sum(cost_micros IS NULL) AS unknown
--   FROM exchange GROUP BY 1;
-- How its requests ended, and how long they took:
--   SELECT model_asked, ending, count(*), avg(latency_us) / 1e6 AS seconds FROM exchange GROUP BY 1, 2;
-- What the current audit of a record rests on:
--   SELECT exchange.* FROM record JOIN work ON work.record_id = record.id
--   JOIN run_exchange USING (run_id) JOIN exchange ON exchange.id = exchange_id
--   WHERE audit_id = 'rx-1042' ORDER BY n;
CREATE TABLE exchange (
  id               INTEGER PRIMARY KEY,
  sent_at          TEXT NOT NULL,
  record_id        INTEGER REFERENCES record (id),  -- NULL: a pair out of a file, or a look at the endpoint
  instrument       TEXT NOT NULL,             -- faithfulness, comparison or support
  purpose          TEXT NOT NULL CHECK (purpose IN ('ASK', 'ASK_AGAIN', 'REPAIR', 'PROBE')),
  mends            INTEGER REFERENCES exchange (id) CHECK (mends IS NULL OR purpose = 'REPAIR'),
  part             INTEGER NOT NULL,          -- which part of a record that is asked in several
  attempt          INTEGER NOT NULL,          -- which try of the same question
  judge            TEXT NOT NULL,             -- its name in the settings
  endpoint         TEXT NOT NULL,             -- the address, without anything secret
  prompt_version   TEXT NOT NULL,
  prompt_sha256    TEXT NOT NULL,
  question_sha256  TEXT NOT NULL,             -- of all that the answer depends on; one for all tries
  request_sha256   TEXT NOT NULL,             -- of the body that was sent
  model_asked      TEXT NOT NULL,
  model_answered   TEXT,                      -- as the server names it
  parameters       TEXT NOT NULL,             -- JSON: those that were really sent
  status           INTEGER,                   -- HTTP; NULL when no reply came
  request_id       TEXT,                      -- the server's own name for the request
  latency_us       INTEGER NOT NULL,          -- microseconds
  input_tokens     INTEGER,                   -- as the server counts; all that was read
  cached_tokens    INTEGER,                   -- of these, from the provider's cache
  output_tokens    INTEGER,                   -- all that was written
  reasoning_tokens INTEGER,                   -- of these, reasoning
  cost_micros      INTEGER,                   -- millionths of a US dollar
  ending           TEXT NOT NULL CHECK (ending IN ('VALID', 'UNREADABLE', 'MISSHAPEN', 'CUT', 'REFUSED', 'EMPTY',
                     'LIMITED', 'EXHAUSTED', 'DENIED', 'UNSUPPORTED', 'TOO_LONG', 'FAULTY', 'REJECTED', 'TIMED_OUT',
                     'BROKEN')),
  detail           TEXT NOT NULL,             -- what was wrong, or noteworthy; empty when nothing was
  sha256           TEXT NOT NULL,             -- the seal of this row
  raw_reply        TEXT NOT NULL              -- the body as it came; what is no UTF-8 is replaced
) STRICT;
CREATE INDEX exchange_answered ON exchange (question_sha256) WHERE ending = 'VALID';
CREATE INDEX exchange_record ON exchange (record_id) WHERE record_id IS NOT NULL;
CREATE INDEX exchange_spent ON exchange (judge, sent_at, cost_micros);

-- EVIDENCE. The exchanges that a run rests on, in order. One that was found again belongs to several.
CREATE TABLE run_exchange (
  run_id      INTEGER NOT NULL REFERENCES run (id),
  n           INTEGER NOT NULL,               -- 1, 2, 3 … within the run
  exchange_id INTEGER NOT NULL REFERENCES exchange (id),
  PRIMARY KEY (run_id, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_exchange_of ON run_exchange (exchange_id);

-- EVIDENCE. Every time that a judge was measured against people: how well it agreed, and on what.
--   state    CALIBRATED from a kappa of 0.7 on; NOT_MEASURED where too few items had a verdict to tell
--   report   the whole report as JSON, with what people and the judge said of every item
-- It is of the judge as it was: of one with another model, prompt or settings it says nothing.
CREATE TABLE calibration (
  id          INTEGER PRIMARY KEY,
  made_at     TEXT NOT NULL,
  instrument  TEXT NOT NULL CHECK (instrument IN ('faithfulness', 'support', 'comparison')),
  judge_id    INTEGER NOT NULL REFERENCES judge (id),
  data_name   TEXT NOT NULL,
  data_sha256 TEXT NOT NULL,                  -- of the lines of the golden set, each with its line feed
  retrieval   TEXT NOT NULL,                  -- JSON list: the retrieval versions that its items name
  state       TEXT NOT NULL CHECK (state IN ('NOT_MEASURED', 'BELOW 0.7', 'CALIBRATED')),
  items       INTEGER NOT NULL,               -- with a consensus of people and a verdict of the judge
  asked       INTEGER NOT NULL,               -- with a consensus, with a verdict of the judge or without
  trusts_labels INTEGER NOT NULL CHECK (trusts_labels IN (0, 1)),  -- labels stand for people whom nobody named
  kappa       REAL,                           -- NULL where it is undefined
  sha256      TEXT NOT NULL,                  -- the seal of this row and its judge
  report      TEXT NOT NULL
) STRICT;

-- EVIDENCE. Two versions of the same answers, compared. Its name is cmp-ID; the claims that it sends to the queue belong
-- to records named cmp-ID/ITEM. The same judge that says the same of the same data is the same comparison.
CREATE TABLE comparison (
  id             INTEGER PRIMARY KEY,
  made_at        TEXT NOT NULL,
  judge_id       INTEGER NOT NULL REFERENCES judge (id),
  baseline       TEXT NOT NULL,               -- what was compared: a file, a field of one, or a command
  candidate      TEXT NOT NULL,
  data_sha256    TEXT NOT NULL,               -- over all items with documents and answers, whatever their order
  items          INTEGER NOT NULL,
  compared       INTEGER NOT NULL,            -- those that both sides have a rate for
  baseline_rate  REAL,                        -- wrong claims among those with a verdict, 0 to 1
  candidate_rate REAL,
  rate_change    REAL,                        -- candidate minus baseline: plus means worse
  claims_sha256  TEXT NOT NULL,               -- over what the judge said of every claim, whatever the items' order
  sent           TEXT NOT NULL,               -- JSON: [["ITEM", how many of its claims people must see], …]
  sha256         TEXT NOT NULL,               -- the seal of all that stands here and of the judge
  report         TEXT NOT NULL                -- JSON: assets/schemas/report.json
) STRICT;
CREATE INDEX comparison_data ON comparison (data_sha256);

-- EVIDENCE. What a gate said of a comparison: a row for each time that something else came of it. The last one is in
-- force.
CREATE TABLE comparison_gate (
  comparison_id INTEGER NOT NULL REFERENCES comparison (id),
  n             INTEGER NOT NULL,             -- 1, 2, … of the comparison
  made_at       TEXT NOT NULL,
  says          TEXT NOT NULL CHECK (says IN ('yes', 'no', 'cannot_say')),
  told          TEXT NOT NULL,                -- JSON: what stands in the report in place of what it said first
  sha256        TEXT NOT NULL,                -- the seal of this row and of the comparison's
  PRIMARY KEY (comparison_id, n)
) STRICT, WITHOUT ROWID;

-- WORKING STATE. Questions that were handed over to a provider together. Noted before they are, so that nothing
-- is handed over twice, and until everything that came of them is in `exchange`.
CREATE TABLE batch (
  id           INTEGER PRIMARY KEY,
  tag          TEXT NOT NULL UNIQUE,       -- our name for it
  judge        TEXT NOT NULL,
  endpoint     TEXT NOT NULL,              -- without anything secret
  account      TEXT NOT NULL,              -- what people call it; never a key
  state        TEXT NOT NULL CHECK (state IN ('INTENDED', 'SUBMITTED', 'COLLECTED')),
  file_id      TEXT,                       -- the provider's names for the file with its questions
  remote_id    TEXT,                       -- and for the batch
  holder       TEXT NOT NULL,              -- the process that works on it, or did
  intended_at  TEXT NOT NULL,
  collected_at TEXT,
  CHECK (state = 'INTENDED' OR remote_id IS NOT NULL)
) STRICT;
CREATE INDEX batch_open ON batch (judge) WHERE state <> 'COLLECTED';

-- WORKING STATE. One question of a batch. Of all batches at most one may have a question under way.
--   OPEN: nothing came yet. RETURNED: the reply is here, unread. ANSWERED, UNUSABLE: it became an exchange.
--   LOST: nothing came of it, as `detail` says; it may be asked again.
CREATE TABLE batch_item (
  batch_id        INTEGER NOT NULL REFERENCES batch (id),
  n               INTEGER NOT NULL,
  record_id       INTEGER NOT NULL REFERENCES record (id),
  custom_id       TEXT NOT NULL,           -- what comes back is told apart by it
  question_sha256 TEXT NOT NULL,
  request_sha256  TEXT NOT NULL,
  state           TEXT NOT NULL CHECK (state IN ('OPEN', 'RETURNED', 'ANSWERED', 'UNUSABLE', 'LOST')),
  status          INTEGER,                 -- of the reply, while it is unread
  request_id      TEXT,
  reply           TEXT,
  exchange_id     INTEGER REFERENCES exchange (id),
  detail          TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (batch_id, n),
  UNIQUE (batch_id, custom_id),
  CHECK ((state = 'RETURNED') = (reply IS NOT NULL)),
  CHECK ((state IN ('ANSWERED', 'UNUSABLE')) = (exchange_id IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX batch_item_under_way ON batch_item (question_sha256) WHERE state IN ('OPEN', 'RETURNED');
CREATE INDEX batch_item_question ON batch_item (question_sha256);
CREATE INDEX batch_item_record ON batch_item (record_id);

-- For people who query by SQL: the current run of every audited record, one row a claim. Claim–source pairs, which
-- `juror score --queue` keeps, are not among them: their verdict only stands for a score (verdict.support).
--   verdict            the judge's grounded verdict; NULL when there is none (also when it is UNGROUNDED):
--                      then `rationale` says why, and verdict.state names the state
--   evidence_citation  JSON [{passage_id, start, end, quote, role, match}]; `quote` is the passage's own words
--                      at that place (the judge's words stand in citation.quote), the judge's when not found
--   model_version, prompt_version   of the judge; the audited model's stand in record.metadata
--   timestamp          when the audit finished
CREATE VIEW audit_result (audit_id, claim_id, verdict, evidence_citation, rationale, model_version, prompt_version, timestamp) AS
SELECT
  record.audit_id,
  record.audit_id || '#' || claim.n,
  CASE verdict.state WHEN 'JUDGED' THEN verdict.verdict END,
  (SELECT json_group_array(json(item)) FROM (
    SELECT json_object('passage_id', passage_id, 'start', start, 'end', "end", 'quote', coalesce(
      (SELECT CAST(substr(CAST(content AS BLOB), start_byte + 1, end_byte - start_byte) AS TEXT) FROM passage
       WHERE passage.record_id = claim.record_id AND passage.passage_id = citation.passage_id
         AND citation.start_byte IS NOT NULL), quote), 'role', role, 'match', match) AS item
    FROM citation WHERE citation.claim_id = claim.id ORDER BY citation.n)),
  verdict.rationale,
  judge.model,
  judge.prompt_version,
  run.finished_at
FROM work
JOIN record ON record.id = work.record_id
JOIN run ON run.id = work.run_id AND run.instrument <> 'support'
JOIN judge ON judge.id = run.judge_id
JOIN claim ON claim.record_id = work.record_id AND claim.run_id = work.run_id
JOIN verdict ON verdict.claim_id = claim.id AND verdict.state <> 'ADDED';

-- ---- what there is to do --------------------------------------------------------------------

-- How far each record is. An audit is leased: whoever finishes must still hold the lease.
CREATE TABLE work (
  record_id       INTEGER PRIMARY KEY REFERENCES record (id),
  state           TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'done', 'failed')),
  risk_rank       INTEGER NOT NULL,           -- 4 CRITICAL, 3 HIGH, 2 MEDIUM or unknown, 1 LOW
  attempts        INTEGER NOT NULL DEFAULT 0, -- leases that were not given back; from two on it is judged alone, after four it fails
  leased_by       TEXT,
  leased_until_ms INTEGER,
  run_id          INTEGER REFERENCES run (id),
  CHECK ((leased_by IS NULL) = (leased_until_ms IS NULL))
) STRICT;
CREATE INDEX work_order ON work (risk_rank DESC, record_id DESC) WHERE state = 'waiting';
CREATE INDEX work_suspects ON work (record_id) WHERE state = 'waiting' AND attempts >= 2;
CREATE INDEX work_leased ON work (leased_by, leased_until_ms) WHERE leased_by IS NOT NULL;
CREATE INDEX work_failed ON work (run_id) WHERE state = 'failed';

-- DERIVED. Claims routed to people. `place` is the order: smaller is shown earlier, among equals the
-- oldest. `current`: of its record's current run. `open`: 1 while no decision counts (nobody made one, or people disagree),
-- 0 else, 2 while it is set aside: nobody has decided it, but its whole answer is blocked. `severity_rank`: while people
-- disagree the worst that they or the judge say.
CREATE TABLE queue (
  claim_id      INTEGER PRIMARY KEY REFERENCES claim (id),
  severity_rank INTEGER NOT NULL CHECK (severity_rank BETWEEN 0 AND 4),   -- 4 CRITICAL … 1 LOW, 0 nothing wrong
  judged_rank   INTEGER NOT NULL CHECK (judged_rank BETWEEN 0 AND 4),     -- the same without what people say
  verdict_rank  INTEGER NOT NULL CHECK (verdict_rank BETWEEN 0 AND 6),    -- 6 CONTRADICTED, 5 UNSUPPORTED, 4 ungrounded,
                                                                          -- 3 no verdict, 2 PARTIALLY, 1 FULLY
  doubt         INTEGER NOT NULL CHECK (doubt BETWEEN 0 AND 1000),        -- 1000 × (1 − confidence)
  place         INTEGER NOT NULL CHECK (place = (4 - severity_rank) * 100000 + (6 - verdict_rank) * 10000 + 1000 - doubt),
  arrived_ms    INTEGER NOT NULL,
  current       INTEGER NOT NULL DEFAULT 1 CHECK (current IN (0, 1)),
  open          INTEGER NOT NULL DEFAULT 1 CHECK (open IN (0, 1, 2) AND (open = 0 OR current = 1)),
  why           TEXT NOT NULL                 -- JSON [{code, …}]: why a person is asked
) STRICT;
CREATE INDEX queue_order ON queue (place, arrived_ms) WHERE open = 1;
CREATE INDEX queue_set_aside ON queue (place, arrived_ms) WHERE open = 2;
CREATE INDEX queue_decided ON queue (place, arrived_ms) WHERE open = 0 AND current = 1;
CREATE INDEX queue_blind ON queue (claim_id * 2654435761 % 4294967296) WHERE current = 1;
CREATE INDEX queue_news ON queue (severity_rank, claim_id, place, arrived_ms, open) WHERE open = 1 AND severity_rank >= 3;

-- DERIVED. One row of totals, kept by triggers so that nobody has to count a million rows.
CREATE TABLE counts (
  id            INTEGER PRIMARY KEY CHECK (id = 1),
  routed        INTEGER NOT NULL DEFAULT 0,
  open          INTEGER NOT NULL DEFAULT 0,
  open_critical INTEGER NOT NULL DEFAULT 0,
  open_high     INTEGER NOT NULL DEFAULT 0,
  open_medium   INTEGER NOT NULL DEFAULT 0,
  open_low      INTEGER NOT NULL DEFAULT 0,
  set_aside     INTEGER NOT NULL DEFAULT 0,
  waiting       INTEGER NOT NULL DEFAULT 0,
  done          INTEGER NOT NULL DEFAULT 0,
  failed        INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO counts (id) VALUES (1);

-- DERIVED. How many claims came into the queue on which day, UTC, by the severity by which they are ranked; of all
-- audits, and those that people made.
CREATE TABLE arrived_day (
  day           TEXT NOT NULL,
  severity_rank INTEGER NOT NULL,
  n             INTEGER NOT NULL,
  PRIMARY KEY (day, severity_rank)
) STRICT, WITHOUT ROWID;

-- DERIVED. What judges said on which day, UTC, added up: of all audits, also those that a later one took the place of.
-- '' stands for no verdict and for no severity.
CREATE TABLE judged_day (
  day        TEXT NOT NULL,
  judge_id   INTEGER NOT NULL REFERENCES judge (id),
  instrument TEXT NOT NULL,
  state      TEXT NOT NULL,
  verdict    TEXT NOT NULL,
  severity   TEXT NOT NULL,
  n          INTEGER NOT NULL,
  PRIMARY KEY (day, judge_id, instrument, state, verdict, severity)
) STRICT, WITHOUT ROWID;

-- DERIVED. What judges say of answers by the hour in which their records came in, UTC, and by what made the answers, as the
-- record's metadata names it: of the current audits, so that it is known since when which version errs. Records that
-- `juror compare` made are not counted here, nor as arrived: their source says so, and never changes.
CREATE TABLE judged_hour (
  hour    TEXT NOT NULL,
  model   TEXT NOT NULL,
  prompt  TEXT NOT NULL,
  verdict TEXT NOT NULL,
  n       INTEGER NOT NULL,
  PRIMARY KEY (hour, model, prompt, verdict)
) STRICT, WITHOUT ROWID;

-- DERIVED. Claim–source pairs as they are scored at present: the one claim of each record whose current run is of the
-- instrument `support`, with what pairs are put together by.
CREATE TABLE pair (
  claim_id  INTEGER PRIMARY KEY REFERENCES claim (id),
  state     TEXT NOT NULL,
  score     INTEGER NOT NULL,                  -- 1 to 5; 0 for none that stands
  doubt     INTEGER NOT NULL,                  -- 1000 × (1 − confidence)
  source    TEXT NOT NULL,                     -- the passage's id
  retrieval TEXT,
  model     TEXT
) STRICT;
CREATE INDEX pair_worst ON pair (score, doubt, claim_id) WHERE score > 0;

-- DERIVED. How many pairs have which score, of each group: `kind` is all, source, retrieval or model; `name` is the
-- group's, of the kind all the state's.
CREATE TABLE pair_sum (
  kind  TEXT NOT NULL,
  name  TEXT NOT NULL,
  score INTEGER NOT NULL,
  n     INTEGER NOT NULL,
  PRIMARY KEY (kind, name, score)
) STRICT, WITHOUT ROWID;

-- ---- what people did ------------------------------------------------------------------------

-- EVIDENCE, append-only, the truth about people's work. Each event's hash is the SHA-256 of the
-- previous event's hash (64 zeros before the first), a line feed, and the canonical JSON
--   {"seq","at","annotator","os_user","host","program","act","subject","old","new","reason","undoes",
--    "seen":{"answer_sha256","passages_sha256","verdict_sha256"?},"payload_sha256","batch"?}
-- compact, fields in this order. `juror verify` recomputes all of it. The last hash, kept elsewhere,
-- shows whether events were cut off the end.
CREATE TABLE event (
  seq             INTEGER PRIMARY KEY,        -- 1, 2, 3 … without a gap
  at              TEXT NOT NULL,
  annotator       TEXT NOT NULL,
  os_user         TEXT NOT NULL,
  host            TEXT NOT NULL,
  program         TEXT NOT NULL,
  act             TEXT NOT NULL CHECK (act IN ('CONFIRM', 'OVERRIDE', 'BLIND', 'ANNOTATE', 'GIVE_REASON', 'SKIP', 'UNSKIP',
                    'FLAG', 'UNFLAG', 'DEFER', 'RESUME', 'DISPOSE', 'ADD_CLAIM', 'SPLIT', 'MERGE', 'ERASE', 'UNDO')),
  subject         TEXT NOT NULL,              -- a claim AUDIT_ID#n, or an audit id for a disposition
  claim_id        INTEGER REFERENCES claim (id),  -- the subject's row; NULL for a disposition; not part of the chain
  old             TEXT NOT NULL,              -- JSON: what stood before
  new             TEXT NOT NULL,              -- JSON: what stands now
  reason          TEXT,
  undoes          INTEGER REFERENCES event (seq),  -- what an UNDO takes back; of an act done again, the UNDO that it answers
  answer_sha256   TEXT NOT NULL,              -- what was on the screen; what is stored, where nothing was shown
  passages_sha256 TEXT NOT NULL,
  verdict_sha256  TEXT,
  payload_sha256  TEXT,                       -- of event_payload: salt, a line feed, text
  prev_hash       TEXT NOT NULL,
  hash            TEXT NOT NULL,
  batch           INTEGER REFERENCES event (seq)  -- the first event of those that were asked for at once
) STRICT;
CREATE INDEX event_claim ON event (claim_id, seq) WHERE claim_id IS NOT NULL;
CREATE INDEX event_answer ON event (subject, seq) WHERE claim_id IS NULL;
CREATE INDEX event_annotator ON event (annotator, seq);
CREATE INDEX event_undoes ON event (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX event_batch ON event (batch) WHERE batch IS NOT NULL;
CREATE INDEX event_erases ON event (new ->> '$.event') WHERE act = 'ERASE';

-- EVIDENCE, but for what was erased. The text of notes, those of escalations and dispositions too, apart from the chain
-- so that it can be erased while the event stays: `juror erase EVENT --reason TEXT` records an ERASE event, whose
-- new.event names the one that the text came with and new.why the reason, and only then takes the row away, here, in
-- the search index and in the free space of the file. A row that is gone without one is a problem for `juror verify`.
CREATE TABLE event_payload (
  seq  INTEGER PRIMARY KEY REFERENCES event (seq),
  salt TEXT NOT NULL CHECK (length(CAST(salt AS BLOB)) = 32 AND salt NOT GLOB '*[^0-9a-f]*'),
  text TEXT NOT NULL
) STRICT;

-- DERIVED. Where each person stands on each claim. Of decisions that agree on the verdict one counts. Where they differ,
-- none does, until people agree or somebody settles it who decided after two others that differ.
CREATE TABLE decision (
  claim_id           INTEGER NOT NULL REFERENCES claim (id),
  annotator          TEXT NOT NULL,
  kind               TEXT NOT NULL CHECK (kind IN ('CONFIRMED', 'OVERRIDDEN')),
  verdict            TEXT NOT NULL CHECK (verdict IN ('FULLY_SUPPORTED', 'PARTIALLY_SUPPORTED', 'UNSUPPORTED',
                       'CONTRADICTED', 'CANNOT_JUDGE', 'NOT_A_CLAIM')),
  severity           TEXT,
  hallucination_type TEXT,
  reason             TEXT,
  seq                INTEGER NOT NULL REFERENCES event (seq),
  decided_at         TEXT NOT NULL,
  evidence           TEXT,                    -- JSON: the spans that the person chose in place of the judge's, in characters
  score              INTEGER CHECK (score BETWEEN 1 AND 5),  -- of a claim–source pair; `verdict` follows from it
  counts             INTEGER NOT NULL DEFAULT 0 CHECK (counts IN (0, 1)),  -- 1 on one of a claim's at most: what holds; none: a dispute
  PRIMARY KEY (claim_id, annotator)
) STRICT, WITHOUT ROWID;
CREATE INDEX decision_beside ON decision (claim_id) WHERE counts = 0;

-- DERIVED. What people said of claims before they were shown the judge: blind verdicts that stand. `independent` is 0
-- where an earlier act of the person's names the judge's verdict on the claim.
CREATE TABLE opinion (
  annotator          TEXT NOT NULL,
  claim_id           INTEGER NOT NULL REFERENCES claim (id),
  verdict            TEXT NOT NULL CHECK (verdict IN ('FULLY_SUPPORTED', 'PARTIALLY_SUPPORTED', 'UNSUPPORTED',
                       'CONTRADICTED', 'CANNOT_JUDGE', 'NOT_A_CLAIM')),
  severity           TEXT,
  hallucination_type TEXT,
  evidence           TEXT,
  independent        INTEGER NOT NULL CHECK (independent IN (0, 1)),
  seq                INTEGER NOT NULL REFERENCES event (seq),
  committed_at       TEXT NOT NULL,
  score              INTEGER CHECK (score BETWEEN 1 AND 5),
  fills              INTEGER NOT NULL CHECK (fills IN (0, 1)),  -- one of those that review.overlap asks for
  PRIMARY KEY (annotator, claim_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX opinion_claim ON opinion (claim_id, fills);

-- DERIVED. How many decisions of each person stand.
CREATE TABLE decided (
  annotator TEXT NOT NULL PRIMARY KEY,
  n         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- DERIVED. How many of them were made on which day, UTC.
CREATE TABLE decided_day (
  annotator TEXT NOT NULL,
  day       TEXT NOT NULL,
  n         INTEGER NOT NULL,
  PRIMARY KEY (annotator, day)
) STRICT, WITHOUT ROWID;

-- DERIVED. Claims that a person has put to the end of their own queue.
CREATE TABLE skip (
  annotator TEXT NOT NULL,
  claim_id  INTEGER NOT NULL REFERENCES claim (id),
  PRIMARY KEY (annotator, claim_id)
) STRICT, WITHOUT ROWID;

-- DERIVED. Claims that a person has put out of their own queue until a time. One that is over counts for nothing.
CREATE TABLE deferral (
  annotator TEXT NOT NULL,
  claim_id  INTEGER NOT NULL REFERENCES claim (id),
  until_ms  INTEGER NOT NULL,
  PRIMARY KEY (annotator, claim_id)
) STRICT, WITHOUT ROWID;

-- DERIVED. Claims that a person has flagged for adjudication. A flag with a note is an escalation.
CREATE TABLE flag (
  claim_id  INTEGER NOT NULL REFERENCES claim (id),
  annotator TEXT NOT NULL,
  seq       INTEGER NOT NULL REFERENCES event (seq),  -- its payload is the note, if any
  addressee TEXT,                                     -- the person or role that it is for, if any
  PRIMARY KEY (claim_id, annotator)
) STRICT, WITHOUT ROWID;

-- DERIVED. Claims that a person made and nobody took back: an ADD_CLAIM event names each. They belong to the run
-- that was current, but not to its seal, and have the state ADDED.
CREATE TABLE made (
  claim_id  INTEGER PRIMARY KEY REFERENCES claim (id),
  annotator TEXT NOT NULL,
  seq       INTEGER NOT NULL REFERENCES event (seq)
) STRICT;

-- DERIVED. Claims in whose place a person put others, by a SPLIT or a MERGE.
CREATE TABLE replaced (
  claim_id  INTEGER PRIMARY KEY REFERENCES claim (id),
  annotator TEXT NOT NULL,
  seq       INTEGER NOT NULL REFERENCES event (seq)
) STRICT;

-- DERIVED. What is to happen to an answer, as decided on one run of it. A new run asks anew.
CREATE TABLE disposition (
  run_id      INTEGER PRIMARY KEY REFERENCES run (id),
  disposition TEXT NOT NULL CHECK (disposition IN ('RELEASE', 'RETURN', 'BLOCK')),
  annotator   TEXT NOT NULL,
  seq         INTEGER NOT NULL REFERENCES event (seq),
  disposed_at TEXT NOT NULL
) STRICT;

-- DERIVED. Current runs whose answer waits for its disposition: something is decided, nothing is open.
CREATE TABLE to_dispose (
  run_id INTEGER PRIMARY KEY REFERENCES run (id)
) STRICT;

-- Who has a claim in hand now: one person at a time, in each of their windows (`hand`) by itself. A lease that ran out
-- counts for nothing.
CREATE TABLE lease (
  claim_id INTEGER NOT NULL REFERENCES claim (id),
  holder   TEXT NOT NULL,
  hand     TEXT NOT NULL,
  until_ms INTEGER NOT NULL,
  PRIMARY KEY (claim_id, holder, hand)
) STRICT, WITHOUT ROWID;
CREATE INDEX lease_hand ON lease (hand);

-- Notes that are being typed.
CREATE TABLE draft (
  claim_id  INTEGER NOT NULL REFERENCES claim (id),
  annotator TEXT NOT NULL,
  kind      TEXT NOT NULL,
  saved_at  TEXT NOT NULL,
  text      TEXT NOT NULL,
  PRIMARY KEY (claim_id, annotator, kind)
) STRICT, WITHOUT ROWID;

-- Filters that people saved under a name. A preference: no work of anybody rests on it, and no seal covers it.
CREATE TABLE saved_view (
  annotator TEXT NOT NULL,
  name      TEXT NOT NULL COLLATE NOCASE,
  query     TEXT NOT NULL,                    -- as it would be typed
  PRIMARY KEY (annotator, name)
) STRICT, WITHOUT ROWID;

-- ---- search: indexes over texts that stand elsewhere, not copies ------------------------------

CREATE VIRTUAL TABLE answer_search USING fts5 (answer, content = 'record', content_rowid = 'id', tokenize = "unicode61 remove_diacritics 2");
CREATE VIRTUAL TABLE claim_search USING fts5 (claim_text, content = 'claim', content_rowid = 'id', tokenize = "unicode61 remove_diacritics 2");
CREATE VIRTUAL TABLE note_search USING fts5 (text, content = 'event_payload', content_rowid = 'seq', tokenize = "unicode61 remove_diacritics 2");
-- The words of an erased note leave the index at once.
INSERT INTO note_search (note_search, rank) VALUES ('secure-delete', 1);

-- ---- for other programs -----------------------------------------------------------------------

-- The one table that other programs may write:
--   INSERT INTO inbox (line) VALUES ('{"audit_id":"…","generated_answer":"…","evidence_passages":[…]}');
-- one record of the native format a row. A running `juror` or `juror audit --watch` takes it in like
-- an imported line, also while its auditor is paused, and deletes the row; a line that is not a record
-- stays here with the reason in `error`. The record is one line, as in JSON Lines: one line feed at its
-- end is left away, and a row with a line feed inside is not taken in.
CREATE TABLE inbox (
  id          INTEGER PRIMARY KEY,
  line        TEXT NOT NULL,
  received_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  error       TEXT
) STRICT;
CREATE INDEX inbox_new ON inbox (id) WHERE error IS NULL;

-- ---- triggers: the guards of the evidence -------------------------------------------------------
-- The INSERT guards are what stops INSERT OR REPLACE, whatever settings the connection has.

CREATE TRIGGER record_no_update BEFORE UPDATE ON record BEGIN SELECT RAISE(ABORT, 'a record is never changed'); END;
CREATE TRIGGER record_no_delete BEFORE DELETE ON record BEGIN SELECT RAISE(ABORT, 'a record is never deleted'); END;
CREATE TRIGGER record_no_replace BEFORE INSERT ON record
WHEN EXISTS (SELECT 1 FROM record WHERE id = NEW.id) OR EXISTS (SELECT 1 FROM record WHERE audit_id = NEW.audit_id)
BEGIN SELECT RAISE(ABORT, 'a record is never replaced'); END;

CREATE TRIGGER passage_no_update BEFORE UPDATE ON passage BEGIN SELECT RAISE(ABORT, 'a passage is never changed'); END;
CREATE TRIGGER passage_no_delete BEFORE DELETE ON passage BEGIN SELECT RAISE(ABORT, 'a passage is never deleted'); END;
CREATE TRIGGER passage_no_replace BEFORE INSERT ON passage
WHEN EXISTS (SELECT 1 FROM passage WHERE id = NEW.id) OR EXISTS (SELECT 1 FROM passage WHERE record_id = NEW.record_id AND n = NEW.n)
BEGIN SELECT RAISE(ABORT, 'a passage is never replaced'); END;

CREATE TRIGGER judge_no_update BEFORE UPDATE ON judge BEGIN SELECT RAISE(ABORT, 'a judge is never changed'); END;
CREATE TRIGGER judge_no_delete BEFORE DELETE ON judge BEGIN SELECT RAISE(ABORT, 'a judge is never deleted'); END;
CREATE TRIGGER judge_no_replace BEFORE INSERT ON judge
WHEN EXISTS (SELECT 1 FROM judge WHERE id = NEW.id)
  OR EXISTS (SELECT 1 FROM judge WHERE judge = NEW.judge AND model = NEW.model AND prompt_version = NEW.prompt_version
             AND prompt_sha256 = NEW.prompt_sha256 AND settings = NEW.settings)
BEGIN SELECT RAISE(ABORT, 'a judge is never replaced'); END;

CREATE TRIGGER run_no_update BEFORE UPDATE ON run BEGIN SELECT RAISE(ABORT, 'a run is never changed'); END;
CREATE TRIGGER run_no_delete BEFORE DELETE ON run BEGIN SELECT RAISE(ABORT, 'a run is never deleted'); END;
CREATE TRIGGER run_no_replace BEFORE INSERT ON run
WHEN EXISTS (SELECT 1 FROM run WHERE id = NEW.id) OR EXISTS (SELECT 1 FROM run WHERE record_id = NEW.record_id AND n = NEW.n)
BEGIN SELECT RAISE(ABORT, 'a run is never replaced'); END;

CREATE TRIGGER claim_no_update BEFORE UPDATE ON claim BEGIN SELECT RAISE(ABORT, 'a claim is never changed'); END;
CREATE TRIGGER claim_no_delete BEFORE DELETE ON claim BEGIN SELECT RAISE(ABORT, 'a claim is never deleted'); END;
CREATE TRIGGER claim_no_replace BEFORE INSERT ON claim
WHEN EXISTS (SELECT 1 FROM claim WHERE id = NEW.id) OR EXISTS (SELECT 1 FROM claim WHERE record_id = NEW.record_id AND n = NEW.n)
BEGIN SELECT RAISE(ABORT, 'a claim is never replaced'); END;

CREATE TRIGGER verdict_no_update BEFORE UPDATE ON verdict BEGIN SELECT RAISE(ABORT, 'a verdict is never changed'); END;
CREATE TRIGGER verdict_no_delete BEFORE DELETE ON verdict BEGIN SELECT RAISE(ABORT, 'a verdict is never deleted'); END;
CREATE TRIGGER verdict_no_replace BEFORE INSERT ON verdict
WHEN EXISTS (SELECT 1 FROM verdict WHERE claim_id = NEW.claim_id)
BEGIN SELECT RAISE(ABORT, 'a verdict is never replaced'); END;

CREATE TRIGGER citation_no_update BEFORE UPDATE ON citation BEGIN SELECT RAISE(ABORT, 'a citation is never changed'); END;
CREATE TRIGGER citation_no_delete BEFORE DELETE ON citation BEGIN SELECT RAISE(ABORT, 'a citation is never deleted'); END;
CREATE TRIGGER citation_no_replace BEFORE INSERT ON citation
WHEN EXISTS (SELECT 1 FROM citation WHERE claim_id = NEW.claim_id AND n = NEW.n)
BEGIN SELECT RAISE(ABORT, 'a citation is never replaced'); END;

CREATE TRIGGER no_claim_no_update BEFORE UPDATE ON no_claim BEGIN SELECT RAISE(ABORT, 'a sentence without a claim is never changed'); END;
CREATE TRIGGER no_claim_no_delete BEFORE DELETE ON no_claim BEGIN SELECT RAISE(ABORT, 'a sentence without a claim is never deleted'); END;
CREATE TRIGGER no_claim_no_replace BEFORE INSERT ON no_claim
WHEN EXISTS (SELECT 1 FROM no_claim WHERE run_id = NEW.run_id AND n = NEW.n)
BEGIN SELECT RAISE(ABORT, 'a sentence without a claim is never replaced'); END;

CREATE TRIGGER exchange_no_update BEFORE UPDATE ON exchange BEGIN SELECT RAISE(ABORT, 'an exchange is never changed'); END;
CREATE TRIGGER exchange_no_delete BEFORE DELETE ON exchange BEGIN SELECT RAISE(ABORT, 'an exchange is never deleted'); END;
CREATE TRIGGER exchange_no_replace BEFORE INSERT ON exchange
WHEN EXISTS (SELECT 1 FROM exchange WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'an exchange is never replaced'); END;

CREATE TRIGGER run_exchange_no_update BEFORE UPDATE ON run_exchange BEGIN SELECT RAISE(ABORT, 'an exchange of a run is never changed'); END;
CREATE TRIGGER run_exchange_no_delete BEFORE DELETE ON run_exchange BEGIN SELECT RAISE(ABORT, 'an exchange of a run is never deleted'); END;
CREATE TRIGGER run_exchange_no_replace BEFORE INSERT ON run_exchange
WHEN EXISTS (SELECT 1 FROM run_exchange WHERE run_id = NEW.run_id AND n = NEW.n)
BEGIN SELECT RAISE(ABORT, 'an exchange of a run is never replaced'); END;
CREATE TRIGGER comparison_no_update BEFORE UPDATE ON comparison BEGIN SELECT RAISE(ABORT, 'a comparison is never changed'); END;
CREATE TRIGGER comparison_no_delete BEFORE DELETE ON comparison BEGIN SELECT RAISE(ABORT, 'a comparison is never deleted'); END;
CREATE TRIGGER comparison_no_replace BEFORE INSERT ON comparison
WHEN EXISTS (SELECT 1 FROM comparison WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'a comparison is never replaced'); END;
CREATE TRIGGER comparison_gate_no_update BEFORE UPDATE ON comparison_gate BEGIN SELECT RAISE(ABORT, 'what a gate said is never changed'); END;
CREATE TRIGGER comparison_gate_no_delete BEFORE DELETE ON comparison_gate BEGIN SELECT RAISE(ABORT, 'what a gate said is never deleted'); END;
CREATE TRIGGER comparison_gate_no_replace BEFORE INSERT ON comparison_gate
WHEN EXISTS (SELECT 1 FROM comparison_gate WHERE comparison_id = NEW.comparison_id AND n = NEW.n)
BEGIN SELECT RAISE(ABORT, 'what a gate said is never replaced'); END;

CREATE TRIGGER calibration_no_update BEFORE UPDATE ON calibration BEGIN SELECT RAISE(ABORT, 'a calibration is never changed'); END;
CREATE TRIGGER calibration_no_delete BEFORE DELETE ON calibration BEGIN SELECT RAISE(ABORT, 'a calibration is never deleted'); END;
CREATE TRIGGER calibration_no_replace BEFORE INSERT ON calibration
WHEN EXISTS (SELECT 1 FROM calibration WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'a calibration is never replaced'); END;

CREATE TRIGGER event_no_update BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, 'events are append-only: never changed'); END;
CREATE TRIGGER event_no_delete BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'events are append-only: never deleted'); END;
CREATE TRIGGER event_in_sequence BEFORE INSERT ON event
WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM event)
BEGIN SELECT RAISE(ABORT, 'events are append-only: the next event has the next number'); END;
CREATE TRIGGER event_in_chain BEFORE INSERT ON event
WHEN NEW.prev_hash IS NOT coalesce((SELECT hash FROM event WHERE seq = NEW.seq - 1),
  '0000000000000000000000000000000000000000000000000000000000000000')
BEGIN SELECT RAISE(ABORT, 'events are append-only: the next event names the hash of the last'); END;

CREATE TRIGGER event_payload_no_update BEFORE UPDATE ON event_payload BEGIN SELECT RAISE(ABORT, 'a payload is never changed, only erased'); END;
CREATE TRIGGER event_payload_no_replace BEFORE INSERT ON event_payload
WHEN EXISTS (SELECT 1 FROM event_payload WHERE seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'a payload is never replaced, only erased'); END;
CREATE TRIGGER event_payload_no_delete BEFORE DELETE ON event_payload
WHEN NOT EXISTS (SELECT 1 FROM event WHERE act = 'ERASE' AND new ->> '$.event' = OLD.seq)
BEGIN SELECT RAISE(ABORT, 'a payload is erased by `juror erase`, which records who and why'); END;

-- ---- triggers: search ---------------------------------------------------------------------------

CREATE TRIGGER record_search AFTER INSERT ON record BEGIN
  INSERT INTO answer_search (rowid, answer) VALUES (NEW.id, NEW.answer);
END;
-- A run's claims all at once, when it becomes the current one: row by row, the index would be written
-- to the file for every single claim.
CREATE TRIGGER run_search AFTER UPDATE OF run_id ON work WHEN NEW.run_id IS NOT NULL BEGIN
  INSERT INTO claim_search (rowid, claim_text)
  SELECT id, claim_text FROM claim WHERE record_id = NEW.record_id AND run_id = NEW.run_id;
END;
CREATE TRIGGER event_payload_search AFTER INSERT ON event_payload BEGIN
  INSERT INTO note_search (rowid, text) VALUES (NEW.seq, NEW.text);
END;
CREATE TRIGGER event_payload_erased AFTER DELETE ON event_payload BEGIN
  INSERT INTO note_search (note_search, rowid, text) VALUES ('delete', OLD.seq, OLD.text);
END;

-- ---- triggers: what follows from what -----------------------------------------------------------

-- Every record waits for its audit from the moment it is there.
CREATE TRIGGER record_waits AFTER INSERT ON record BEGIN
  INSERT INTO work (record_id, risk_rank)
  VALUES (NEW.id, CASE NEW.risk_level WHEN 'CRITICAL' THEN 4 WHEN 'HIGH' THEN 3 WHEN 'LOW' THEN 1 ELSE 2 END);
END;
CREATE TRIGGER work_counted AFTER INSERT ON work BEGIN
  UPDATE counts SET waiting = waiting + (NEW.state = 'waiting'), done = done + (NEW.state = 'done'),
    failed = failed + (NEW.state = 'failed');
END;
CREATE TRIGGER work_recounted AFTER UPDATE OF state ON work WHEN NEW.state <> OLD.state BEGIN
  UPDATE counts SET waiting = waiting + (NEW.state = 'waiting') - (OLD.state = 'waiting'),
    done = done + (NEW.state = 'done') - (OLD.state = 'done'),
    failed = failed + (NEW.state = 'failed') - (OLD.state = 'failed');
END;
CREATE TRIGGER queue_counted AFTER INSERT ON queue BEGIN
  UPDATE counts SET routed = routed + NEW.current, open = open + (NEW.open = 1),
    open_critical = open_critical + (NEW.open = 1 AND NEW.severity_rank = 4),
    open_high = open_high + (NEW.open = 1 AND NEW.severity_rank = 3),
    open_medium = open_medium + (NEW.open = 1 AND NEW.severity_rank = 2),
    open_low = open_low + (NEW.open = 1 AND NEW.severity_rank = 1), set_aside = set_aside + (NEW.open = 2);
  INSERT INTO arrived_day (day, severity_rank, n)
  SELECT date(NEW.arrived_ms / 1000, 'unixepoch'), NEW.judged_rank, 1
  WHERE NOT EXISTS (SELECT 1 FROM claim c JOIN record r ON r.id = c.record_id
                    WHERE c.id = NEW.claim_id AND r.source GLOB 'comparison cmp-*')
  ON CONFLICT (day, severity_rank) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER queue_recounted AFTER UPDATE OF current, open, severity_rank ON queue
WHEN NEW.current <> OLD.current OR NEW.open <> OLD.open OR NEW.severity_rank <> OLD.severity_rank BEGIN
  UPDATE counts SET routed = routed + NEW.current - OLD.current, open = open + (NEW.open = 1) - (OLD.open = 1),
    open_critical = open_critical + (NEW.open = 1 AND NEW.severity_rank = 4) - (OLD.open = 1 AND OLD.severity_rank = 4),
    open_high = open_high + (NEW.open = 1 AND NEW.severity_rank = 3) - (OLD.open = 1 AND OLD.severity_rank = 3),
    open_medium = open_medium + (NEW.open = 1 AND NEW.severity_rank = 2) - (OLD.open = 1 AND OLD.severity_rank = 2),
    open_low = open_low + (NEW.open = 1 AND NEW.severity_rank = 1) - (OLD.open = 1 AND OLD.severity_rank = 1),
    set_aside = set_aside + (NEW.open = 2) - (OLD.open = 2);
END;
-- A run's claims all at once, when it becomes the current one.
CREATE TRIGGER run_counted AFTER UPDATE OF run_id ON work WHEN NEW.run_id IS NOT NULL BEGIN
  INSERT INTO judged_day (day, judge_id, instrument, state, verdict, severity, n)
  SELECT substr(run.finished_at, 1, 10), run.judge_id, run.instrument, v.state, coalesce(v.verdict, ''),
    coalesce(v.severity, ''), count(*)
  FROM run JOIN claim c ON c.record_id = NEW.record_id AND c.run_id = run.id JOIN verdict v ON v.claim_id = c.id
  WHERE run.id = NEW.run_id GROUP BY v.state, v.verdict, v.severity
  ON CONFLICT (day, judge_id, instrument, state, verdict, severity) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER run_by_hour AFTER UPDATE OF run_id ON work WHEN NEW.run_id IS NOT OLD.run_id BEGIN
  INSERT INTO judged_hour (hour, model, prompt, verdict, n)
  SELECT substr(r.imported_at, 1, 13),
    substr(coalesce(r.metadata ->> '$.model_version', r.metadata ->> '$.model', ''), 1, 200),
    substr(coalesce(r.metadata ->> '$.prompt_version', ''), 1, 200),
    CASE v.state WHEN 'JUDGED' THEN coalesce(v.verdict, '') ELSE '' END,
    sum(CASE run.id WHEN NEW.run_id THEN 1 ELSE -1 END)
  FROM record r JOIN run ON run.id IN (NEW.run_id, OLD.run_id) AND run.record_id = r.id AND run.instrument <> 'support'
  JOIN claim c ON c.record_id = r.id AND c.run_id = run.id JOIN verdict v ON v.claim_id = c.id AND v.state <> 'ADDED'
  WHERE r.id = NEW.record_id AND r.source NOT GLOB 'comparison cmp-*'
  GROUP BY 1, 2, 3, 4
  ON CONFLICT (hour, model, prompt, verdict) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER run_paired AFTER UPDATE OF run_id ON work
WHEN EXISTS (SELECT 1 FROM run WHERE id IN (NEW.run_id, OLD.run_id) AND instrument = 'support') BEGIN
  DELETE FROM pair WHERE claim_id IN (SELECT id FROM claim WHERE record_id = NEW.record_id AND run_id = OLD.run_id);
  INSERT INTO pair (claim_id, state, score, doubt, source, retrieval, model)
  SELECT c.id, v.state, CASE v.state WHEN 'JUDGED' THEN coalesce(v.support, 0) ELSE 0 END,
    CAST(round((1 - coalesce(v.confidence, 0)) * 1000) AS INTEGER),
    (SELECT passage_id FROM passage WHERE record_id = r.id AND n = 1), r.metadata ->> '$.retrieval',
    r.metadata ->> '$.model_version'
  FROM record r JOIN claim c ON c.record_id = r.id AND c.run_id = NEW.run_id JOIN verdict v ON v.claim_id = c.id
  JOIN run ON run.id = NEW.run_id AND run.instrument = 'support'
  WHERE r.id = NEW.record_id;
END;
CREATE TRIGGER pair_counted AFTER INSERT ON pair BEGIN
  INSERT INTO pair_sum (kind, name, score, n)
  SELECT kind, name, NEW.score, 1
  FROM (SELECT 'all' AS kind, NEW.state AS name UNION ALL SELECT 'source', NEW.source
        UNION ALL SELECT 'retrieval', NEW.retrieval UNION ALL SELECT 'model', NEW.model)
  WHERE name IS NOT NULL
  ON CONFLICT (kind, name, score) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER pair_uncounted AFTER DELETE ON pair BEGIN
  UPDATE pair_sum SET n = n - 1 WHERE (kind = 'all' AND name = OLD.state AND score = OLD.score)
    OR (kind = 'source' AND name = OLD.source AND score = OLD.score)
    OR (kind = 'retrieval' AND name = OLD.retrieval AND score = OLD.score)
    OR (kind = 'model' AND name = OLD.model AND score = OLD.score);
END;
CREATE TRIGGER decision_counted AFTER INSERT ON decision BEGIN
  INSERT INTO decided (annotator, n) VALUES (NEW.annotator, 1) ON CONFLICT (annotator) DO UPDATE SET n = n + 1;
  INSERT INTO decided_day (annotator, day, n) VALUES (NEW.annotator, substr(NEW.decided_at, 1, 10), 1)
  ON CONFLICT (annotator, day) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER decision_uncounted AFTER DELETE ON decision BEGIN
  UPDATE decided SET n = n - 1 WHERE annotator = OLD.annotator;
  UPDATE decided_day SET n = n - 1 WHERE annotator = OLD.annotator AND day = substr(OLD.decided_at, 1, 10);
END;
