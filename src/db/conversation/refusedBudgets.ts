import type { Pool } from "#src/db/postgres/Database.ts"

/** Refusals within this time of a noted one are not noted. */
const NOTED_EVERY = "10 seconds"

/**
 * Returns what notes, for health, that an app's budget has refused a send: a rest that covers no message looks like a
 * budget that is not spent. Nobody waits for it, and at most one statement of a process runs at a time. If it fails,
 * the next refusal is noted.
 */
export const refusedBudgets = (pool: Pool): ((appId: string) => void) => {
  let pending = new Set<string>()
  let isNoting = false
  const note = async (): Promise<void> => {
    isNoting = true
    while (pending.size > 0) {
      const appIds = [...pending].toSorted()
      pending = new Set()
      await pool`
        update allowances set refused_at = now()
        where app_id = any(${appIds}::text[]) and kind = 'app' and external_user_ref = ''
          and (refused_at is null or refused_at < now() - ${NOTED_EVERY}::interval)`.catch(() => undefined)
    }
    isNoting = false
  }
  return (appId) => {
    pending.add(appId)
    if (!isNoting) void note()
  }
}
