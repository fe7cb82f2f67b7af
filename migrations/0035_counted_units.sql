-- Whether the monitor has counted the crash of the unit that the worker's process is stuck in. A process can die before
-- that, after the unit is known.
alter table workers add column stuck_counted boolean not null default false;
