-- Proactive messages that an app has scheduled. A row is open until a turn starts for it, it is cancelled, or `until`
-- has passed.
create table scheduled_messages (
  app_id text not null,
  session_id text not null,
  scheduled_id text not null,
  -- Sent as soon as every gate is open, between `at` and `until`.
  at timestamptz not null,
  until timestamptz not null,
  -- The text to send, or the topic that the character writes about.
  text text,
  topic text,
  created_at timestamptz not null default now(),
  cancelled_at timestamptz,
  -- The last turn that was started for it.
  turn_index int,
  primary key (app_id, session_id, scheduled_id),
  check (num_nonnulls(text, topic) = 1)
);
