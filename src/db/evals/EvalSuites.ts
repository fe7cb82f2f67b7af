import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { newId } from "#pipeline/domain/Id.ts"
import type { Case, Gate } from "#pipeline/evals/Suite.ts"
import { Database, type DatabaseError, type Sql } from "#src/db/postgres/Database.ts"
import { type FittingRow, fitsOnPage, type Listed, listed } from "#src/db/postgres/fittingRows.ts"
import { VersionConflict } from "#src/db/postgres/VersionConflict.ts"

export interface SuiteFields {
  readonly name: string
  readonly character_slug: string
  readonly cases: ReadonlyArray<Case>
  readonly gates: ReadonlyArray<Gate>
}

export interface StoredSuite extends SuiteFields {
  readonly suite_id: string
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

const columns = (sql: Sql) => sql`suite_id, name, character_slug, cases, gates, version, created_at, updated_at`

/** The eval suites of an app. */
export class EvalSuites extends Context.Service<
  EvalSuites,
  {
    readonly create: (appId: string, suite: SuiteFields) => Effect.Effect<StoredSuite, DatabaseError>
    readonly get: (appId: string, suiteId: string) => Effect.Effect<StoredSuite | undefined, DatabaseError>
    /** Newest first. A page of large suites has fewer than the limit. */
    readonly list: (
      appId: string,
      filter: { readonly characterSlug: string | null; readonly before: string | null; readonly limit: number }
    ) => Effect.Effect<Listed<StoredSuite>, DatabaseError>
    /** `change` returns the next state for the current one, under a row lock. Undefined: no such suite. */
    readonly update: <E>(
      appId: string,
      suiteId: string,
      expectedVersion: number | undefined,
      change: (suite: SuiteFields) => Effect.Effect<SuiteFields, E>
    ) => Effect.Effect<StoredSuite | undefined, E | VersionConflict | DatabaseError>
    /** Its runs stay, with their copies of the cases. False: no such suite. */
    readonly remove: (appId: string, suiteId: string) => Effect.Effect<boolean, DatabaseError>
  }
>()("src/db/evals/EvalSuites") {
  static readonly layer = Layer.effect(
    EvalSuites,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database
      const get = (appId: string, suiteId: string, lock = false) =>
        query<Array<StoredSuite>>(
          (sql) =>
            sql`select ${columns(sql)} from eval_suites where app_id = ${appId} and suite_id = ${suiteId} ${
              lock
                ? sql`for
              update`
                : sql``
            }`
        ).pipe(Effect.map((rows) => rows[0]))

      const update = <E>(
        appId: string,
        suiteId: string,
        expectedVersion: number | undefined,
        change: (suite: SuiteFields) => Effect.Effect<SuiteFields, E>
      ) =>
        transaction(
          Effect.gen(function* () {
            const present = yield* get(appId, suiteId, true)
            if (present === undefined) return undefined
            if (expectedVersion !== undefined && expectedVersion !== present.version)
              return yield* new VersionConflict({ current: present.version })
            const { name, character_slug, cases, gates } = yield* change(present)
            const [suite] = yield* query<Array<StoredSuite>>(
              (sql) => sql`
        update eval_suites set name = ${name},
          character_slug = ${character_slug},
            cases = ${JSON.stringify(cases)}::text::json, gates = ${JSON.stringify(gates)}::text::json,
          version = version + 1, updated_at = now()
        where app_id = ${appId} and suite_id = ${suiteId} returning ${columns(sql)}`
            )
            return suite
          })
        )

      return EvalSuites.of({
        create: (appId, { name, character_slug, cases, gates }) =>
          query<[StoredSuite]>(
            (sql) => sql`
        insert into eval_suites (app_id, suite_id, name, character_slug, cases, gates)
        values (${appId}, ${newId("evs")},
          ${name}, ${character_slug}, ${JSON.stringify(cases)}::text::json,
            ${JSON.stringify(gates)}::text::json) returning ${columns(sql)}`
          ).pipe(Effect.map(([suite]) => suite)),
        get: (appId, suiteId) => get(appId, suiteId),
        list: (appId, { characterSlug, before, limit }) =>
          query<Array<FittingRow<StoredSuite, "cases">>>(
            (sql) => sql`
        select suite_id, name, character_slug, case when fits then cases end as cases, gates, version, created_at,
          updated_at, fits
        from (
          select ${columns(sql)}, ${fitsOnPage(sql, sql`octet_length(cases::text)`, sql`suite_id desc`)}
          from eval_suites where app_id = ${appId} and (${characterSlug}::text is null
            or character_slug = ${characterSlug}) and (${before}::text is null or suite_id < ${before})
          order by suite_id desc limit ${limit + 1}::int
        ) page order by suite_id desc`
          ).pipe(
            Effect.map((rows) =>
              listed(rows, limit, ({ cases, ...row }) => (cases === null ? null : { ...row, cases }))
            )
          ),
        update,
        remove: (appId, suiteId) =>
          query(
            (sql) => sql`delete from eval_suites where app_id = ${appId} and suite_id = ${suiteId} returning 1`
          ).pipe(Effect.map((rows) => rows.length > 0))
      })
    })
  )
}
