-- Roles for a ledger on PostgreSQL. Run by the owner of the ledger's tables, after `congenial ledger open` has made them.
--
-- ledger_owner   owns the tables and may do everything, also disable triggers: used to make the ledger, and never to release
-- ledger_writer  pays and completes: reads everything, appends to the history, and cannot change what was appended
-- ledger_reader  looks: `congenial ledger status`, `history` and `verify`. It cannot read the key of the ledger, so it can neither make
--                fingerprints of guessed data nor seals; `verify` then checks links, sums and balances, and says that it checks no seals

REVOKE ALL ON congenial_state, congenial_history, congenial_balance FROM PUBLIC;

GRANT SELECT ON congenial_state, congenial_history, congenial_balance TO ledger_writer;
GRANT UPDATE (version, count, head, seal) ON congenial_state TO ledger_writer;
GRANT INSERT ON congenial_history TO ledger_writer;
GRANT INSERT, UPDATE (opened, last, spent, seal) ON congenial_balance TO ledger_writer;

GRANT SELECT (id, version, count, head, seal) ON congenial_state TO ledger_reader;
GRANT SELECT ON congenial_history, congenial_balance TO ledger_reader;
