-- compatible with 0001
-- The same functions, with bodies as text. Since the minor releases of November 2026, PostgreSQL adds no column with a
-- default to a table whose row type a function with a parsed body uses.
create or replace function day_imaged(a allowances) returns int language sql stable as $$
  select case when a.images_on = utc_today() then a.day_images else 0 end
$$;
create or replace function is_over_images(own allowances, other allowances, images int) returns boolean
language sql stable as $$
  select day_imaged(own) + images > coalesce(own.daily_image_limit, other.daily_image_limit)
$$;
