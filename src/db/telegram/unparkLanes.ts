import type { Sql } from "../Database.ts"
import { isHeld } from "./isHeld.ts"

/** Lanes of one step. */
export const UNPARKED_A_STEP = 1000

/**
 * Makes lanes ready that are parked although their chat is there, their bot is walked and nobody holds it back: the chat came back a moment after
 * Telegram had said that it was gone, or a hold was released. The ids of bots' channels begin so. Gives a row for each. A lane that is locked is
 * left to the next step: to wait for one here, out of the order in which others lock them, could end in a deadlock.
 * The chat is found by the session alone, as in chatOf.
 */
export const unparkLanes = (sql: Sql) => sql`
  with back as (
    select l.app_id, l.session_id, l.channel_id from lanes l
      join channels x on x.app_id = l.app_id and x.channel_id = l.channel_id and x.status in ('active', 'failing')
      join lateral (select * from telegram_chats where session_id = l.session_id offset 0) c on c.app_id = l.app_id and c.channel_id = l.channel_id and c.status = 'active'
    where l.status = 'parked' and l.channel_id >= 'bot_' and l.channel_id < 'bou_' and (l.position < l.head or l.redo <> '{}') and not (${isHeld(sql, sql`l.app_id`)})
    limit ${UNPARKED_A_STEP}::int for no key update of l skip locked
  )
  update lanes l set status = 'ready', due_at = now() from back b
  where l.app_id = b.app_id and l.session_id = b.session_id and l.channel_id = b.channel_id
  returning 1`
