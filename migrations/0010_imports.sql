-- A file that is to become a character, as it was read, until somebody has reviewed it. needs_review | ready |
-- committed | discarded | expired. One whose time is over counts as expired whatever its status says. The job `expire`
-- records that and deletes its contents.
create table imports (
  app_id text not null references apps,
  import_id text not null,
  status text not null,
  -- create: a new character. update: the character target_slug.
  mode text not null,
  target_slug text,
  format text not null,
  filename text not null,
  -- SHA-256 of the bundle, with which a commit says what it has seen. Null, like the bundle, once it is discarded or
  -- expired.
  content_hash text,
  bundle json,
  -- Empty for a discarded or expired import, because it quotes the file.
  report json not null,
  accepted_warnings jsonb not null default '[]',
  character_slug text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  expires_at timestamptz not null,
  committed_at timestamptz,
  primary key (app_id, import_id)
);
create index on imports (app_id, character_slug) where character_slug is not null;
create index imports_open on imports (expires_at) where status in ('needs_review', 'ready');

-- Images of a file, unchanged, until they belong to a character or are discarded.
create table import_images (
  app_id text not null,
  import_id text not null,
  sha256 text not null,
  content bytea not null,
  primary key (app_id, import_id, sha256),
  foreign key (app_id, import_id) references imports
);

-- The import that last created or changed the character.
alter table characters add column import_id text;
