-- What the lists of /admin sort and filter by.

-- Figures of an app, for lists of apps. Kept by the job `rollup`.
create table app_figures (
  app_id text primary key references apps on delete cascade,
  -- Of the current day and month (UTC).
  spent_day_micro_usd bigint not null default 0,
  spent_month_micro_usd bigint not null default 0,
  turns_24h int not null default 0,
  failed_24h int not null default 0,
  -- The last accepted turn or use of a key. 1970: it was never used.
  last_used_at timestamptz not null default 'epoch'
);
create index on app_figures (spent_month_micro_usd, app_id);
create index on app_figures (failed_24h, app_id);
create index on app_figures (last_used_at, app_id);

-- Apps of evals have none: they are in no list.
create function add_app_figures() returns trigger language plpgsql as $$
begin
  if not starts_with(new.app_id, 'evr_') then
    insert into app_figures (app_id) values (new.app_id);
  end if;
  return null;
end $$;
create trigger figures after insert on apps for each row execute function add_app_figures();
insert into app_figures (app_id) select app_id from apps where not starts_with(app_id, 'evr_');
create index apps_by_name on apps (lower(name) text_pattern_ops);

-- Sums of the ledger by day (UTC): one dimension by kind of activity, one by model.
create table usage_days (
  app_id text not null,
  day date not null,
  dimension text not null check (dimension in ('kind', 'model')),
  name text not null,
  micro_usd bigint not null default 0,
  -- Finished turns, and how many of them failed.
  turns int not null default 0,
  failed int not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  primary key (app_id, day, dimension, name)
);
create index on usage_days (day);

-- Finished turns of the last day, by hour.
create table app_hours (
  app_id text not null,
  hour timestamptz not null,
  turns int not null,
  failed int not null,
  primary key (app_id, hour)
);
create index on app_hours (hour);

-- Attempts at pushes through webhooks in the last day, by hour; and their sums.
create table channel_hours (
  app_id text not null,
  channel_id text not null,
  hour timestamptz not null,
  attempts int not null,
  failures int not null,
  primary key (app_id, channel_id, hour)
);
create index on channel_hours (hour);
create table channel_figures (
  app_id text not null,
  channel_id text not null,
  attempts_24h int not null default 0,
  failures_24h int not null default 0,
  failures_per_million int not null default 0,
  primary key (app_id, channel_id),
  foreign key (app_id, channel_id) references channels on delete cascade
);
create index on channel_figures (failures_per_million, channel_id);
create index on channel_figures (app_id, failures_per_million, channel_id);
create index on channel_figures (channel_id);
create index channels_stopped on channels (channel_id) where not paced and status in ('paused', 'failing', 'disabled');
create index channel_figures_tried on channel_figures (app_id, channel_id) where attempts_24h > 0;
create function add_channel_figures() returns trigger language plpgsql as $$
begin
  insert into channel_figures (app_id, channel_id) values (new.app_id, new.channel_id);
  return null;
end $$;
-- Bots are channels, too, and have a list of their own.
create trigger figures after insert on channels for each row when (not new.paced)
  execute function add_channel_figures();
insert into channel_figures (app_id, channel_id) select app_id, channel_id from channels where not paced;

-- Up to when each roll-up has counted.
create table rollups (
  name text primary key,
  up_to timestamptz not null
);
create index ledger_by_time on ledger using brin (at);
insert into rollups (name, up_to) values
  ('usage', coalesce((select min(at) from ledger where at > now() - interval '32 days'), now())),
  ('attempts', coalesce((select min(started_at) from delivery_attempts where started_at > now() - interval '1 day'),
    now()));

-- Worst first.
alter table telegram_bots add column severity smallint not null generated always as (
  case status when 'revoked' then 0 when 'degraded' then 1 when 'pending' then 2 when 'suspended' then 3
    when 'awaiting_creation' then 4 else 5 end
) stored;
create index telegram_bots_worst on telegram_bots (severity, channel_id) where status <> 'detached';
create index telegram_bots_of_app on telegram_bots (app_id, severity, channel_id) where status <> 'detached';

create unique index sessions_by_id on sessions (session_id);

-- Event ids are in the order of time. What is searched most is what did not arrive.
create index delivery_attempts_by_event on delivery_attempts (event_id);
create index delivery_attempts_failed on delivery_attempts (event_id) where outcome <> 'sent';
create index delivery_attempts_failed_of_app on delivery_attempts (app_id, event_id) where outcome <> 'sent';
create index delivery_attempts_of_channel on delivery_attempts (channel_id, event_id);
-- Of a failed attempt through a webhook: its headers, and the size and digest of its body.
alter table delivery_attempts add column request json;

-- Batches of the operator stand under the app `*`, and their items may belong to different apps.
alter table telegram_batches drop constraint telegram_batches_app_id_fkey;
alter table telegram_batches add column reason text;
alter table telegram_batch_items
  -- Null: the app of the batch.
  add column target_app text,
  -- Of an item that repeats a delivery.
  add column delivery jsonb;
insert into telegram_batch_paces (kind) values ('redeliver');

-- Results of the nightly comparison of the ledger with the turns.
create table ledger_checks (
  checked_at timestamptz primary key default now(),
  since timestamptz not null,
  turns int not null,
  -- At most 1000.
  mismatches json not null
);
