import type { Sql } from "#src/db/postgres/Database.ts"

/**
 * The sessions of evals belong to a separate app, which has the id of the run and no key. So no list, count, channel or
 * budget of a tenant includes them, and none needs a special case: the separation between apps also separates these.
 * Only two places check for these ids: jobs skip their turns, because the run plays them with its own clock, and the
 * ledger skips their costs, because the run books them.
 */

/** The account of all these apps: `migrations/0013_evals.sql`. */
export const SHADOW_ACCOUNT = "acc_00000000000000000000SHAD0W"

const PREFIX = "evr_"
export const isShadow = (appId: string): boolean => appId.startsWith(PREFIX)
export const isNotShadow = (sql: Sql) => sql`not starts_with(app_id, ${PREFIX})`
