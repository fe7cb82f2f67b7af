-- The world of a character, beside its profile: who is in its life, how they are connected, the stories that it goes
-- through, and what weighs on it for a time. The revision counts every change except those of a single session, so that
-- a stale copy in memory is noticed.
create table worlds (
  app_id text not null,
  slug text not null,
  revision bigint not null,
  primary key (app_id, slug),
  foreign key (app_id, slug) references characters
);

-- The fields of each are in pipeline/world/World.ts.
create table npcs (
  app_id text not null,
  slug text not null,
  id text not null,
  fields json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (app_id, slug, id),
  foreign key (app_id, slug) references worlds
);

-- A relation between two nodes, valid from one time to another. Some belong to one session only.
create table graph_edges (
  app_id text not null,
  slug text not null,
  id text not null,
  fields json not null,
  session_id text generated always as (fields ->> 'session_id') stored,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (app_id, slug, id),
  foreign key (app_id, slug) references worlds
);
create index graph_edges_of_session on graph_edges (app_id, session_id) where session_id is not null;

create table storylines (
  app_id text not null,
  slug text not null,
  id text not null,
  fields json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (app_id, slug, id),
  foreign key (app_id, slug) references worlds
);

-- The beats that a session has entered, in order. The last one is the current beat.
create table storyline_steps (
  app_id text not null,
  session_id text not null,
  step int not null,
  storyline_id text not null,
  beat text not null,
  entered_at timestamptz not null,
  -- The session's last turn at that time.
  turn_index int not null,
  -- The event that the app reported, if that was the reason.
  trigger text,
  -- Whether the character writes first about it.
  initiates boolean not null,
  primary key (app_id, session_id, step)
);

-- Influences on a character for a time; some apply to one person or session only.
create table arc_influences (
  app_id text not null,
  slug text not null,
  id text not null,
  fields json not null,
  session_id text generated always as (fields #>> '{scope,session_id}') stored,
  external_user_ref text generated always as (fields #>> '{scope,external_user_ref}') stored,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (app_id, slug, id),
  foreign key (app_id, slug) references worlds
);
create index arc_influences_of_session on arc_influences (app_id, session_id) where session_id is not null;
create index arc_influences_of_person on arc_influences (app_id, external_user_ref) where external_user_ref is not null;
