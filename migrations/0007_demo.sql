-- kind: runtime, or demo: a sandbox key, which anybody can get and which may do little. A demo key is reported as
-- expired forever, so its hash outlives its app and has no foreign key.
alter table api_keys
  add column kind text not null default 'runtime',
  drop constraint api_keys_app_id_fkey;

-- How much an app may create in total, and how much it has created since it has that limit.
alter table allowances
  add column character_limit int,
  add column session_limit int,
  add column characters int not null default 0,
  add column sessions int not null default 0;

-- How a turn of the sandbox ends, if the request says so.
alter table turns add column fault text;

-- Whether the person's messages are refused.
alter table end_users add column blocked boolean not null default false;

-- A person who is being erased: first the sessions from before, a few at a time, then everything else that is stored
-- about them. queued | running | completed. What stays is the receipt, which does not name the person.
create table erasures (
  app_id text not null,
  erasure_id text not null,
  external_user_ref text,
  status text not null default 'queued',
  created_at timestamptz not null default now(),
  completed_at timestamptz,
  primary key (app_id, erasure_id)
);
create unique index erasures_open on erasures (app_id, external_user_ref) where status <> 'completed';
