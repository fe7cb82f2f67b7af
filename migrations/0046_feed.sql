-- compatible with 0045
-- The feed of an app has its events in the order of feed_position, session and cursor. The position is that of the
-- transaction that wrote the event, and never less than that of an earlier event of the same log: see
-- src/db/postgres/feedPosition.ts. Events from before this migration have position 0.
alter table events add column feed_position bigint not null default 0;
-- What a process of the previous version writes during the upgrade. Everything else names its position.
alter table events alter column feed_position set default pg_current_xact_id()::text::bigint;
-- The position of the last event of the log.
alter table session_logs add column feed_position bigint not null default 0;

-- The databases that these tables have lived in, the last one being this one. Transaction numbers begin again in a
-- database that was restored or moved, so positions are these numbers, shifted beyond everything that was written
-- before.
create table feed_epochs (
  epoch int primary key,
  -- In the cursors of the feed.
  name text not null,
  -- The cluster and the database. Empty: to be found out by the next process that starts.
  identity text not null,
  shift bigint not null,
  -- Positions from here on are of this epoch.
  first_position bigint not null,
  began_at timestamptz not null default now()
);
insert into feed_epochs (epoch, name, identity, shift, first_position) values (1, 'first', '', 0, 0);

-- The highest position of an app whose event has been deleted because of its age.
create table feed_trims (
  app_id text primary key,
  position bigint not null
);
