import { Readable, type Writable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { Sql } from "#src/db/postgres/postgres.ts"

/**
 * Streams rows into a table. postgres.js does not tell the stream if PostgreSQL refuses the last rows: it rejects the
 * query, which has already been answered with the stream, so that rejection is taken here.
 */
export const copyInto = async (
  sql: Sql,
  statement: string,
  rows: AsyncIterable<Buffer>,
  signal: AbortSignal
): Promise<void> => {
  const query = sql.unsafe(statement)
  const stream: Writable = await query.writable()
  const refused = new Promise<never>((_, reject) => {
    Object.assign(query, { reject })
  })
  refused.catch(() => {})
  await Promise.race([pipeline(Readable.from(rows, { objectMode: false }), stream, { signal }), refused])
}
