-- compatible with 0045
-- What was reserved for work that nothing else records, such as one call of a model, until it is settled. If its
-- process dies, the amount is refunded at refund_at.
create table open_expenses (
  app_id text not null,
  run_ref text not null,
  session_id text,
  activity text not null,
  -- What the model was used for, if it is not what the activity always uses.
  use text,
  micro_usd bigint not null,
  refund_at timestamptz not null,
  primary key (app_id, run_ref)
);
