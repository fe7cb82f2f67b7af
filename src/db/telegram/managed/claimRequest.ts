import * as Effect from "effect/Effect"
import { Database } from "#src/db/postgres/Database.ts"
import { inTransaction } from "#src/db/postgres/inTransaction.ts"
import { hashOf } from "./claimCode.ts"
import type { CreatedBot } from "./CreatedBot.ts"

/** How long a link that is shown once stays valid. */
export const LINK_MINUTES = 15

/** A person claims a request by its code. */
export const claimRequest = Effect.fnUntraced(function* (code: string, personId: number) {
  const { query } = yield* Database
  const [request] = yield* query<Array<{ suggested_username: string; suggested_name: string; user_id: number | null }>>(
    (sql) => sql`
        update telegram_provisionings p set claimed_by = ${personId} from telegram_bots b
        where p.claim_hash = ${hashOf(code)} and ((p.matched_at is null and p.expires_at > now()
          and coalesce(p.claimed_by, ${personId}) = ${personId}) or p.claimed_by = ${personId})
          and b.app_id = p.app_id and b.channel_id = p.channel_id and b.status = 'awaiting_creation'
        returning p.suggested_username, p.suggested_name, p.user_id`
  )
  if (request === undefined) return undefined
  const waiting = yield* query<Array<CreatedBot>>(
    (sql) => sql`
        select user_id as "userId", username, owner_id as "ownerId" from telegram_unclaimed
          where owner_id = ${personId} and (user_id =
            ${request.user_id} or (${request.user_id}::bigint is null
              and seen_at > now() - ${LINK_MINUTES}::int * interval '1 minute'))`
  )
  return {
    username: request.suggested_username,
    name: request.suggested_name,
    made: waiting.length === 1 ? waiting[0] : undefined
  }
}, inTransaction)
