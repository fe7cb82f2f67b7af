-- Every table that grows leads its key with app_id: a tenant's rows are found, and later distributed, by it.

create table apps (
  app_id text primary key,
  name text not null,
  expose_relational_numerics boolean not null default false,
  version int not null default 1,
  created_at timestamptz not null default now()
);

create table api_keys (
  prefix text primary key,
  app_id text not null references apps,
  name text not null,
  secret_hash bytea not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);
create index on api_keys (app_id);

create table characters (
  app_id text not null references apps,
  slug text not null,
  version int not null,
  status text not null default 'active',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (app_id, slug)
);

-- A version never changes once written, so that any process may keep it in memory.
create table character_versions (
  app_id text not null,
  slug text not null,
  version int not null,
  profile jsonb not null,
  created_at timestamptz not null default now(),
  primary key (app_id, slug, version),
  foreign key (app_id, slug) references characters
);

create table end_users (
  app_id text not null references apps,
  external_user_ref text not null,
  display_name text,
  timezone text,
  locale text,
  age_band text not null default 'unknown',
  created_at timestamptz not null default now(),
  primary key (app_id, external_user_ref)
);

create table sessions (
  app_id text not null,
  session_id text not null,
  character_slug text not null,
  external_user_ref text not null,
  proactive_controls jsonb not null,
  metadata jsonb not null,
  created_at timestamptz not null default now(),
  primary key (app_id, session_id),
  foreign key (app_id, character_slug) references characters,
  foreign key (app_id, external_user_ref) references end_users
);
create index on sessions (app_id, external_user_ref, session_id);
create index on sessions (app_id, character_slug, session_id);

-- The counter of a log, in a narrow row of its own: it is locked and rewritten by every append. The log of a session,
-- or of an app's operational events: that one stands under the app's id, and has no session.
-- No index but the key, and free room in the page, so that a rewrite touches one page.
create table session_logs (
  app_id text not null,
  session_id text not null,
  status text not null default 'active',
  last_cursor bigint not null default 0,
  -- Events up to here are no longer kept.
  kept_after bigint not null default 0,
  turn_count int not null default 0,
  open_turns int not null default 0,
  unanswered_character_turns int not null default 0,
  last_user_at timestamptz,
  last_character_at timestamptz,
  exited_at timestamptz,
  exit_reason text,
  primary key (app_id, session_id)
) with (fillfactor = 70);

-- The log. payload is json, not jsonb: it is written once and passed on as the text it is.
create table events (
  app_id text not null,
  session_id text not null,
  cursor bigint not null,
  id text not null,
  type text not null,
  role text not null,
  trace_id text not null,
  source_kind text not null,
  source_id text,
  created_at timestamptz not null default now(),
  payload json not null,
  primary key (app_id, session_id, cursor)
);

-- The event as every reader gets it. payload goes through as the text it was written as.
create function event_json(e events) returns text language sql stable return
  '{"id":"' || e.id || '","schema_version":"1","cursor":' || e.cursor || ',"session_id":"' || e.session_id
  || '","type":"' || e.type || '","event_type":"' || e.type || '","role":"' || e.role || '","trace_id":"' || e.trace_id
  || '","created_at":"' || to_char(e.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  || '","payload":' || e.payload
  || ',"source_ref":{"kind":"' || e.source_kind
  || case when e.source_id is null then '"' else '","id":' || to_json(e.source_id) end || '}}';

-- A user's turn. Unsettled while outcome is null. The worker that holds (owner, fence) runs it.
create table turns (
  app_id text not null,
  session_id text not null,
  turn_index int not null,
  run_ref text not null,
  cursor bigint not null,
  reply_mode text not null,
  client_message_id text,
  source_kind text not null,
  hold_micro_usd bigint not null,
  cost_micro_usd bigint,
  accepted_at timestamptz not null default now(),
  due_at timestamptz not null default now(),
  -- Whether it was postponed once, for as long as the character takes to answer.
  deferred boolean not null default false,
  character_version int,
  -- The person no longer wants an answer.
  stopped boolean not null default false,
  owner text,
  fence int not null default 0,
  crashes int not null default 0,
  started_at timestamptz,
  outcome text,
  failure_reason text,
  settled_at timestamptz,
  primary key (app_id, session_id, turn_index)
) with (fillfactor = 80);
create unique index turns_client_message_id on turns (app_id, session_id, client_message_id)
  where client_message_id is not null;
create index turns_unsettled on turns (app_id, session_id, turn_index) where outcome is null;
create index turns_held on turns (owner) where outcome is null and owner is not null;

create table turn_stages (
  app_id text not null,
  session_id text not null,
  turn_index int not null,
  fence int not null,
  seq int not null,
  stage text not null,
  attempt int not null,
  started_at timestamptz not null,
  latency_ms double precision not null,
  status text not null,
  decision text,
  error_code text,
  -- What else the trace shows, such as the memories that were found. Never a prompt or a rationale.
  detail json,
  model text,
  input_tokens int,
  cached_input_tokens int,
  output_tokens int,
  cost_micro_usd bigint,
  estimated boolean,
  primary key (app_id, session_id, turn_index, fence, seq)
);

-- Utterances of sessions that have outgrown the history of a turn, as searchable documents: one row for each block that
-- was indexed at once. Documents are numbered from first_doc on, in the order in which they were said and without gaps.
-- So a search reads an utterance together with its neighbours.
create table memory_blocks (
  app_id text not null,
  session_id text not null,
  first_doc int not null,
  cursors bigint[] not null,
  -- The words of all documents up to here.
  words bigint not null,
  primary key (app_id, session_id, first_doc)
);

-- How often a word, reduced to its stem, occurs in a document; and the number of words of the previous document, of
-- this one and of the next, so that a search can weigh all three without looking them up.
create table memory_terms (
  app_id text not null,
  session_id text not null,
  lexeme text not null,
  doc int not null,
  tf smallint not null,
  before smallint not null,
  own smallint not null,
  after smallint not null,
  primary key (app_id, session_id, lexeme, doc) include (tf, before, own, after)
);

-- The answer to a create with an Idempotency-Key, kept for 24 hours. Sends keep their key on the turn.
create table idempotency_keys (
  app_id text not null,
  path text not null,
  key text not null,
  body_hash bytea not null,
  response json,
  created_at timestamptz not null default now(),
  primary key (app_id, path, key)
);
create index on idempotency_keys (created_at);

-- Processes that run turns. Each holds the advisory lock of its id for as long as it lives.
create table workers (
  worker_id text primary key,
  pool_id text,
  started_at timestamptz not null default now(),
  heartbeat_at timestamptz not null default now()
);
