-- How many messages an app may send in a minute. Null: as many as the server lets any app.
alter table apps add column messages_per_minute int;

-- What processes have leased of the quota of a subject (an app, or an account on its own plane) under a policy, in the window that ends then. `granted` is the last lease.
-- A lost table costs a window, so it is not logged.
create unlogged table rate_windows (
  subject text not null,
  policy text not null,
  quota int not null,
  ends_at timestamptz not null,
  leased int not null,
  granted int not null,
  primary key (subject, policy)
) with (fillfactor = 70);
