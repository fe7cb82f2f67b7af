-- The batch in which a worker has leased the check of the session: its id, and until when. A worker checks the sessions
-- of a batch in the order of their ids, a few at a time. So the first that are left are those that it is checking.
alter table relationships add column check_lease text;
create index relationships_leased on relationships (split_part(check_lease, ' ', 1)) where check_lease is not null;

-- When a run whose workers have died may start again. Null: at once.
alter table research add column retry_at timestamptz;
alter table readiness_probes add column retry_at timestamptz;
alter table exports add column retry_at timestamptz;
alter table eval_runs add column retry_at timestamptz;
-- The worker that plays the case.
alter table eval_results add column owner text;
