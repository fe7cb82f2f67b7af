-- compatible with 0045
-- Sums of the ledger by day (UTC), session and kind, of entries that the job `retain` has deleted. A session stands for
-- its character and its end-user. Empty: without a session.
create table ledger_days (
  app_id text not null,
  day date not null,
  session_id text not null,
  activity text not null,
  -- Turns that were accepted, and pictures without those that were refunded.
  turns int not null default 0,
  pictures int not null default 0,
  -- The sum of settle, and that of all other entries.
  settled_micro_usd bigint not null default 0,
  held_micro_usd bigint not null default 0,
  primary key (app_id, day, session_id, activity)
);

-- What models were used for, by the day on which turns ended: of turns whose entry or whose stages are deleted. Empty:
-- stages without a model.
create table ledger_day_models (
  app_id text not null,
  day date not null,
  session_id text not null,
  activity text not null,
  model text not null,
  turns int not null default 0,
  cost_micro_usd bigint not null default 0,
  input_tokens bigint not null default 0,
  cached_input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  unpriced boolean not null default false,
  primary key (app_id, day, session_id, activity, model)
);

-- Entries from here on are never summed up: this month and the two before.
create function ledger_kept_from() returns timestamptz language sql stable return
  (date_trunc('month', now() at time zone 'utc') - interval '2 months') at time zone 'utc';

-- The ledger stays append-only, except for the job that sums up what is old.
create function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('troupe.sums_up_ledger', true) = 'on' then
    if old.at < ledger_kept_from() then
      return old;
    end if;
  end if;
  raise exception 'ledger is append-only';
end
$$;
drop trigger append_only on ledger;
create trigger append_only before update or delete on ledger for each row execute function refuse_ledger_change();

-- The keys of sends whose turns are deleted: a key always returns the first result.
create table sent_keys (
  app_id text not null,
  session_id text not null,
  client_message_id text not null,
  cursor bigint not null,
  turn_index int not null,
  run_ref text not null,
  reply_mode text not null,
  primary key (app_id, session_id, client_message_id)
);

-- The last migration that a process knows. Null: it is older than this one, and reads neither sums nor these keys.
alter table processes add column migration int;

create index eval_runs_finished on eval_runs (finished_at) where finished_at is not null;
create index imports_committed on imports (committed_at) where status = 'committed';
create index channels_expiring on channels ((config ->> 'expires_at') collate "C")
  where covers = 'app' and status <> 'deleted' and config ->> 'expires_at' is not null;
create index telegram_batches_created on telegram_batches (created_at);
