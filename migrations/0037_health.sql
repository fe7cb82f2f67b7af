-- What health is derived from: since when a bot or a channel has its status, how its last attempt failed, and since
-- when Telegram holds updates of a bot that do not arrive.
alter table telegram_bots
  add column status_since timestamptz not null default now(),
  add column updates_waiting_since timestamptz;
alter table channels
  add column status_since timestamptz not null default now(),
  add column last_failure_at timestamptz,
  add column last_status_code int,
  add column last_error_code text;

create function set_status_since() returns trigger language plpgsql as $$
begin
  new.status_since := now();
  return new;
end $$;
create trigger status_since before update of status, reason on telegram_bots for each row
  when (old.status <> new.status or old.reason is distinct from new.reason) execute function set_status_since();
create trigger status_since before update of status on channels for each row
  when (old.status <> new.status) execute function set_status_since();

-- The few rows that have a problem, among many that have none.
create index telegram_bots_troubled on telegram_bots (app_id, channel_id)
  where status in ('revoked', 'degraded', 'pending', 'suspended') or updates_waiting_since is not null;
create index channels_troubled on channels (app_id, channel_id)
  where status in ('failing', 'disabled') or (status = 'active' and failing_since is not null);
create index delivery_attempts_unknown on delivery_attempts (started_at) where outcome = 'unknown';
create index delivery_attempts_unknown_of_app on delivery_attempts (app_id, started_at) where outcome = 'unknown';
-- Rows are appended in the order of these times. What has been added since the last vacuum is summarized as it grows.
create index turn_stages_started_at on turn_stages using brin (started_at) with (autosummarize = on);
alter index delivery_attempts_started_at_idx set (autosummarize = on);

-- Apps whose turns and ledger disagreed at the last comparison, with one of these turns.
create table ledger_mismatches (
  app_id text primary key references apps,
  found_at timestamptz not null default now(),
  turns int not null,
  run_ref text not null
);
