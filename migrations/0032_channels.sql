-- The configuration by the Schema of the channel's kind, except its address and secrets, which are encrypted. A missing
-- field has its default.
alter table channels add column config jsonb not null default '{}';
-- The kind of hold by which the operator stops the channel, besides one on its app; null: there is none.
alter table channels add column hold_kind text;
update channels set hold_kind = 'telegram' where kind in ('telegram_byo', 'telegram_managed');
