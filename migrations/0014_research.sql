-- What the rules found when the version was written (pipeline/readiness), and what it was made of, where that was not the app's own hand.
alter table character_versions add column readiness text, add column checked_at timestamptz, add column source_ref json;

-- Rehearsals of a character, paid for beforehand. A run is a row until it has ended: whoever dies with it leaves it to the next worker, at the turn that it had come to.
create table readiness_probes (
  app_id text not null,
  slug text not null,
  run_ref text not null,
  version int not null,
  -- queued | running | completed | failed
  status text not null default 'queued',
  owner text,
  attempts int not null default 0,
  held_micro_usd bigint not null,
  spent_micro_usd bigint not null default 0,
  -- What it was rehearsed with.
  engine text not null,
  model text not null,
  -- The turns that have been rehearsed.
  turns json not null default '[]',
  -- What a model found that contradicts itself; null where no model has looked.
  contradictions json,
  error_code text,
  created_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  finished_at timestamptz,
  primary key (app_id, slug, run_ref),
  foreign key (app_id, slug) references characters
);
create index readiness_probes_open on readiness_probes (created_at) where status in ('queued', 'running');

-- What of runs that are no turns the list of runs shows.
create view metered_runs as
  select app_id, run_ref, null::text as session_id, 'probe' as kind, status, attempts, started_at, finished_at, error_code from readiness_probes;
