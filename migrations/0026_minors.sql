-- Slugs of characters that this person has called under age: no more romance between the two.
alter table end_users add column minor_characters text[] not null default '{}';

-- For the hashes below. Each app has its own, so that the same person cannot be found across apps.
alter table apps add column minor_salt uuid not null default gen_random_uuid();

-- References of erased end-users who were minors, as salted hashes: an erasure does not make anybody older.
create table minor_marks (
  app_id text not null references apps,
  mark bytea not null,
  primary key (app_id, mark)
);
