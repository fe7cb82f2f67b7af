-- compatible with 0045
-- A consumer reads the feed of its app, and the server keeps its place. Several processes share it: what one of them
-- was given belongs to it until it acknowledges that, or until the lease ends.
create table consumers (
  app_id text not null references apps,
  name text not null,
  -- Null: all.
  types text[],
  character_filter text,
  lease_seconds int not null,
  -- Everything up to this place of the feed was given to a process, or waits in consumer_leases.
  feed_position bigint not null,
  feed_session text not null,
  feed_cursor bigint not null,
  -- Events up to this position that retention has deleted are known to be gone.
  trimmed bigint not null default 0,
  created_at timestamptz not null default now(),
  primary key (app_id, name)
);

-- The sessions of which a process has events, or of which events wait because it has. Nobody else is given events of
-- these sessions, so each session is handled by one process at a time, in order.
create table consumer_leases (
  app_id text not null,
  name text not null,
  session_id text not null,
  -- Acknowledged up to here.
  acked_cursor bigint not null,
  -- Given to a process up to here, under the token. Null: to nobody.
  token text,
  given_cursor bigint not null,
  leased_until timestamptz not null,
  -- What has to be given at all: up to here.
  last_cursor bigint not null,
  primary key (app_id, name, session_id),
  foreign key (app_id, name) references consumers on delete cascade
);
create index consumer_leases_session on consumer_leases (app_id, session_id);
