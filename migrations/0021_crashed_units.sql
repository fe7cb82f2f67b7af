-- Units of work that have stopped the process that ran them. A row is written only when that happens, not while a unit
-- runs.
create table crashed_units (
  app_id text not null,
  kind text not null,
  unit text not null,
  crashes int not null default 1,
  first_at timestamptz not null default now(),
  last_at timestamptz not null default now(),
  primary key (app_id, kind, unit)
);

-- The unit that a worker's process is stuck in. Once it is known, the worker's death does not count against its other
-- units.
alter table workers add column stuck_app_id text, add column stuck_kind text, add column stuck_unit text;
