-- Who operates this server. Roles: viewer (views), operator (acts), owner (also operators, tokens and content).

-- Bearers of machines, op_...
create table operator_tokens (
  prefix text primary key,
  name text not null,
  role text not null,
  secret_hash bytea not null,
  -- The operator who created it. Null: the command line.
  created_by text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  last_used_at timestamptz
);

-- One-time codes of console links, oc_... Any process can redeem one.
create table console_codes (
  prefix text primary key,
  secret_hash bytea not null,
  expires_at timestamptz not null
);
create index on console_codes (expires_at);

-- Browsers that are signed in to the console, by the hash of their cookie, os_...
create table operator_sessions (
  prefix text primary key,
  secret_hash bytea not null,
  -- Who signed in: ADMIN_TOKEN, "console link", or what OPERATORS lists.
  operator_id text not null,
  name text not null,
  role text not null,
  -- admin_token, code or issuer
  method text not null,
  -- An HMAC, under the cookie, of the setting that let them in: ADMIN_TOKEN or an entry of OPERATORS. When the setting
  -- changes, the session is over. Null: a one-time code.
  proof bytea,
  address text not null,
  user_agent text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  last_used_at timestamptz not null default now()
);
create index on operator_sessions (expires_at);
create index on operator_sessions (address, created_at);

-- Actions of operators are in the same log. Entries without an account are about the server. `address` and `credential`
-- are of operators only: from where they acted, and the prefix of the token or session that they acted with.
alter table audit_log
  add column address text,
  add column credential text,
  drop constraint audit_log_pkey,
  alter column account_id drop not null,
  add primary key (entry_id);
create index on audit_log (account_id, entry_id);
create index on audit_log (action, entry_id);
create index on audit_log (app_id, entry_id);
create index on audit_log (actor, entry_id);
create index on audit_log (subject, entry_id);
