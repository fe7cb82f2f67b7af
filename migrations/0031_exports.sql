-- Exports of end-users, one at a time for each. The ZIP is stored in parts, as objects, and is deleted with the row.
create table exports (
  app_id text not null references apps,
  export_id text not null,
  external_user_ref text not null,
  -- queued | running | ready | failed
  status text not null default 'queued',
  -- The parts that its worker has stored, in order.
  object_keys text[] not null default '{}',
  size_bytes bigint not null default 0,
  -- Whether the app saw scores when it was made.
  with_scores boolean not null default false,
  owner text,
  attempts int not null default 0,
  error_code text,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  -- Once it is ready or has failed.
  expires_at timestamptz,
  primary key (app_id, export_id),
  unique (app_id, external_user_ref)
);
create index exports_open on exports (created_at) where status in ('queued', 'running');
create index exports_ended on exports (expires_at) where expires_at is not null;
