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
  -- Of getMe.
  info jsonb,
  -- Sealed.
  token bytea,
  token_hint text,
  -- Counts the tokens of this bot: who was told that one of them is dead says which.
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
  -- Whether a private chat is shown a draft that can be stopped, and not that somebody types.
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
  -- The app's own name for whom it is made for.
  owner_ref text,
  rotating_since timestamptz,
  -- When the profile that people see before they write must be set again; null: it is up to date. And the picture that
  -- was set last.
  profile_due_at timestamptz,
  photo_sha256 text,
  photo_put_at timestamptz,
  -- By which worker it is polled, where no webhooks come in.
  poller text,
  created_at timestamptz not null default now(),
  primary key (app_id, channel_id),
  foreign key (app_id, character_slug) references characters
);
-- One live binding of a bot, in whatever app.
create unique index telegram_bots_live on telegram_bots (user_id) where status <> 'detached';
create index telegram_bots_by_channel on telegram_bots (channel_id);
create index telegram_bots_probed on telegram_bots (probe_due_at)
  where status in ('active', 'degraded', 'pending', 'revoked');

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
  status_update_at timestamptz,
  last_in_at timestamptz,
  apologised_at timestamptz,
  apologised_cursor bigint,
  -- A /forget waits for its second word until then.
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
  -- The operator's words, for the apps.
  reason text,
  -- It is over, and what was put aside meanwhile is yet to go on.
  released_at timestamptz
);

-- How far ahead a chat's places are taken, for all processes (GCRA); chat 0 is the bot as a whole.
create table telegram_paces (
  app_id text not null,
  channel_id text not null,
  chat_id bigint not null,
  taken_until timestamptz not null default now(),
  -- Of a chat: somebody was told to come for its place, and has until then.
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
  -- Infinity: its bot takes nothing in for now.
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

-- A code by which a person shows a bot that they are a user of the app's.
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
  -- We have made the username up: nobody else comes upon it.
  is_random boolean not null,
  suggested_name text not null,
  -- Shown to the manager bot, it says which Telegram user is going to create the bot, whatever its name will be.
  claim_hash bytea not null unique,
  -- Sealed, of a link that is shown again; gone once its bot is there.
  claim_code bytea,
  claimed_by bigint,
  expires_at timestamptz not null,
  matched_at timestamptz,
  -- The bot that was made.
  user_id bigint,
  primary key (app_id, channel_id)
);
create index on telegram_provisionings (lower(suggested_username)) where matched_at is null;
create index on telegram_provisionings (claimed_by) where matched_at is null;

-- What the manager bot was told: each is kept before anything comes of it, for there is no way to ask again.
create table telegram_manager_updates (
  update_id bigint primary key,
  received_at timestamptz not null default now(),
  raw json not null,
  attempts int not null default 0,
  due_at timestamptz not null default now(),
  -- Which worker is at it.
  owner text,
  error text,
  done_at timestamptz
);
create index on telegram_manager_updates (update_id) where done_at is null;

-- Bots that were created through our manager and that no request fits: never guessed, but kept for the person's word.
create table telegram_unclaimed (
  user_id bigint primary key,
  username text not null,
  owner_id bigint not null,
  seen_at timestamptz not null default now()
);

-- Who polls the manager bot, where no webhooks come in.
create table telegram_manager (
  singleton boolean primary key default true check (singleton),
  poller text
);
insert into telegram_manager default values;

-- One thing done to many bots, a bot a row: what is done stays done, and what is not goes on where it was left.
create table telegram_batches (
  app_id text not null references apps,
  batch_id text not null,
  -- attach | suspend | resume | rotate_secret | rotate_token | rebrand | create_managed
  action text not null,
  dry_run boolean not null,
  -- What the addresses of bots that it attaches begin with.
  hooks_at text not null,
  -- Of bots that people are to make: by which manager bot, and for how long their links are good.
  manager text,
  link_minutes int,
  created_at timestamptz not null default now(),
  primary key (app_id, batch_id)
);
create table telegram_batch_items (
  app_id text not null,
  batch_id text not null,
  -- Its place in the request, in digits.
  item text not null,
  -- Minted before the bot is attached, so that whoever does it again finds it.
  channel_id text not null,
  character_slug text,
  -- Sealed, and gone once it is used.
  token bytea,
  -- Of a bot that somebody is to make: its suggested names, and for whom.
  wanted jsonb,
  -- At whose pace it is done: attach | change | arm | at_once
  kind text not null,
  -- pending | done | failed
  status text not null default 'pending',
  error text,
  attempts int not null default 0,
  due_at timestamptz not null default now(),
  primary key (app_id, batch_id, item)
);
-- The first of each batch before the second of any: a small one does not wait for a large one's end.
create index telegram_batch_items_due on telegram_batch_items (kind, item, due_at) where status = 'pending';
-- Until when the slots of each kind are taken: Telegram accepts at most 600 tokens an hour from an address that it has
-- not seen lately.
create table telegram_batch_paces (
  kind text primary key,
  taken_until timestamptz not null default now()
);
insert into telegram_batch_paces (kind) values ('attach'), ('change'), ('arm'), ('at_once');
