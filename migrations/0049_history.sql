-- compatible with 0045
-- Messages of a conversation that was held elsewhere, counted when they are added before the first turn.
alter table session_logs add column history_count int not null default 0;
