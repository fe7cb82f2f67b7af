import type { Sql } from "#src/db/postgres/Database.ts"

/**
 * The sessions in which evals play belong to an app of their own, which bears the id of the run and which nobody has a
 * key to. So no list, count, channel or budget of a tenant sees them, and none has to be told to look away: what keeps
 * apps apart keeps these apart. Two things go by the id itself: jobs leave their turns alone, which are the run's own
 * to play at its own clock, and the ledger leaves their money out, which is booked by the run.
 */

/** The account of all such apps: `migrations/0013_evals.sql`. */
export const SHADOW_ACCOUNT = "acc_00000000000000000000SHAD0W"

const PREFIX = "evr_"
export const isShadow = (appId: string): boolean => appId.startsWith(PREFIX)
export const isNoShadow = (sql: Sql) => sql`not starts_with(app_id, ${PREFIX})`
