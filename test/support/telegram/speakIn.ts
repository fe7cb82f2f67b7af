import type { Sql } from "postgres"

/** An event of the character with these bubbles on the log of a session, as a turn leaves it. */
export const speakIn = async (sql: Sql, session: string, bubbles: ReadonlyArray<string>): Promise<void> => {
  await sql`with log as (
      update session_logs set last_cursor = last_cursor + 1 where session_id = ${session} returning app_id, last_cursor
    ), said as (
      insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
      select app_id, ${session}, last_cursor,
        'evt_' || ${session}::text || last_cursor, 'message.created', 'character', 'run_1', 'telegram',
          ${sql.json({ text: bubbles.join("\n"), bubbles: [...bubbles] })} from log
    ) update lanes l set head = log.last_cursor, status = case l.status when 'idle' then 'ready' else l.status end
      from log where l.session_id = ${session}`
  await sql`select graphile_worker.add_job('deliver', '{}'::json)`
}
