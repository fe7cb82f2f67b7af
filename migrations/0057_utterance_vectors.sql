-- compatible with 0045

-- The meaning of utterances, as an embedding model gives it: the direction of a vector, as signed bytes. Empty: the
-- utterance was not embedded, because it has no words or was forgotten. Derived from the log.
create table utterance_vectors (
  app_id text not null,
  session_id text not null,
  model text not null,
  cursor bigint not null,
  vector bytea not null,
  primary key (app_id, session_id, model, cursor)
);
-- Vectors do not compress.
alter table utterance_vectors alter column vector set storage external;
