-- A push channel: where the events of one session, of all sessions of an app or of a messenger's chats are delivered.
create table channels (
  app_id text not null references apps,
  channel_id text not null,
  -- session | app | chats: whether it has a lane on its one session, on every session of the app, or on sessions whose
  -- chat it has met.
  covers text not null default 'app',
  -- Only where it covers one session.
  session_id text,
  kind text not null,
  -- Whether it waits for its turn before it sends, so that the intent is recorded after the claim.
  paced boolean not null default false,
  -- Limits how much a slow receiver gets at once: all channels to the same endpoint share its slots.
  endpoint text not null,
  -- What the kind needs to find its receiver. Bumping version tells processes that they hold an old copy.
  target jsonb not null,
  version int not null default 1,
  -- Encrypted.
  secret bytea,
  previous_secret bytea,
  previous_secret_until timestamptz,
  -- The event types that are pushed; null: all.
  events text[],
  -- active | paused | failing | disabled | deleted. Only active and failing ones are walked.
  status text not null default 'active',
  -- Its lanes move to a new generation, one after another, when it starts, is resumed or replayed.
  generation int not null default 1,
  -- The position that this gives a lane. Null: an old lane stays where it is, and a new one starts after what the log
  -- held when the channel was created.
  rewind_to bigint,
  -- The last session whose lane has moved; null: all have.
  aligned_to text,
  failing_since timestamptz,
  consecutive_failures int not null default 0,
  last_success_at timestamptz,
  -- The endpoint asked for a pause.
  not_before timestamptz,
  created_at timestamptz not null default now(),
  primary key (app_id, channel_id)
);
create index on channels (app_id, session_id);
-- Each new session has a lane to each of these, and an app may have a channel for every session, and for every bot.
create index channels_app_wide on channels (app_id) where covers = 'app' and status <> 'deleted';
create index channels_unaligned on channels (app_id, channel_id) where aligned_to is not null;

-- A leased lane is ready and has an owner. sending is the intent: the event that is on the wire, or was when its
-- courier died.
create table lanes (
  app_id text not null,
  session_id text not null,
  channel_id text not null,
  generation int not null,
  position bigint not null,
  head bigint not null,
  status text not null,
  due_at timestamptz not null default now(),
  -- Parts of the event after position that are done: one event may be several messages.
  part int not null default 0,
  -- Failed attempts at what comes next.
  failures int not null default 0,
  -- Events before this time are no longer useful on this lane.
  stale_before timestamptz,
  -- Events before position that are to be sent once more.
  redo bigint[] not null default '{}',
  owner text,
  fence int not null default 0,
  sending bigint,
  sending_part int not null default 0,
  -- The fence under which a paced channel meant to send it. It stays through later claims, until one has recorded what
  -- follows from it.
  sending_fence int,
  sending_at timestamptz,
  primary key (app_id, session_id, channel_id)
) with (fillfactor = 70);
create index lanes_ready on lanes (app_id, channel_id, due_at) where status = 'ready' and owner is null;
create index lanes_waiting on lanes (due_at) where status = 'waiting';
-- By time: a lane may be parked by an event from just before its receiver was reachable again.
create index lanes_parked on lanes (due_at) where status = 'parked';
create index lanes_leased on lanes (owner) where owner is not null;
create index lanes_of_channel on lanes (app_id, channel_id, session_id);

-- One attempt to deliver one event, or one part of it, on one lane.
create table delivery_attempts (
  app_id text not null,
  session_id text not null,
  channel_id text not null,
  cursor bigint not null,
  part int not null default 0,
  fence int not null,
  event_id text not null,
  -- sent | not_sent | unknown | rejected | gone | expired
  outcome text not null,
  status_code int,
  error_code text,
  -- The beginning of the answer.
  answer text,
  started_at timestamptz not null,
  -- Null: nothing was sent.
  latency_ms double precision,
  primary key (app_id, session_id, channel_id, cursor, part, fence)
);
create index on delivery_attempts using brin (started_at);

-- After this time, the event is no longer useful and is skipped.
alter table events add column expires_at timestamptz;
