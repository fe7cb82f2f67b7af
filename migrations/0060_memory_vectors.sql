-- compatible with 0045

-- The meaning of memories, as an embedding model gives it, like utterance_vectors. Only active memories have one, and
-- only as long as their text stays the same. Empty: the memory is not to be found by its meaning.
create table memory_vectors (
  app_id text not null,
  session_id text not null,
  memory_id text not null,
  model text not null,
  vector bytea not null,
  primary key (app_id, session_id, memory_id)
);
-- Vectors do not compress.
alter table memory_vectors alter column vector set storage external;
