-- A known text, encrypted under the key of this database's secrets: a process with another key notices when it starts.
create table secrets_check (
  singleton boolean primary key default true check (singleton),
  sealed bytea not null
);
