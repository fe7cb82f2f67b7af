-- Every movement of money, permanently: a hold when a turn is accepted; and when it ends, the release of the hold and
-- its cost (settle). What an app has spent is the sum of settle. What is held for it is the sum of hold and release,
-- which is negative.
create table ledger (
  app_id text not null,
  at timestamptz not null default now(),
  -- The run that it is for, and if that is a turn, the turn of its session.
  run_ref text not null,
  session_id text,
  turn_index int,
  -- message_fast | message_deep | ...: the kinds of GET /v1/rates
  activity text not null,
  entry text not null,
  amount_micro_usd bigint not null,
  price_version text not null
);
create index on ledger (app_id, at);
create trigger append_only before update or delete on ledger for each row execute function refuse_change();
create trigger no_truncate before truncate on ledger for each statement execute function refuse_change();

-- What an app or one of its end-users may use and has used, including holds. Only what is limited has a row, so a send
-- without limits takes no lock. A null limit means no limit. kind: app, end_user, and default, which applies where an
-- end-user's limit is null and counts nothing.
create table allowances (
  app_id text not null references apps,
  kind text not null,
  external_user_ref text not null default '',
  daily_limit_micro_usd bigint,
  monthly_limit_micro_usd bigint,
  daily_message_limit int,
  daily_image_limit int,
  -- Over all time.
  message_limit int,
  message_length_limit int,
  -- Whether a send beyond the budget is refused. For the app only.
  hard_stop boolean not null default true,
  day date not null default (now() at time zone 'utc')::date,
  day_used_micro_usd bigint not null default 0,
  day_messages int not null default 0,
  month_used_micro_usd bigint not null default 0,
  messages int not null default 0,
  -- The percentages that the app was warned of: on `day`, and in its month.
  day_warned int not null default 0,
  month_warned int not null default 0,
  -- When sessions of the end-user were last erased. For that month the ledger cannot tell how much they have used, so
  -- the counted amount is used.
  sessions_erased_on date,
  primary key (app_id, kind, external_user_ref)
) with (fillfactor = 70);
create index on allowances (app_id) where kind = 'app';

create function utc_today() returns date language sql stable return (now() at time zone 'utc')::date;
create function is_this_month(day date) returns boolean language sql stable
return date_trunc('month', day) = date_trunc('month', utc_today());
create function day_used(a allowances) returns bigint language sql stable
return case when a.day = utc_today() then a.day_used_micro_usd else 0 end;
create function day_sent(a allowances) returns int language sql stable
return case when a.day = utc_today() then a.day_messages else 0 end;
create function month_used(a allowances) returns bigint language sql stable
return case when is_this_month(a.day) then a.month_used_micro_usd else 0 end;
