-- What a bot sends in a chat without a session is on a log of that chat: a row of session_logs with the status
-- 'service', which belongs to no session.
alter table telegram_chats add column service_log_id text;
create unique index telegram_chats_service_log on telegram_chats (service_log_id) where service_log_id is not null;
-- Before, it was stored with the update that it answers. What has not been sent by now is given up.
update telegram_updates set kind = 'command', raw = '{}', owner = null, done_at = coalesce(done_at, now()),
  error = case when done_at is null then 'unknown' else error end
where kind in ('word', 'word_sent');
