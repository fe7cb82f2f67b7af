-- compatible with 0045
-- When a worker last took the turn to sweep for all. Only one of them does at a time.
alter table workers add column swept_at timestamptz;
