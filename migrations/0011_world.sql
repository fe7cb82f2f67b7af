-- What a character lives among, beside its profile: who is in its life, what holds between whom, the stories that it goes through and what weighs on it for a time.
-- The revision counts every change of it that is not a session's own, so that a copy in memory is known to be stale.
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
