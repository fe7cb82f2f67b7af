-- Evals play their cases in sessions that nobody sees. These belong to an app of their own with the id of the run
-- (evr_...), so they are isolated as tenants are. All such apps belong to this account, which nobody signs in to.
insert into accounts (account_id, kind, name)
values ('acc_00000000000000000000SHAD0W', 'shadow', 'Shadow sessions of evals');

-- What a character is tested for. Cases and gates are described in pipeline/evals/Suite.ts.
create table eval_suites (
  app_id text not null references apps,
  suite_id text not null,
  name text not null,
  character_slug text not null,
  cases json not null,
  gates json not null,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (app_id, suite_id)
);

-- A suite as it was when the run was requested, run against one version of the character.
create table eval_runs (
  app_id text not null references apps,
  run_id text not null,
  suite_id text not null,
  -- queued | running | completed | failed | cancelled | budget_stopped
  status text not null default 'queued',
  character_slug text not null,
  character_version int not null,
  reply_mode text not null,
  -- default | offline
  engine text not null,
  repeats int not null,
  seed int not null,
  cases json not null,
  gates json not null,
  baseline_run_id text,
  -- The run whose conversations are graded again. Null: cases are played.
  regrade_of text,
  max_cost_micro_usd bigint not null,
  spent_micro_usd bigint not null default 0,
  -- Reserved from the app's budget for the case that is being played, and not spent yet.
  held_micro_usd bigint not null default 0,
  -- The worker that runs it.
  owner text,
  -- Once it has ended.
  metrics json,
  gate_results json,
  verdict text,
  error_code text,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  primary key (app_id, run_id)
);
create index eval_runs_open on eval_runs (created_at) where finished_at is null;

-- A case and its repeat. If the worker dies, it has no status and is played again.
create table eval_results (
  app_id text not null,
  run_id text not null,
  place int not null,
  case_key text not null,
  repeat int not null,
  -- pass | fail | skipped | error
  status text,
  -- How often it was started.
  attempts int not null default 0,
  checks json,
  trajectory json,
  cost_micro_usd bigint not null default 0,
  finished_at timestamptz,
  primary key (app_id, run_id, place),
  foreign key (app_id, run_id) references eval_runs
);
