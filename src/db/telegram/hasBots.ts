import * as Effect from "effect/Effect"
import { Database } from "#src/db/postgres/Database.ts"

/** Whether any app has a bot. A database without a schema has none. */
export const hasBots = Database.use(({ query }) =>
  query((sql) => sql`select 1 from telegram_bots where status <> 'detached' limit 1`)
).pipe(
  Effect.map((rows) => rows.length > 0),
  Effect.orElseSucceed(() => false)
)
