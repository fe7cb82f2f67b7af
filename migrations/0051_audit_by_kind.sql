-- outside a transaction
-- compatible with 0045
-- Operators filter the audit log by the kind of actor, too.
create index concurrently if not exists audit_log_by_kind on audit_log (actor_kind, entry_id);
