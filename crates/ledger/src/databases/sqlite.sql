-- One row: the version of this schema, the key of the ledger, and where its history ends.
CREATE TABLE congenial_state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL,
    key TEXT NOT NULL,
    count INTEGER NOT NULL,
    head TEXT NOT NULL,
    seal TEXT NOT NULL
) STRICT;

-- What happened, in order; each entry sealed together with the one before.
CREATE TABLE congenial_history (
    number INTEGER PRIMARY KEY,
    dataset TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    reference INTEGER NOT NULL,
    content TEXT NOT NULL,
    previous TEXT NOT NULL,
    seal TEXT NOT NULL
) STRICT;

CREATE INDEX congenial_by_subject ON congenial_history (kind, subject, dataset, number);
CREATE INDEX congenial_by_dataset ON congenial_history (dataset, number);
CREATE INDEX congenial_by_kind ON congenial_history (dataset, kind, number);
CREATE INDEX congenial_by_reference ON congenial_history (reference, kind);

-- What each dataset has spent, after which entry: always what the history says, but found at once.
CREATE TABLE congenial_balance (
    dataset TEXT PRIMARY KEY,
    opened INTEGER NOT NULL,
    last INTEGER NOT NULL,
    spent TEXT NOT NULL,
    seal TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A second line of defence: the seals detect what these do not prevent.
CREATE TRIGGER congenial_no_update BEFORE UPDATE ON congenial_history
BEGIN SELECT RAISE(ABORT, 'the history of a ledger is append-only'); END;
CREATE TRIGGER congenial_no_delete BEFORE DELETE ON congenial_history
BEGIN SELECT RAISE(ABORT, 'the history of a ledger is append-only'); END;
CREATE TRIGGER congenial_no_closing BEFORE DELETE ON congenial_balance
BEGIN SELECT RAISE(ABORT, 'a dataset is never closed'); END;
