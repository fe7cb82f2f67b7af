import * as Effect from "effect/Effect"
import { Database, type DatabaseError, type Sql } from "./Database.ts"
import type { SealedColumn } from "./sealedColumns.ts"
import { sealedCheck, Secrets, SecretsKeys } from "./Secrets.ts"

const BATCH = 100

interface Row {
  /** The columns of its key, in their order. */
  readonly place: ReadonlyArray<string>
  readonly sealed: Buffer
}

const valuesOf = (sql: Sql, key: SealedColumn["key"], row: ReadonlyArray<string>) =>
  key.map((_, at) => (at === 0 ? sql`${row[at] ?? ""}` : sql`, ${row[at] ?? ""}`))

/**
 * Re-encrypts the next rows of a column, in key order, with the current sealing key. Returns the key of the last one.
 * Null: there are no more.
 */
const nextBatch = Effect.fnUntraced(function* (
  { table, key, column }: SealedColumn,
  after: ReadonlyArray<string> | null,
  onChange: Effect.Effect<void, DatabaseError>
) {
  const { query, transaction } = yield* Database
  const { open, seal } = yield* Secrets
  const { sealing } = yield* SecretsKeys
  return yield* transaction(
    Effect.gen(function* () {
      const rows = yield* query<Array<Row>>(
        (sql) => sql`
      select to_json(array[${sql([...key])}]) as place, ${sql(column)} as sealed from ${sql(table)}
      where substring(${sql(column)} from 2 for 8) <> ${sealing.id}
        ${
          after === null
            ? sql``
            : sql`and
          (${sql([...key])}) > (${valuesOf(sql, key, after)})`
        }
      order by ${sql([...key])} limit ${BATCH} for update`
      )
      for (const { place: row, sealed } of rows) {
        const secret = yield* open({ table, key, column }, row, sealed)
        yield* query(
          (sql) => sql`
        update ${sql(table)} set ${sql(column)} = ${seal({ table, key, column }, row, secret)}
        where (${sql([...key])}) = (${valuesOf(sql, key, row)})`
        )
      }
      if (rows.length > 0) yield* onChange
      return { count: rows.length, last: rows.at(-1)?.place ?? null }
    })
  )
})

const pass = Effect.fnUntraced(function* (
  columns: ReadonlyArray<SealedColumn>,
  onChange: Effect.Effect<void, DatabaseError>
) {
  let rotated = 0
  for (const column of columns) {
    for (let after: ReadonlyArray<string> | null = null; ;) {
      const batch: { readonly count: number; readonly last: ReadonlyArray<string> | null } = yield* nextBatch(
        column,
        after,
        onChange
      )
      rotated += batch.count
      after = batch.last
      if (after === null) break
    }
  }
  return rotated
})

/**
 * Re-encrypts every secret with the sealing key, and then makes that the key of the database. It can be interrupted
 * safely, because an encrypted secret names its key: the next run continues with the rest. Returns how many secrets
 * were re-encrypted. `record` records the rotation, in the transaction of its first change: a run that is interrupted
 * is in the audit log, too.
 */
export const rotateSecrets = Effect.fn("rotateSecrets")(function* (
  columns: ReadonlyArray<SealedColumn>,
  record: Effect.Effect<void, DatabaseError>
) {
  const { query, transaction, afterCommit } = yield* Database
  const { sealing } = yield* SecretsKeys
  let isRecorded = false
  const recordOnce = Effect.suspend(() =>
    isRecorded
      ? Effect.void
      : Effect.andThen(
          record,
          afterCommit(() => {
            isRecorded = true
          })
        )
  )
  let rotated = 0
  // Repeats until a pass finds nothing: a process that got the new key late may have encrypted with the old one in the
  // meantime.
  for (let found = yield* pass(columns, recordOnce); found > 0; found = yield* pass(columns, recordOnce))
    rotated += found
  yield* transaction(
    Effect.andThen(
      query((sql) => sql`update secrets_check set sealed = ${sealedCheck(sealing)}`),
      recordOnce
    )
  )
  return rotated
})
