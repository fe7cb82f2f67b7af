-- The address of a webhook often contains a credential. The first process that starts encrypts it. From then on target
-- is empty.
alter table channels add column url bytea;
create index channels_unsealed on channels (app_id, channel_id) where kind = 'webhook' and url is null;

-- Stored answers of the last day that contain an address: only its origin stays.
update idempotency_keys set response = jsonb_set(response::jsonb, '{data,url}',
  to_jsonb(substring(response #>> '{data,url}' from '^https?://[^/?#]+') || '/…'))::json
where path like '%/channels%' and response #>> '{data,kind}' = 'webhook' and response #>> '{data,url}' is not null;

-- Usernames suggested to apps for their bots. Only the app that holds one may suggest it, until a day after its link
-- expires.
create table telegram_names (
  -- In lower case.
  name text primary key,
  app_id text not null references apps,
  held_until timestamptz not null
);
create index on telegram_names (held_until);
insert into telegram_names (name, app_id, held_until)
select distinct on (lower(suggested_username)) lower(suggested_username), app_id, expires_at + interval '1 day'
from telegram_provisionings
where matched_at is null and expires_at > now() order by lower(suggested_username), is_random desc, expires_at desc;
