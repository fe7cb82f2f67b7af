import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { newId } from "#pipeline/domain/Id.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"

/** Per app, so that nobody can fill the table. */
const MOST_KEPT = 20
const MAX_CHARACTERS = 500

export interface FailedImport {
  readonly app_id: string
  readonly app_name: string
  readonly failed_at: Date
  readonly bytes: number
  readonly error_code: string
  /** What was wrong with the file. It may quote the file. */
  readonly problem: string
}

/** Files that could not be imported. Nothing of them is kept, only the reason, for operators. */
export class FailedImports extends Context.Service<
  FailedImports,
  {
    readonly record: (
      appId: string,
      failure: { readonly bytes: number; readonly errorCode: string; readonly problem: string }
    ) => Effect.Effect<void, DatabaseError>
    /** Newest first. `appId` null: of all apps. */
    readonly latest: (appId: string | null, limit: number) => Effect.Effect<ReadonlyArray<FailedImport>, DatabaseError>
  }
>()("src/db/character/FailedImports") {
  static readonly layer = Layer.effect(
    FailedImports,
    Effect.gen(function* () {
      const { query } = yield* Database
      return FailedImports.of({
        record: (appId, { bytes, errorCode, problem }) =>
          query(
            (sql) => sql`
            with old as (
              delete from failed_imports where (app_id, import_id) in (
                select app_id, import_id from failed_imports where app_id = ${appId}
                order by import_id desc offset ${MOST_KEPT - 1}::int
              )
            )
            insert into failed_imports (app_id, import_id, bytes, error_code, problem)
            values (${appId}, ${newId("imp")}, ${bytes}::int, ${errorCode},
              ${problem.slice(0, MAX_CHARACTERS).toWellFormed()})`
          ).pipe(Effect.asVoid),
        latest: (appId, limit) =>
          query<Array<FailedImport>>(
            (sql) => sql`
            select f.app_id, a.name as app_name, f.failed_at, f.bytes, f.error_code, f.problem
            from failed_imports f join apps a using (app_id)
            where ${appId}::text is null or f.app_id = ${appId}
            order by f.failed_at desc limit ${limit}::int`
          )
      })
    })
  )
}
