-- Accounts own apps. kind: operator (the one account of the server's operator, which acts on the command line; nobody
-- signs in to it) or person (issuer and subject identify them, as confirmed by the identity provider).
create table accounts (
  account_id text primary key,
  kind text not null,
  issuer text,
  subject text,
  name text,
  email text,
  created_at timestamptz not null default now(),
  unique (issuer, subject)
);
insert into accounts (account_id, kind, name)
values ('acc_0000000000000000000PERAT0R', 'operator', 'Operator of this server');

-- Apps created by the command line or the first start belong to the operator, as do those from before there were
-- accounts.
alter table apps
  add column account_id text not null default 'acc_0000000000000000000PERAT0R' references accounts,
  add column environment text not null default 'live';
create index on apps (account_id, app_id);

-- last_used_at is written rarely: see src/db/tenancy/ApiKeys.ts.
alter table api_keys
  add column expires_at timestamptz,
  -- The prefix of the key that it was rotated to.
  add column replaced_by text,
  add column last_used_at timestamptz;

-- Account access tokens, lat_...
create table account_tokens (
  prefix text primary key,
  account_id text not null references accounts,
  client_name text not null,
  scopes text[] not null,
  secret_hash bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  last_used_at timestamptz
);
create index on account_tokens (account_id, prefix);

-- The device flow (RFC 8628). pending, then approved or denied by a person. approved is then redeemed for a token,
-- once.
create table device_codes (
  device_code_hash bytea primary key,
  user_code_hash bytea not null unique,
  client_name text not null,
  scopes text[] not null,
  status text not null default 'pending',
  -- The interval after slow_down. It applies in every process.
  interval_seconds int not null,
  polled_at timestamptz,
  account_id text references accounts,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index on device_codes (expires_at);

-- A browser between entering a user code and the decision. Once the identity provider has confirmed it, it has an
-- account.
create table device_sign_ins (
  cookie_hash bytea primary key,
  device_code_hash bytea not null references device_codes on delete cascade,
  account_id text references accounts,
  created_at timestamptz not null default now()
);
create index on device_sign_ins (device_code_hash);

-- What was counted in the rolling window of a limit, such as the device codes given to an address.
create table rolling_limits (
  kind text not null,
  subject text not null,
  hits timestamptz[] not null,
  last_hit_at timestamptz not null,
  primary key (kind, subject)
) with (fillfactor = 70);
create index on rolling_limits (last_hit_at);

-- Who changed what in an account. It outlives what it is about, so it has no foreign keys.
create table audit_log (
  account_id text not null,
  entry_id text not null,
  at timestamptz not null default clock_timestamp(),
  -- operator, person (by the account), account_token, runtime_key (by their prefix)
  actor_kind text not null,
  actor text,
  action text not null,
  app_id text,
  subject text,
  detail json not null,
  primary key (account_id, entry_id)
);
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;
create trigger append_only before update or delete on audit_log for each row execute function refuse_change();
create trigger no_truncate before truncate on audit_log for each statement execute function refuse_change();
