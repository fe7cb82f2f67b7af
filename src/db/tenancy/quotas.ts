import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Database } from "#src/db/postgres/Database.ts"

/** The app has used up its lifetime quota. */
export class QuotaReached extends Schema.TaggedError<QuotaReached>()("QuotaReached", {}) {}

const LIMITS = { characters: "character_limit", sessions: "session_limit" } as const
export type Quota = keyof typeof LIMITS

/**
 * Exact limits for what an app may create, under the lock of its row, in the transaction that creates. An app without a
 * limit takes no lock.
 */
export const quotasOf = ({ query }: Context.Service.Shape<typeof Database>) => ({
  /** Locks the quota before creating. True: it is used up. */
  isUsedUp: (appId: string, quota: Quota) =>
    query<Array<{ used_up: boolean }>>(
      (sql) => sql`
      select ${sql(quota)} >= ${sql(LIMITS[quota])} as used_up from allowances
      where app_id = ${appId} and kind = 'app' and ${sql(LIMITS[quota])} is not null for no key update`
    ).pipe(Effect.map((rows) => rows[0]?.used_up ?? false)),
  count: (appId: string, quota: Quota) =>
    Effect.asVoid(
      query(
        (sql) => sql`
      update allowances set ${sql(quota)} =
        ${sql(quota)} + 1 where app_id = ${appId} and kind = 'app' and ${sql(LIMITS[quota])} is not null`
      )
    )
})
