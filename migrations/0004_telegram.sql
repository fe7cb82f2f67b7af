-- A Telegram bot: what its channel (the row of the same id in channels) does not say. Telegram's ids are below 2^53.
create table telegram_bots (
  app_id text not null references apps,
  channel_id text not null,
  -- byo | managed
  mode text not null,
  character_slug text not null,
  -- Telegram's; null until the bot exists.
  user_id bigint,
  username text,
  -- From getMe.
  info jsonb,
  -- Encrypted.
  token bytea,
  token_hint text,
  -- Counts the tokens of this bot, so that a report of a revoked token says which one.
  token_version int not null default 1,
  -- sha256 of the secret that Telegram sends with each update. The previous one is valid during a rotation; pending is
  -- one that Telegram may not have yet.
  secret_hash bytea,
  secret_pending_since timestamptz,
  previous_secret_hash bytea,
  previous_secret_until timestamptz,
  -- awaiting_creation | pending | active | degraded | suspended | revoked | detached
  status text not null,
  reason text,
  unknown_policy text not null default 'skip',
  join_window_ms int not null default 1200,
  -- Whether a private chat sees a draft that can be stopped instead of the typing indicator.
  drafts boolean not null default false,
  webhook_url text,
  webhook_set_at timestamptz,
  -- What the last probe saw, and when the next is due.
  health jsonb not null default '{}',
  probe_due_at timestamptz not null default now(),
  last_in_at timestamptz,
  -- Of a managed bot: who made it, and since when its token is being replaced. Telegram may know a newer token than the
  -- row.
  owner_id bigint,
  -- The app's own reference for the person that the bot is for.
  owner_ref text,
  rotating_since timestamptz,
  -- When the profile that people see before they write must be set again; null: it is up to date. And the picture that
  -- was set last.
  profile_due_at timestamptz,
  photo_sha256 text,
  photo_put_at timestamptz,
  -- The worker that polls it, on a server that receives no webhooks.
  poller text,
  created_at timestamptz not null default now(),
  primary key (app_id, channel_id),
  foreign key (app_id, character_slug) references characters
);
-- A bot is attached at most once, across all apps.
create unique index telegram_bots_live on telegram_bots (user_id) where status <> 'detached';
create index telegram_bots_by_channel on telegram_bots (channel_id);
create index telegram_bots_probed on telegram_bots (probe_due_at)
  where status in ('active', 'degraded', 'pending', 'revoked');

-- A chat of a bot, or a topic in one, and its session.
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
  -- The update that last decided status: updates of different kinds arrive in no order.
  status_update_id bigint not null default 0,
  status_update_at timestamptz,
  last_in_at timestamptz,
  apologised_at timestamptz,
  apologised_cursor bigint,
  -- A /forget waits for its confirmation until then.
  forget_until timestamptz,
  created_at timestamptz not null default now(),
  primary key (app_id, channel_id, chat_id, thread_id)
);
create unique index telegram_chats_session on telegram_chats (session_id, channel_id, app_id)
  where session_id is not null;

-- What the operator has stopped: the bots of an app, by its id, or of all apps (*). Updates are kept, nothing is sent.
-- Usually empty.
create table telegram_holds (
  scope text primary key,
  since timestamptz not null default now(),
  -- The operator's reason, shown to the apps.
  reason text,
  -- The hold is over, but what was set aside meanwhile has not resumed yet.
  released_at timestamptz
);

-- Until when a chat's slots are taken, for all processes (GCRA). Chat 0 is the bot as a whole.
create table telegram_paces (
  app_id text not null,
  channel_id text not null,
  chat_id bigint not null,
  taken_until timestamptz not null default now(),
  -- Of a chat: its slot is promised to a caller until then.
  promised_until timestamptz,
  blocked_until timestamptz not null default now(),
  slow_until timestamptz not null default now(),
  -- For chat 0: until when the slots for proactive messages are taken, and when those that got no slot were told to try
  -- again.
  unasked_until timestamptz not null default now(),
  queued_until timestamptz not null default now(),
  primary key (app_id, channel_id, chat_id)
) with (fillfactor = 50);

-- Updates as they arrived. Telegram gets its answer only once they are stored. Kept for 72 hours and no longer: after a
-- quiet week, Telegram starts again at a random number.
create table telegram_updates (
  app_id text not null,
  channel_id text not null,
  update_id bigint not null,
  -- Kind, chat and sender, from a first look. A message waits a moment for the next one, and both are answered
  -- together.
  kind text not null,
  chat_id bigint not null,
  thread_id bigint not null default 0,
  sender_id bigint,
  message_id bigint,
  album text,
  received_at timestamptz not null default now(),
  -- Infinity: its bot accepts nothing for now.
  due_at timestamptz not null default now(),
  raw json not null,
  -- The first of the updates that are handed in as one message. Set before they are handed in, so that a retry does the
  -- same.
  batch bigint,
  owner text,
  attempts int not null default 0,
  error text,
  done_at timestamptz,
  primary key (app_id, channel_id, update_id)
);
create index telegram_updates_open on telegram_updates (app_id, channel_id, chat_id, update_id)
  where done_at is null and due_at < 'infinity';
create index telegram_updates_aside on telegram_updates (app_id, channel_id)
  where done_at is null and due_at = 'infinity';
create index telegram_updates_held on telegram_updates (owner) where owner is not null;
create index on telegram_updates using brin (received_at);

-- A code that shows a bot which user of the app a person is.
create table telegram_links (
  code_hash bytea primary key,
  app_id text not null,
  channel_id text not null,
  external_user_ref text not null,
  expires_at timestamptz not null,
  used_at timestamptz
);

-- A managed bot that a person has yet to create by its link. Anybody who has the link can, so it is secret and expires.
create table telegram_provisionings (
  app_id text not null,
  channel_id text not null,
  suggested_username text not null,
  -- The username is random, so nobody else can guess it.
  is_random boolean not null,
  suggested_name text not null,
  -- Sent to the manager bot, it identifies the Telegram user who is going to create the bot, under any name.
  claim_hash bytea not null unique,
  -- Encrypted, for a link that is shown again. Deleted once its bot exists.
  claim_code bytea,
  claimed_by bigint,
  expires_at timestamptz not null,
  matched_at timestamptz,
  -- The bot that was created.
  user_id bigint,
  primary key (app_id, channel_id)
);
create index on telegram_provisionings (lower(suggested_username)) where matched_at is null;
create index on telegram_provisionings (claimed_by) where matched_at is null;

-- Updates of the manager bot. Each is stored before it is handled, because Telegram does not send it again.
create table telegram_manager_updates (
  update_id bigint primary key,
  received_at timestamptz not null default now(),
  raw json not null,
  attempts int not null default 0,
  due_at timestamptz not null default now(),
  -- The worker that handles it.
  owner text,
  error text,
  done_at timestamptz
);
create index on telegram_manager_updates (update_id) where done_at is null;

-- Bots that were created through our manager and match no request. They are never guessed, but kept until the person
-- says which one it is.
create table telegram_unclaimed (
  user_id bigint primary key,
  username text not null,
  owner_id bigint not null,
  seen_at timestamptz not null default now()
);

-- The worker that polls the manager bot, on a server that receives no webhooks.
create table telegram_manager (
  singleton boolean primary key default true check (singleton),
  poller text
);
insert into telegram_manager default values;

-- One action on many bots, one row for each. Finished rows stay finished, and the others continue where they stopped.
create table telegram_batches (
  app_id text not null references apps,
  batch_id text not null,
  -- attach | suspend | resume | rotate_secret | rotate_token | rebrand | create_managed
  action text not null,
  dry_run boolean not null,
  -- The beginning of the webhook addresses of the bots that it attaches.
  hooks_at text not null,
  -- For bots that people create: the manager bot, and how long their links are valid.
  manager text,
  link_minutes int,
  created_at timestamptz not null default now(),
  primary key (app_id, batch_id)
);
create table telegram_batch_items (
  app_id text not null,
  batch_id text not null,
  -- Its position in the request, in digits.
  item text not null,
  -- Created before the bot is attached, so that a retry finds it.
  channel_id text not null,
  character_slug text,
  -- Encrypted, and deleted once it is used.
  token bytea,
  -- For a bot that a person creates: its suggested names, and the person.
  wanted jsonb,
  -- The pace that it follows: attach | change | arm | at_once
  kind text not null,
  -- pending | done | failed
  status text not null default 'pending',
  error text,
  attempts int not null default 0,
  due_at timestamptz not null default now(),
  primary key (app_id, batch_id, item)
);
-- The first of each batch before the second of any, so that a small batch does not wait for a large one.
create index telegram_batch_items_due on telegram_batch_items (kind, item, due_at) where status = 'pending';
-- Until when the slots of each kind are taken: Telegram accepts at most 600 tokens an hour from an address that it has
-- not seen lately.
create table telegram_batch_paces (
  kind text primary key,
  taken_until timestamptz not null default now()
);
insert into telegram_batch_paces (kind) values ('attach'), ('change'), ('arm'), ('at_once');
