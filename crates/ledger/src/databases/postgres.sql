-- One row: the version of this schema, the key of the ledger, and where its history ends. Who locks it may write.
CREATE TABLE congenial_state (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    version BIGINT NOT NULL,
    key TEXT NOT NULL,
    count BIGINT NOT NULL,
    head TEXT NOT NULL,
    seal TEXT NOT NULL
);

-- What happened, in order; each entry sealed together with the one before.
CREATE TABLE congenial_history (
    number BIGINT PRIMARY KEY,
    dataset TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    reference BIGINT NOT NULL,
    content TEXT NOT NULL,
    previous TEXT NOT NULL,
    seal TEXT NOT NULL
);

CREATE INDEX congenial_by_subject ON congenial_history (kind, subject, dataset, number);
CREATE INDEX congenial_by_dataset ON congenial_history (dataset, number);
CREATE INDEX congenial_by_kind ON congenial_history (dataset, kind, number);
CREATE INDEX congenial_by_reference ON congenial_history (reference, kind);

-- What each dataset has spent, after which entry: always what the history says, but found at once.
CREATE TABLE congenial_balance (
    dataset TEXT PRIMARY KEY,
    opened BIGINT NOT NULL,
    last BIGINT NOT NULL,
    spent TEXT NOT NULL,
    seal TEXT NOT NULL
);

-- A second line of defence: the seals detect what these do not prevent.
CREATE FUNCTION congenial_refuse() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'the history of a ledger is append-only, and a dataset is never closed'; END $$;
CREATE TRIGGER congenial_no_change BEFORE UPDATE OR DELETE ON congenial_history
FOR EACH ROW EXECUTE FUNCTION congenial_refuse();
CREATE TRIGGER congenial_no_truncation BEFORE TRUNCATE ON congenial_history
FOR EACH STATEMENT EXECUTE FUNCTION congenial_refuse();
CREATE TRIGGER congenial_no_closing BEFORE DELETE ON congenial_balance
FOR EACH ROW EXECUTE FUNCTION congenial_refuse();
CREATE TRIGGER congenial_no_emptying BEFORE TRUNCATE ON congenial_balance
FOR EACH STATEMENT EXECUTE FUNCTION congenial_refuse();
