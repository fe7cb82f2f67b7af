import type { TestServer } from "./TestServer.ts"

/** One wait of a lane for its next try: how long it was to be, after how many failed tries. */
interface LaneWait {
  readonly failures: number
  readonly seconds: number
}

/**
 * Records every wait of a lane as it begins, because the lane soon goes on by itself. Returns a function that reads the
 * waits of a session or of a channel, in order. One per server.
 */
export const recordWaits = async ({ database: { sql } }: TestServer) => {
  await sql`
    create table lane_waits (n int generated always as identity, session_id text, channel_id text, failures int,
      seconds float8)`
  await sql`
    create function record_wait() returns trigger language plpgsql as $$ begin
    insert into lane_waits (session_id, channel_id, failures, seconds) values (new.session_id, new.channel_id,
      new.failures, extract(epoch from new.due_at - new.sending_at)); return null; end $$`
  await sql`
    create trigger record_wait after update on lanes for each row
      when (old.status <> 'waiting' and new.status = 'waiting') execute function record_wait()`
  return (id: string) => sql<Array<LaneWait>>`
    select failures, seconds from lane_waits where ${id} in (session_id, channel_id) order by n`
}
