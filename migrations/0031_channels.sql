-- What the Schema of the channel's kind says, apart from its address and its secrets, which are sealed. A field that is not there has its default.
alter table channels add column config jsonb not null default '{}';
