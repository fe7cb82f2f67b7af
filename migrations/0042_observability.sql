-- The W3C traceparent of the request that a turn answers. Null: it was not traced.
alter table turns add column traceparent text;
-- The same on the events of the turn, for their deliveries.
alter table events add column traceparent text;

-- One row, which a readiness check writes to find out whether anything can be written.
create table write_probe (
  id int primary key default 1 check (id = 1),
  written_at timestamptz not null default now()
);
