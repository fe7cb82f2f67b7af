-- compatible with 0045

-- The reference of the erased person as a hash, salted per app like those of minors: by it, an erasure can be repeated
-- after the restore of an older backup. Null: completed before this column existed.
alter table erasures add column mark bytea;

update erasures e set mark = sha256(convert_to(a.minor_salt::text || ' ' || e.external_user_ref, 'UTF8'))
from apps a where a.app_id = e.app_id and e.external_user_ref is not null;
