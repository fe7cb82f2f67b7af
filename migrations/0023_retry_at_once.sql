-- A lane that waits for a retry is tried early, once per wait, when its endpoint accepts another event.
-- This is when its wait would have ended. It stays until the lane moves on or that time comes.
alter table lanes add column planned_at timestamptz;
create index channels_of_endpoint on channels (app_id, endpoint) where not paced;
create index lanes_retrying on lanes (app_id, channel_id, due_at)
  where status = 'waiting' and failures > 0 and planned_at is null;
