-- The alerts of the server are events on the operational log of this app, so that they are pushed, signed and retried
-- like all others.
-- It belongs to the account of apps that nobody signs in to and no list shows.
insert into apps (app_id, account_id, name)
values ('evr_00000000000000000000A1ERTS', 'acc_00000000000000000000SHAD0W', 'Alerts of this server');

-- Problems of one kind in one app, or of the server: open for as long as there are any.
create table alerts (
  alert_id text primary key,
  kind text not null,
  -- Null: of the server.
  app_id text references apps,
  severity text not null,
  since timestamptz,
  opened_at timestamptz not null default now(),
  -- How many problems the last evaluation has found, and at most so far.
  problems int not null,
  most_problems int not null,
  cause text not null,
  next_step json not null,
  -- Some of them, with their evidence.
  examples json not null,
  -- How often it was sent again, and when it was sent last.
  repeats int not null default 0,
  sent_at timestamptz not null default now(),
  -- Evaluations in a row that have found none.
  absent int not null default 0,
  resolved_at timestamptz
);
create unique index alerts_open on alerts (kind, coalesce(app_id, '')) where resolved_at is null;
create index alerts_resolved on alerts (resolved_at) where resolved_at is not null;

-- When alerts were last evaluated. The row is also the lock of who does so.
create table alert_evaluation (
  singleton boolean primary key default true check (singleton),
  at timestamptz
);
insert into alert_evaluation default values;

-- Running processes of every role. Each renews its row; one that has ended without removing it is removed by others.
create table processes (
  process_id text primary key,
  worker_id text,
  version text not null,
  roles text[] not null,
  host text not null,
  pid int not null,
  started_at timestamptz not null default now(),
  heartbeat_at timestamptz not null default now()
);

-- What has happened in each period of five minutes, on the whole server.
create table activity (
  at timestamptz primary key,
  messages_in int not null,
  messages_out int not null,
  sent int not null,
  unknown int not null,
  expired int not null,
  spent_micro_usd bigint not null,
  -- Times from the acceptance of a message until its reply was pushed: how many fell into each step of a scale.
  waits jsonb not null
);
-- How many there are, counted once a minute.
create table fleet_counts (
  singleton boolean primary key default true check (singleton),
  at timestamptz not null,
  apps int not null,
  bots int not null,
  webhooks int not null
);
create index events_created_at on events using brin (created_at) with (autosummarize = on);
