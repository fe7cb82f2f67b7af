-- What may be spent in total, and what was; and the percentage that the app was warned of.
alter table allowances
  add column total_limit_micro_usd bigint,
  add column total_used_micro_usd bigint not null default 0,
  add column total_warned int not null default 0;

-- Whether one more amount is too much: for an app, and for an end-user with the defaults that apply. Null: no limit.
create function is_over_budget(a allowances, amount bigint) returns boolean language sql stable return
  a.hard_stop and (day_used(a) + amount > a.daily_limit_micro_usd
    or month_used(a) + amount > a.monthly_limit_micro_usd
    or a.total_used_micro_usd + amount > a.total_limit_micro_usd);
create function is_over_cap(own allowances, other allowances, amount bigint) returns boolean language sql stable return
  day_used(own) + amount > coalesce(own.daily_limit_micro_usd, other.daily_limit_micro_usd)
  or month_used(own) + amount > coalesce(own.monthly_limit_micro_usd, other.monthly_limit_micro_usd);

-- How many messages an app may send in a minute. Null: the server's default.
alter table apps add column messages_per_minute int;

-- What processes have leased of the quota of a subject (an app, or an account on its own plane) under a policy, in the
-- window that ends at that time. `granted` is the last lease. If the table is lost, one window is lost, so it is not
-- logged.
create unlogged table rate_windows (
  subject text not null,
  policy text not null,
  quota int not null,
  ends_at timestamptz not null,
  leased int not null,
  granted int not null,
  primary key (subject, policy)
) with (fillfactor = 70);

-- For reading the changes of one app page by page.
create index on audit_log (account_id, app_id, entry_id);
