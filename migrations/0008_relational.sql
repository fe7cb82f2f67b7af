-- What a character knows of a person and how their relationship stands, for each session. It is built from the patches
-- below: applied in order, they produce it again.
create table relationships (
  app_id text not null,
  session_id text not null,
  -- Settled turns up to here have been read.
  read_turn int not null default 0,
  -- Patches applied.
  version int not null default 0,
  -- Emotion, scores, preferences, summary, stage: pipeline/relational/Relationship.ts.
  bearing json not null default '{}',
  -- When to check next whether the character writes first. Null: never, by its controls. Infinity: not as things stand.
  initiate_at timestamptz,
  -- Whether a message of the person may bring that forward.
  awaits_word boolean not null default false,
  primary key (app_id, session_id)
) with (fillfactor = 70);
create index relationships_initiate on relationships (initiate_at) where initiate_at is not null;

-- Each change to it, in order, as the rows that it wrote. Only the text of forgotten memories is ever removed from
-- them.
create table relational_patches (
  app_id text not null,
  session_id text not null,
  version int not null,
  -- The turn that was read; null for a change that the app made.
  turn_index int,
  at timestamptz not null,
  patch json not null,
  primary key (app_id, session_id, version)
);
create unique index relational_patches_turn on relational_patches (app_id, session_id, turn_index)
  where turn_index is not null;

create table memories (
  app_id text not null,
  session_id text not null,
  memory_id text not null,
  kind text not null,
  subject text not null,
  text text not null,
  importance smallint not null,
  confidence double precision not null,
  pinned boolean not null,
  -- active | superseded | quarantined | forgotten
  status text not null,
  valid_at timestamptz not null,
  invalid_at timestamptz,
  supersedes_id text,
  linked_ids text[] not null,
  evidence json not null,
  source text not null,
  -- What remains of a forgotten memory: a hash of its text, so that it is not learned again.
  tombstone text,
  recall_count int not null,
  last_recalled_at timestamptz,
  created_at timestamptz not null,
  -- Its words as stems, separated by spaces, for the search.
  lexemes text not null,
  primary key (app_id, session_id, memory_id)
);
-- The rows that a search reads.
create index memories_active on memories (app_id, session_id) where status = 'active';

create table open_loops (
  app_id text not null,
  session_id text not null,
  loop_id text not null,
  kind text not null,
  owner text not null,
  text text not null,
  due_at timestamptz,
  priority smallint not null,
  -- open | surfaced | resolved | expired | dismissed
  status text not null,
  evidence json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (app_id, session_id, loop_id)
);

create table snapshots (
  app_id text not null,
  session_id text not null,
  snapshot_id text not null,
  turn_index int not null,
  snapshot json not null,
  created_at timestamptz not null,
  primary key (app_id, session_id, snapshot_id)
);

create table proactive_policies (
  app_id text primary key references apps,
  policy json not null,
  version int not null default 1
);

-- Whether a character wrote first when that was checked, and if not, the first reason against it. A repeated reason is
-- not recorded again.
create table proactive_decisions (
  app_id text not null,
  session_id text not null,
  decision_id text not null,
  at timestamptz not null default now(),
  reason text,
  -- sent | skipped
  decision text not null,
  skipped_by text,
  -- The turn that was started. Its outcome is there.
  turn_index int,
  next_eligible_at timestamptz,
  primary key (app_id, session_id, decision_id)
);
create index on proactive_decisions (app_id, decision_id);

-- Why the character wrote first, if a turn is not an answer: the reason and the subject. Such a turn has no message,
-- and its cursor is the end of the log when it started.
alter table turns add column initiative json;
create index turns_initiatives on turns (app_id, accepted_at) where initiative is not null;
create index turns_initiatives_of_session on turns (app_id, session_id, accepted_at) where initiative is not null;

-- For the recent cost of an app's proactive messages.
create index ledger_proactive on ledger (app_id, at) where activity = 'proactive';
