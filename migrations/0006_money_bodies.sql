-- compatible with 0001
-- The same functions, with bodies as text. Since the minor releases of November 2026, PostgreSQL adds no column with a
-- default to a table whose row type a function with a parsed body uses.
create or replace function day_used(a allowances) returns bigint language sql stable as $$
  select case when a.day = utc_today() then a.day_used_micro_usd else 0 end
$$;
create or replace function day_sent(a allowances) returns int language sql stable as $$
  select case when a.day = utc_today() then a.day_messages else 0 end
$$;
create or replace function month_used(a allowances) returns bigint language sql stable as $$
  select case when is_this_month(a.day) then a.month_used_micro_usd else 0 end
$$;
