-- A Telegram bot: what its channel (the row of the same id in channels) does not say. Ids of Telegram's are below 2^53.
create table telegram_bots (
  app_id text not null references apps,
  channel_id text not null,
  -- byo | managed
  mode text not null,
  character_slug text not null,
  -- Telegram's; null until the bot exists.
  user_id bigint,
  username text,
  -- Of getMe.
  info jsonb,
  -- Sealed.
  token bytea,
  token_hint text,
  -- Counts the tokens of this bot: who was told that one of them is dead says which.
  token_version int not null default 1,
  -- sha256 of what Telegram sends with each update; the previous one stands while a rotation lasts.
  secret_hash bytea,
  previous_secret_hash bytea,
  previous_secret_until timestamptz,
  -- awaiting_creation | pending | active | degraded | suspended | revoked | detached
  status text not null,
  reason text,
  unknown_policy text not null default 'skip',
  join_window_ms int not null default 1200,
  webhook_url text,
  webhook_set_at timestamptz,
  -- What the last probe saw, and when the next is due.
  health jsonb not null default '{}',
  probe_due_at timestamptz not null default now(),
  last_in_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (app_id, channel_id),
  foreign key (app_id, character_slug) references characters
);
-- One live binding of a bot, in whatever app.
create unique index telegram_bots_live on telegram_bots (user_id) where status <> 'detached';
create index telegram_bots_by_channel on telegram_bots (channel_id);
create index telegram_bots_probed on telegram_bots (probe_due_at) where status in ('active', 'degraded', 'pending');

-- A chat of a bot, or a topic in one, and the session that is held there.
create table telegram_chats (
  app_id text not null,
  channel_id text not null,
  chat_id bigint not null,
  -- 0: none.
  thread_id bigint not null default 0,
  -- private | group | supergroup
  kind text not null,
  session_id text,
  external_user_ref text not null,
  -- active | blocked | unreachable | closed
  status text not null default 'active',
  reason text,
  -- The update that status was last decided by: updates of different kinds come in no order.
  status_update_id bigint not null default 0,
  last_in_at timestamptz,
  apologised_at timestamptz,
  apologised_cursor bigint,
  -- A /forget waits for its second word until then.
  forget_until timestamptz,
  created_at timestamptz not null default now(),
  primary key (app_id, channel_id, chat_id, thread_id)
);
create unique index telegram_chats_session on telegram_chats (app_id, channel_id, session_id) where session_id is not null;

-- How far ahead a chat's places are taken, for all processes (GCRA); chat 0 is the bot as a whole.
create table telegram_paces (
  app_id text not null,
  channel_id text not null,
  chat_id bigint not null,
  taken_until timestamptz not null default now(),
  blocked_until timestamptz not null default now(),
  slow_until timestamptz not null default now(),
  primary key (app_id, channel_id, chat_id)
) with (fillfactor = 50);

-- Updates as they came, answered only once they are here. Kept for 72 hours and no longer: after a quiet week Telegram begins at a random number again.
create table telegram_updates (
  app_id text not null,
  channel_id text not null,
  update_id bigint not null,
  -- What it is, whose and where, by a first look. A message waits for the next one for a moment, and is answered together with it.
  kind text not null,
  chat_id bigint not null,
  thread_id bigint not null default 0,
  sender_id bigint,
  album text,
  received_at timestamptz not null default now(),
  due_at timestamptz not null default now(),
  raw json not null,
  -- The first of those that are handed in as one message. Set before it is, so that whoever does it again does the same.
  batch bigint,
  owner text,
  attempts int not null default 0,
  error text,
  done_at timestamptz,
  primary key (app_id, channel_id, update_id)
);
create index telegram_updates_open on telegram_updates (app_id, channel_id, chat_id, update_id) where done_at is null;
create index telegram_updates_held on telegram_updates (owner) where owner is not null;
create index on telegram_updates using brin (received_at);

-- A code by which a person shows a bot that they are a user of the app's.
create table telegram_links (
  code_hash bytea primary key,
  app_id text not null,
  channel_id text not null,
  external_user_ref text not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
