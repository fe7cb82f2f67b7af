-- compatible with 0045
-- When a send was last refused because it did not fit into the budget of the app, to within ten seconds. Of kind app.
alter table allowances add column refused_at timestamptz;
