-- What the rules found when the version was written (pipeline/readiness), and what it was made of, if the app did not
-- write it itself.
alter table character_versions add column readiness text, add column checked_at timestamptz, add column source_ref json;

-- Probes of a character, paid in advance. A run is a row until it has ended. If its worker dies, the next worker
-- continues at the turn that it had reached.
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
  -- The script that was played.
  engine text not null,
  model text not null,
  -- The turns that have been played.
  turns json not null default '[]',
  -- Contradictions that a model found; null if no model has looked.
  contradictions json,
  error_code text,
  created_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  finished_at timestamptz,
  primary key (app_id, slug, run_ref),
  foreign key (app_id, slug) references characters
);
create index readiness_probes_open on readiness_probes (created_at) where status in ('queued', 'running');

-- What sources say about a character, in their own words.
create table evidence (
  app_id text not null,
  slug text not null,
  evidence_id text not null,
  kind text not null,
  text text not null,
  source json not null,
  trust text not null,
  -- active | disputed | retracted
  status text not null,
  -- The dictionary that stems its words.
  dictionary text not null,
  -- The session in which it was said, if any. It is deleted with the session.
  session_id text,
  -- The run that found it, if one did. It is used in replies only once a finding that rests on it has been accepted.
  research_id text,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (app_id, slug, evidence_id),
  foreign key (app_id, slug) references characters
);
create index on evidence (app_id, session_id) where session_id is not null;

-- The pieces that replies may use, and the words that find them.
create table evidence_chunks (
  app_id text not null,
  slug text not null,
  evidence_id text not null,
  chunk int not null,
  text text not null,
  words int not null,
  primary key (app_id, slug, evidence_id, chunk),
  foreign key (app_id, slug, evidence_id) references evidence on delete cascade
);
create table evidence_terms (
  app_id text not null,
  slug text not null,
  lexeme text not null,
  evidence_id text not null,
  chunk int not null,
  frequency int not null,
  words int not null,
  primary key (app_id, slug, lexeme, evidence_id, chunk),
  foreign key (app_id, slug, evidence_id, chunk) references evidence_chunks on delete cascade
);
create index on evidence_terms (app_id, slug, evidence_id, chunk);

-- A run that reads sources for what answers a question, paid in advance. Like a probe, it is a row until it has ended.
create table research (
  app_id text not null,
  slug text not null,
  research_id text not null,
  run_ref text not null,
  question text not null,
  purpose text not null,
  -- queued | running | completed | failed | cancelled
  status text not null default 'queued',
  owner text,
  attempts int not null default 0,
  max_micro_usd bigint not null,
  held_micro_usd bigint not null,
  spent_micro_usd bigint not null default 0,
  error_code text,
  created_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  finished_at timestamptz,
  primary key (app_id, slug, research_id),
  foreign key (app_id, slug) references characters
);
create index research_open on research (created_at) where status in ('queued', 'running');
create unique index on research (app_id, run_ref);

-- The sources of a run, read part by part. The text is deleted when the run has ended; its hash stays.
create table research_sources (
  app_id text not null,
  slug text not null,
  research_id text not null,
  place int not null,
  -- text | evidence | url
  kind text not null,
  url text,
  evidence_id text,
  title text,
  text text,
  sha256 text,
  -- queued | read | failed
  status text not null default 'queued',
  parts_read int not null default 0,
  -- Null: not fetched yet.
  parts int,
  error_code text,
  primary key (app_id, slug, research_id, place),
  foreign key (app_id, slug, research_id) references research on delete cascade
);

create table findings (
  app_id text not null,
  slug text not null,
  finding_id text not null,
  research_id text not null,
  claim text not null,
  confidence double precision not null,
  proposed_change json,
  -- proposed | accepted | rejected
  status text not null default 'proposed',
  -- The version that its acceptance wrote, if it changed anything.
  accepted_version int,
  created_at timestamptz not null default clock_timestamp(),
  decided_at timestamptz,
  primary key (app_id, slug, finding_id),
  foreign key (app_id, slug, research_id) references research on delete cascade
);
create index on findings (app_id, slug, research_id);

-- The quotes that support a finding: text that occurs in the evidence.
create table finding_quotes (
  app_id text not null,
  slug text not null,
  finding_id text not null,
  evidence_id text not null,
  quote text not null,
  primary key (app_id, slug, finding_id, evidence_id),
  foreign key (app_id, slug, finding_id) references findings on delete cascade,
  foreign key (app_id, slug, evidence_id) references evidence on delete cascade
);
create index on finding_quotes (app_id, slug, evidence_id);

-- The runs other than turns, as the list of runs shows them.
create view metered_runs as
  select app_id, run_ref, null::text as session_id, 'probe' as kind, status, attempts, started_at, finished_at,
    error_code
  from readiness_probes
  union all
  select app_id, run_ref, null, 'research', status, attempts, started_at, finished_at, error_code from research;
