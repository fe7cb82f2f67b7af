import * as Effect from "effect/Effect"
import type { Sql } from "#src/db/postgres/postgres.ts"
import { opensCheck, SecretsKeyMismatch } from "#src/db/postgres/Secrets.ts"
import type { SecretsKey } from "#src/db/postgres/secretsCipher.ts"

/** Refuses a key that the restored secrets are not stored under. Without a key, nothing is checked. */
export const checkKey = (keys: ReadonlyArray<SecretsKey>) => async (sql: Sql) => {
  const [row] = await sql<Array<{ sealed: Buffer }>>`select sealed from secrets_check`
  if (keys.length === 0 || row === undefined) return
  if (!(await Effect.runPromise(opensCheck(keys, row.sealed)))) throw new SecretsKeyMismatch()
}
