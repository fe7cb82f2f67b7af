-- Only channels of one session are in this index. With all bots of an app in it, too, under the same null, the planner
-- preferred it to the primary key before it had statistics, and read every bot to find one.
drop index channels_app_id_session_id_idx;
create index channels_of_session on channels (app_id, session_id) where session_id is not null;
