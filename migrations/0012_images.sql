-- Contents stored outside of rows: the pictures of characters. A row says that there is, or may be, a content in the
-- storage under its key. It is written before the content, so that what a crash in between leaves behind can be found
-- and removed.
create table stored_objects (
  app_id text not null,
  object_key text not null,
  status text not null default 'pending',
  changed_at timestamptz not null default now(),
  primary key (app_id, object_key)
);
create index on stored_objects (changed_at) where status <> 'kept';

-- The contents themselves, if the database is the storage. Pictures are already compressed.
create table object_contents (
  app_id text not null,
  object_key text not null,
  content bytea not null,
  primary key (app_id, object_key)
);
alter table object_contents alter column content set storage external;

-- The key that signs the addresses of contents. It outlives SECRETS_KEY, as do the addresses that are in logs.
create table signing_keys (
  name text primary key,
  sealed bytea not null
);

create table assets (
  app_id text not null,
  asset_id text not null,
  character_slug text not null,
  kind text not null,
  label text not null,
  is_primary boolean not null,
  object_key text not null,
  -- About its content as it is stored.
  sha256 text not null,
  media_type text not null,
  width int not null,
  height int not null,
  size_bytes int not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (app_id, asset_id),
  foreign key (app_id, character_slug) references characters
);
create index on assets (app_id, character_slug, asset_id);
create unique index assets_primary on assets (app_id, character_slug, kind) where is_primary;

create table visual_identities (
  app_id text not null,
  character_slug text not null,
  identity jsonb not null,
  updated_at timestamptz not null default now(),
  primary key (app_id, character_slug),
  foreign key (app_id, character_slug) references characters
);

-- A requested picture. Unfinished while it is queued or generating. The worker that holds (owner, attempt) generates
-- it.
create table images (
  app_id text not null,
  image_id text not null,
  run_ref text not null,
  character_slug text not null,
  session_id text,
  -- The turn that it is for, and the run of that turn. If it was requested over HTTP: the last turn at that time, and
  -- no run.
  turn_index int,
  turn_ref text,
  kind text not null,
  -- Null if the character's age does not allow one.
  prompt text,
  caption text,
  size text not null,
  deliver boolean not null,
  status text not null default 'queued',
  -- The reserved amount; null: none yet.
  price_micro_usd bigint,
  error_code text,
  engine text,
  model text,
  visible_description text,
  object_key text,
  media_type text,
  width int,
  height int,
  owner text,
  attempt int not null default 0,
  leased_until timestamptz,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  primary key (app_id, image_id),
  foreign key (app_id, character_slug) references characters
);
create index on images (app_id, session_id, turn_index);
create index on images (app_id, run_ref);
create index on images (created_at) where status in ('queued', 'generating');

-- How many pictures an end-user had on that day. It has a day of its own, because other counters may start a new day
-- earlier.
alter table allowances add column images_on date, add column day_images int not null default 0;
create function day_imaged(a allowances) returns int language sql stable
return case when a.images_on = utc_today() then a.day_images else 0 end;
create function is_over_images(own allowances, other allowances, images int) returns boolean language sql stable return
  day_imaged(own) + images > coalesce(own.daily_image_limit, other.daily_image_limit);
