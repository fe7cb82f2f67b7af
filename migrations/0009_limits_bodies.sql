-- compatible with 0001
-- The same functions, with bodies as text. Since the minor releases of November 2026, PostgreSQL adds no column with a
-- default to a table whose row type a function with a parsed body uses.
create or replace function is_over_budget(a allowances, amount bigint) returns boolean language sql stable as $$
  select a.hard_stop and (day_used(a) + amount > a.daily_limit_micro_usd
    or month_used(a) + amount > a.monthly_limit_micro_usd
    or a.total_used_micro_usd + amount > a.total_limit_micro_usd)
$$;
create or replace function is_over_cap(own allowances, other allowances, amount bigint) returns boolean
language sql stable as $$
  select day_used(own) + amount > coalesce(own.daily_limit_micro_usd, other.daily_limit_micro_usd)
    or month_used(own) + amount > coalesce(own.monthly_limit_micro_usd, other.monthly_limit_micro_usd)
$$;
