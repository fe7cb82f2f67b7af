-- compatible with 0045
-- A hold of the kind move stops an app while it moves to another cell, whose code is its reason. The new cell has it as
-- one that is over. Processes that do not know the kind would go on, so no app moves while there are any.
alter table telegram_holds drop constraint telegram_holds_check;
alter table telegram_holds add constraint telegram_holds_check
  check (kind = 'telegram' or (kind in ('app', 'move') and scope <> '*') or (kind = 'delivery' and scope = '*'));
-- Of a move: the cluster and the database of the new cell.
alter table telegram_holds add column moves_into text;

-- The keys of apps that have moved away, and the cell that they have moved to.
create table moved_keys (
  prefix text primary key,
  app_id text not null,
  cell text not null,
  moved_at timestamptz not null default now()
);
create index on moved_keys (app_id);

-- The epochs of the cells that the app has moved from. Cursors of the feed that were given there go on here.
alter table feed_trims add column epochs text[] not null default '{}';

-- The ledger stays append-only, except for the job that sums up what is old, and for an app that has moved away.
create or replace function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('troupe.moved_app', true) = old.app_id then
    return old;
  end if;
  if tg_op = 'DELETE' and current_setting('troupe.sums_up_ledger', true) = 'on' then
    if old.at < ledger_kept_from() then
      return old;
    end if;
  end if;
  raise exception 'ledger is append-only';
end
$$;
