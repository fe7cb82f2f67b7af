-- Two kinds of holds: on the Telegram bots of an app (or of all apps, *), and on everything that an app does, which is
-- then suspended. Each is set and lifted separately.
alter table telegram_holds add column kind text not null default 'telegram'
  check (kind = 'telegram' or (kind = 'app' and scope <> '*'));
alter table telegram_holds drop constraint telegram_holds_pkey;
alter table telegram_holds add primary key (scope, kind);
