-- compatible with 0045
-- Why files could not be imported, for operators. Nothing of the files is kept, except what a reason quotes.
create table failed_imports (
  app_id text not null references apps,
  import_id text not null,
  failed_at timestamptz not null default now(),
  -- The size of the request.
  bytes int not null,
  error_code text not null,
  problem text not null,
  primary key (app_id, import_id)
);
create index on failed_imports (failed_at);
